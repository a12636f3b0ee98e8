import {
  type InterpolatedAlongLine,
  type InterpolatedAlongSmoothLine,
  interpolateAlongLine,
  interpolateAlongSmoothLine,
  type Projection,
} from "../../approximate/interpolation/index.ts";
import { differenceErrorAtLeast } from "../../approximate/smooth-activation/difference.ts";
import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import type { SmoothActivation } from "../../functions/smooth.ts";
import type { Graph } from "../../graph/graph.ts";
import { toDense } from "../../graph/sparse.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { type Matrix, solveLinear } from "../../linear-algebra/index.ts";
import { complexity, layersOf } from "../../networks/layers/layers.ts";
import { abs, add, type Exact, max, mul, sub } from "../../numbers/exact/rational.ts";
import type { Random } from "../../numbers/random.ts";
import { atLeast, atMost, checked, equals, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";

export default lemma({
  id: "C1a-13",
  covers: ["C1a-13"],
  kind: "construction",
  title: "Interpolation along a line, with O(d + mk) parameters",
  source: "Book, chapter 1, after Proposition 1.17 (Zhang et al. 2017)",
  statement: String.raw`t_i = \langle w, x^{(i)} \rangle + c > 0 \text{ distinct}, \; s_1 = t_1 - 1, \; s_j = t_{j-1}: \qquad \Phi(x) = \sum_{j=1}^m v_j \, (\varrho_R(\langle w, x \rangle + c) - s_j)_+, \quad \Phi(x^{(i)}) = y^{(i)}, \qquad P = (d+1) + 2m + km + k; \qquad \varrho \text{ smooth}: \; t \approx \frac{\varrho(\lambda + ht/2) - \varrho(\lambda - ht/2)}{h \varrho'(\lambda)} \text{ first}, \; P = 2(d+1) + 3m + km + k`,
  parameters: {
    activation: choice(["tanh", "logistic", "softplus", "gaussian", "arctan", "sin"], {
      label: "smooth activation ϱ",
    }),
    log2h: integer({ min: -6, max: -1, default: -3, label: "log2 of its step h" }),
    m: integer({ min: 1, max: 120, default: 60, label: "points" }),
    d: integer({ min: 1, max: 30, default: 10, label: "dimension" }),
    k: integer({ min: 1, max: 4, default: 1, label: "values a point" }),
  },
  claims: {
    parameters: equals("(d+1) + 2m + km + k"),
    layers: equals("3"),
    "residual on ONNX Runtime": equals("0"),
    "residual of the stored weights, exact": equals("0"),
    "slope differences less the solution by elimination, in size": equals("0"),
    "least projection": equals("1"),
    "least gap of the best direction": atLeast("least gap of a single one"),
    "smooth: parameters": equals("2(d+1) + 3m + km + k"),
    "smooth: layers": equals("3"),
    "smooth: residual on ONNX Runtime": equals("0"),
    "smooth: what the first layer adds to t, greatest": atMost(
      String.raw`\tfrac{h^2}{24} \tfrac18 \sup |\varrho^{(3)}| / |\varrho'(\lambda)| + \text{rounding}`,
    ),
    "smooth: what the first layer adds to t, greatest, from below": atLeast(
      String.raw`\tfrac{h^2}{24} \tfrac18 \inf |\varrho^{(3)}| / |\varrho'(\lambda)| - \text{rounding}`,
    ),
  },
  mutants: {
    "the knots not counted": { parameters: ({ m, d, k }) => d + 1 + m + k * m + k },
    "one neuron for the two of a difference": {
      "smooth: parameters": ({ m, d, k }) => d + 1 + 2 * m + k * m + k,
    },
    "a forward for a central difference": {
      "smooth: what the first layer adds to t, greatest, from below": ({ log2h }, { theory }) =>
        (theory * 6) / 2 ** log2h,
    },
    "half the range forgotten": {
      "smooth: what the first layer adds to t, greatest": (_, { theory }) => theory / 4,
    },
  },
  async run({ activation, log2h, m, d, k }, { random, budget, progress }) {
    const points: Matrix = { rows: m, columns: d, entries: random.split("points").normal(m * d) };
    const values: Matrix = { rows: m, columns: k, entries: random.split("values").normal(m * k) };
    const fit = await interpolateAlongLine(points, values);
    const single = await interpolateAlongLine(points, values, { directions: 1 });
    await progress(0.4);
    const smooth = await interpolateAlongSmoothLine(points, values, { activation, h: 2 ** log2h });
    await progress(0.7);
    const { layers } = layersOf(fit.network);
    const elimination = await byElimination(fit, values);
    return {
      graph: fit.network,
      ...(budget === "cheap" ? {} : { figure: await figure(fit, values, random) }),
      claims: {
        parameters: checked(
          layers.reduce((n, { weights, bias }) => n + weights.rows * weights.columns + bias.length, 0),
          d + 1 + 2 * m + k * m + k,
        ),
        layers: checked(complexity(fit.network).layers, 3),
        // Sums of m products: (m + 6) 2^-53 max_i sum_j |v_j| (t_i - s_j), and the rounding of t.
        "residual on ONNX Runtime": sampled(fit.residual, 0, { tolerance: fit.roundingBound }),
        "residual of the stored weights, exact": proved(exactResidual(fit, values), 0, {
          tolerance: fit.roundingBound,
        }),
        "slope differences less the solution by elimination, in size": checked(elimination.distance, 0, {
          tolerance: m * 2 ** -50 * elimination.condition * fit.greatestWeight,
        }),
        "least projection": checked(fit.projection.sorted[0]!, 1, { tolerance: 2 * fit.projection.rounding }),
        "least gap of the best direction": checked(fit.projection.gap, single.projection.gap, {
          // The gaps are chosen in plain sums and measured as ONNX Runtime adds.
          tolerance: 4 * fit.projection.rounding,
        }),
        ...smoothClaims(smooth, { activation, points, values }),
      },
    };
  },
});

function smoothClaims(
  smooth: InterpolatedAlongSmoothLine,
  o: { readonly activation: SmoothActivation; readonly points: Matrix; readonly values: Matrix },
) {
  const { network, identity, projection, passed } = smooth;
  const { layers } = layersOf(network);
  const [m, d, k] = [o.points.rows, o.points.columns, o.values.columns];
  const { sorted, order } = projection;
  // From -1/2 to 1/2: the ends, where a difference errs most, are among the points.
  const added = sorted.map((t, j) => Math.abs(passed[order[j]!]! - (t - 3 / 2)));
  const most = added.reduce((a, b) => Math.max(a, b));
  const { h, at, error, rounding } = identity;
  return {
    "smooth: parameters": checked(
      layers.reduce((n, { weights, bias }) => n + weights.rows * weights.columns + bias.length, 0),
      2 * (d + 1) + 3 * m + k * m + k,
    ),
    "smooth: layers": checked(complexity(network).layers, 3),
    "smooth: residual on ONNX Runtime": sampled(smooth.residual, 0, {
      tolerance: (m + 8) * 2 ** -53 * smooth.condition * greatestSize(o.values.entries),
    }),
    ...(m > 1 && {
      "smooth: what the first layer adds to t, greatest": sampled(most, error + rounding),
      "smooth: what the first layer adds to t, greatest, from below": sampled(
        most,
        differenceErrorAtLeast(o.activation, 1, { h, at, radius: 1 / 2 }) - rounding,
      ),
    }),
  };
}

const greatestSize = (entries: Float64Array): number =>
  entries.reduce((most, x) => Math.max(most, Math.abs(x)), 0);

/** max_i |sum_j v_j (t_i - s_j)_+ - y_i| in rational numbers, at the projections as computed. */
function exactResidual({ network, projection }: InterpolatedAlongLine, values: Matrix): Exact {
  const [, knots, output] = layersOf(network).layers;
  const v = toDense(output!.weights);
  const { sorted, order } = projection;
  let worst: Exact = 0;
  for (let c = 0; c < values.columns; c++)
    sorted.forEach((t, i) => {
      let sum: Exact = 0;
      for (let j = 0; j <= i; j++) sum = add(sum, mul(v[c * sorted.length + j]!, add(t, knots!.bias[j]!)));
      worst = max(worst, abs(sub(sum, values.entries[order[i]! * values.columns + c]!)));
    });
  return worst;
}

/** The same weights by elimination in the triangular matrix A_ij = (t_i - s_j)_+. */
async function byElimination(
  { network, projection }: InterpolatedAlongLine,
  values: Matrix,
): Promise<{ readonly distance: number; readonly condition: number }> {
  const { sorted, order } = projection;
  const m = sorted.length;
  const [, knots, output] = layersOf(network).layers;
  const v = toDense(output!.weights);
  const entries = Float64Array.from({ length: m * m }, (_, e) =>
    Math.max(0, sorted[Math.floor(e / m)]! + knots!.bias[e % m]!),
  );
  const { columns } = values;
  const right = Float64Array.from(
    { length: m * columns },
    (_, e) => values.entries[order[Math.floor(e / columns)]! * columns + (e % columns)]!,
  );
  const { solution, condition } = await solveLinear(
    { rows: m, columns: m, entries },
    { rows: m, columns, entries: right },
  );
  const distance = solution.entries.reduce(
    (most, w, e) => Math.max(most, Math.abs(w - v[(e % columns) * m + Math.floor(e / columns)]!)),
    0,
  );
  return { distance, condition };
}

async function figure(
  { network, projection }: InterpolatedAlongLine,
  values: Matrix,
  random: Random,
): Promise<Figure> {
  const { sorted, order } = projection;
  const rows: {
    readonly m: number;
    readonly gap: number;
    readonly residual: number;
    readonly bound: number;
  }[] = [];
  for (const m of [10, 20, 40, 80, 160, 320]) {
    const points: Matrix = { rows: m, columns: 20, entries: random.normal(20 * m) };
    const fit = await interpolateAlongLine(points, { rows: m, columns: 1, entries: random.normal(m) });
    rows.push({
      m,
      gap: fit.projection.gap,
      residual: Math.max(fit.residual, 2 ** -53),
      bound: fit.roundingBound,
    });
  }
  return {
    title: "All points on one line, and the piecewise-linear function there",
    panels: [
      {
        title: "The network along the line",
        x: { label: "t = ⟨w, x⟩ + c" },
        y: { label: "Φ" },
        series: [
          { name: "network", mark: "line", points: await alongLine(network, projection) },
          {
            name: "data",
            mark: "dots",
            points: Array.from(sorted, (t, j) => [t, values.entries[order[j]! * values.columns]!]),
          },
        ],
      },
      {
        title: "The least gap of the best of 64 directions",
        x: { label: "points m", scale: "log" },
        y: { label: "gap, range 1", scale: "log" },
        series: [
          { name: "measured", mark: "dots", points: rows.map(({ m, gap }) => [m, gap]) },
          { name: "1 / m²", mark: "line", role: "theory", points: rows.map(({ m }) => [m, m ** -2]) },
        ],
      },
      {
        title: "Residual in dimension 20",
        x: { label: "points m", scale: "log" },
        y: { label: "greatest |Φ(x) - y|", scale: "log" },
        series: [
          { name: "measured", mark: "dots", points: rows.map(({ m, residual }) => [m, residual]) },
          {
            name: "most that rounding can cost",
            mark: "line",
            role: "theory",
            points: rows.map(({ m, bound }) => [m, bound]),
          },
        ],
      },
    ],
  };
}

/** The first output at x = w (t - c) / |w|^2, where the projection is t. */
async function alongLine(
  network: Graph,
  { direction, offset, sorted }: Projection,
): Promise<(readonly [number, number])[]> {
  const square = direction.reduce((sum, w) => sum + w * w, 0);
  const ts = [...sorted, ...Array.from({ length: 301 }, (_, i) => 1 + i / 300)].sort((s, t) => s - t);
  const x = Float64Array.from(ts.flatMap((t) => [...direction.map((w) => (w * (t - offset)) / square)]));
  const { y } = await run(network, { x: tensor(x, { dims: [ts.length, direction.length] }) });
  const values = numbers(y!);
  const k = values.length / ts.length;
  return ts.map((t, i) => [t, Number(values[i * k])] as const);
}
