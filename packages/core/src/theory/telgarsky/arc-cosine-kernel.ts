import type { Figure, Series } from "../../figure/figure.ts";
import { gaussianRule } from "../../functions/gaussian-rule.ts";
import { library } from "../../functions/library.ts";
import { type Tensor, tensor } from "../../graph/tensor.ts";
import { empiricalKernel } from "../../kernels/empirical-kernel.ts";
import { limitKernel } from "../../kernels/limit-kernel.ts";
import { dot } from "../../linear-algebra/dot.ts";
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import type { Random } from "../../numbers/random.ts";
import { initialNetwork } from "../../train/network.ts";
import { atLeast, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

const delta = 1e-3;

export default lemma({
  id: "T-20",
  covers: ["T-20"],
  kind: "measure",
  title: "The tangent kernel of infinitely many ReLUs",
  source: "Telgarsky, Proposition 3.23",
  statement: String.raw`k_\infty(x, x') = \langle x, x' \rangle \, \mathbb{E}_v \mathbf{1}[v^\top x \ge 0] \mathbf{1}[v^\top x' \ge 0] = \langle x, x' \rangle \frac{\pi - \theta}{2 \pi}, \qquad \theta = \arccos \frac{\langle x, x' \rangle}{\|x\| \|x'\|}`,
  parameters: {
    d: integer({ min: 2, max: 8, default: 3, label: "inputs" }),
    angle: real({ min: 0.05, max: 3.09, default: 1, label: "angle between the points" }),
    r: real({ min: 0.2, max: 3, default: 1, label: "length of x" }),
    s: real({ min: 0.2, max: 3, default: 1, label: "length of x'" }),
    m: integer({ min: 16, max: 4096, default: 1024, label: "units of a finite network" }),
  },
  claims: {
    "k(x, x'), by the recursion of kernels": equals(
      String.raw`\langle x, x' \rangle \frac{\pi - \theta}{2 \pi}`,
    ),
    "k(x, x'), by quadrature over v": equals(String.raw`\langle x, x' \rangle \frac{\pi - \theta}{2 \pi}`),
    "k(u, u) of a vector of length 1": equals(String.raw`\tfrac12`),
    "k(u, u), padded to length 1": equals(String.raw`\tfrac12`),
    "k(x, -x)": equals("0"),
    "length of what replaces v": equals(String.raw`1: \text{ it lies on the sphere}`),
    "length of what replaces v, as printed": equals(String.raw`1: \text{ it lies on the sphere}`).printed({
      where: "proof of Proposition 3.23, before the expectation over the sphere",
      printed: String.raw`meaning we can replace $v$ by $\|v\|$ (throwing out the $\mathcal{N}$-null event $\|v\| = 0$)`,
      corrected: String.raw`$v / \|v\|$ for $\|v\|$`,
    }),
    "product of the turned v and x": equals(String.raw`v_1 = v^\top M^\top x`),
    "product of the turned v and x, as printed": equals("v_1").printed({
      where: "proof of Proposition 3.23, the substitution of Mv for v, where the first column of M is x",
      printed: String.raw`\langle x, x' \rangle \mathbb{E}_{v \sim \mathcal{N}} \mathbf{1}[v^\top Mx \geq 0] \cdot \mathbf{1}[v^\top Mx' \geq 0]`,
      corrected: String.raw`\langle x, x' \rangle \mathbb{E}_{v \sim \mathcal{N}} \mathbf{1}[v^\top M^\top x \geq 0] \cdot \mathbf{1}[v^\top M^\top x' \geq 0]`,
    }),
    "k_m(x, x') of m units": equals(
      String.raw`k(x, x') \pm |\langle x, x' \rangle| \sqrt{p (1 - p) / (m \delta)}, \; p = (\pi - \theta) / 2 \pi \quad (\text{Chebyshev})`,
    ).probable(),
    "least eigenvalue of a Gram matrix": atLeast("0"),
  },
  mutants: {
    "θ for π - θ": {
      "k(x, x'), by quadrature over v": ({ angle }, { theory }) => (theory * angle) / (Math.PI - angle),
    },
    "uniform on half of the circle": {
      "k(x, x'), by the recursion of kernels": (_, { theory }) => 2 * theory,
    },
    "lengths forgotten": ({ r }) => ({ r: r > 1 ? r / 2 : 2 * r }),
    "all units open": {
      "k_m(x, x') of m units": ({ angle }, { theory }) => (2 * Math.PI * theory) / (Math.PI - angle),
    },
  },
  async run({ d, angle, r, s, m }, { random, budget, progress }) {
    const [x, z] = pointsAt(d, angle, r, s, random);
    const inner = r * s * Math.cos(angle);
    const k = closedForm(inner, r * s);
    const open = (Math.PI - angle) / (2 * Math.PI); // the part of all units that both points open
    const rounding = 2 ** -44 * (r * s) * (1 + angle ** -2); // an angle is found from its cosine
    const pair = await innerKernel(tensor([x, z, x.map((v) => -v)]), d);
    await progress(0.2);
    const finite = await finiteKernel(tensor([x, z]), d, m, random);
    const size = 6;
    const points = Array.from({ length: size }, () => [...random.normal(d)]);
    const gram = await innerKernel(tensor(points), d);
    const rows = points.map((_, i) => [...gram.subarray(i * size, (i + 1) * size)]);
    const { values } = symmetricEigen(rows);
    const unit = x.map((v) => v / r);
    const v = [...random.split("v").normal(d)];
    const turned = turnedProducts(unit, z, v);
    const short = [...unit.map((v) => 0.6 * v), 0.8];
    return {
      ...(budget !== "cheap" && { figure: await figure(d, random) }),
      claims: {
        "k(x, x'), by the recursion of kernels": checked(pair[1]!, k, { tolerance: rounding }),
        "k(x, x'), by quadrature over v": checked(inner * bothPositive(angle), k, { tolerance: rounding }),
        "k(u, u) of a vector of length 1": checked((await innerKernel(tensor([unit]), d))[0]!, 0.5, {
          tolerance: 2 ** -48,
        }),
        "k(u, u), padded to length 1": checked((await innerKernel(tensor([short]), d + 1))[0]!, 0.5, {
          tolerance: 2 ** -48,
        }),
        // An angle of pi is found to the root of a rounding.
        "k(x, -x)": checked(pair[2]!, 0, { tolerance: r * r * 2 ** -24 }),
        "length of what replaces v": checked(Math.hypot(...v.map((entry) => entry / Math.hypot(...v))), 1, {
          tolerance: 2 ** -50,
        }),
        "length of what replaces v, as printed": checked(Math.hypot(...v), 1, { tolerance: 2 ** -50 }),
        "product of the turned v and x": checked(turned.corrected, v[0]!, { tolerance: 2 ** -44 }),
        "product of the turned v and x, as printed": checked(turned.printed, v[0]!, { tolerance: 2 ** -44 }),
        "k_m(x, x') of m units": sampled(finite[1]!, k, {
          delta,
          tolerance: Math.abs(inner) * Math.sqrt((open * (1 - open)) / (m * delta)) + rounding,
        }),
        "least eigenvalue of a Gram matrix": checked(values[0]!, 0, { tolerance: 2 ** -44 * values.at(-1)! }),
      },
    };
  },
});

/** <x, x'> (pi - theta) / (2 pi). */
const closedForm = (inner: number, lengths: number): number =>
  (inner * (Math.PI - Math.acos(Math.max(-1, Math.min(1, inner / lengths))))) / (2 * Math.PI);

/** Two vectors of these lengths with this angle between them, turned at random. */
function pointsAt(
  d: number,
  angle: number,
  r: number,
  s: number,
  random: Random,
): readonly [readonly number[], readonly number[]] {
  const [a, b] = [[...random.normal(d)], [...random.normal(d)]];
  const first = a.map((v) => v / Math.hypot(...a));
  const along = first.reduce((sum, v, k) => sum + v * b[k]!, 0);
  const rest = b.map((v, k) => v - along * first[k]!);
  const second = rest.map((v) => v / Math.hypot(...rest));
  return [
    first.map((v) => r * v),
    first.map((v, k) => s * (Math.cos(angle) * v + Math.sin(angle) * second[k]!)),
  ];
}

/** <v, M^T u> and <v, M u>, where M turns the first axes to u and to the rest of z: Gram and Schmidt on u, z, axes. */
function turnedProducts(
  u: readonly number[],
  z: readonly number[],
  v: readonly number[],
): { readonly corrected: number; readonly printed: number } {
  const d = u.length;
  const columns: number[][] = [];
  const axes = Array.from({ length: d }, (_, k) => Array.from({ length: d }, (__, i) => (i === k ? 1 : 0)));
  for (const candidate of [u, z, ...axes]) {
    let rest = [...candidate];
    // Twice: once leaves roundings as large as what was taken away.
    for (const column of [...columns, ...columns]) {
      const along = dot(column, rest);
      rest = rest.map((entry, k) => entry - along * column[k]!);
    }
    const length = Math.hypot(...rest);
    if (columns.length < d && length > 1e-3 * Math.hypot(...candidate))
      columns.push(rest.map((entry) => entry / length));
  }
  return {
    corrected: columns.reduce((sum, column, k) => sum + v[k]! * dot(column, u), 0),
    printed: columns.reduce((sum, column, k) => sum + u[k]! * dot(column, v), 0),
  };
}

/** P(v x >= 0, v x' >= 0) = E 1[u >= 0] P(u cos + w sin >= 0 | u), the inner probability by the error function. */
function bothPositive(angle: number): number {
  const { nodes, weights } = gaussianRule([], 12);
  const slope = Math.cos(angle) / Math.sin(angle);
  return nodes.reduce(
    (sum, u, q) =>
      u < 0 ? sum : sum + (weights[q]! * (1 + library.erf.formula.value((slope * u) / Math.SQRT2))) / 2,
    0,
  );
}

/**
 * The part of the tangent kernel that belongs to the inner layer. With W_std = sqrt(d) units are v x, v ~ N(0, I), and the
 * outer layer multiplies by d.
 */
async function innerKernel(x: Tensor, d: number): Promise<Float64Array> {
  const { nngp, ntk } = await limitKernel(`${d}-8nobias-relu-1nobias`, x, { wStd: Math.sqrt(d) });
  return ntk.map((k, n) => (k - nngp[n]!) / d);
}

/** k_m = (1/m) sum_j <x, x'> 1[v_j x >= 0] 1[v_j x' >= 0]: the gradients of a drawn network by its inner layer. */
async function finiteKernel(x: Tensor, d: number, m: number, random: Random): Promise<Float64Array> {
  const net = initialNetwork(`${d}-${m}nobias-relu-1nobias`, {
    initialization: "t11-chapter",
    seed: random.integer(0, 2 ** 30),
    type: "float64",
  });
  return (await empiricalKernel(net, x, { wrt: ["layer1.weight"] })).ntk;
}

async function figure(d: number, random: Random): Promise<Figure> {
  const angles = Array.from({ length: 61 }, (_, k) => (Math.PI * k) / 60);
  const dots = async (m: number): Promise<Series> => {
    const points = angles.filter((_, k) => k % 4 === 0);
    const pairs = await Promise.all(
      points.map(async (t) => {
        const [x, z] = pointsAt(d, t, 1, 1, random);
        return [t, (await finiteKernel(tensor([x, z]), d, m, random))[1]!] as const;
      }),
    );
    return { name: `${m} units`, mark: "dots", points: pairs, role: "measured" };
  };
  const curve = angles.map((t) => [t, closedForm(Math.cos(t), 1)] as const);
  const widths = [16, 64, 256, 1024, 4096];
  const errors: [number, number][] = [];
  for (const m of widths) {
    const [x, z] = pointsAt(d, 0.7, 1, 1, random);
    const k = closedForm(Math.cos(0.7), 1);
    const found = await Promise.all(
      Array.from({ length: 12 }, () => finiteKernel(tensor([x, z]), d, m, random)),
    );
    errors.push([m, Math.sqrt(found.reduce((sum, f) => sum + (f[1]! - k) ** 2, 0) / found.length)]);
  }
  const p = (Math.PI - 0.7) / (2 * Math.PI);
  const spread = widths.map((m) => [m, Math.cos(0.7) * Math.sqrt((p * (1 - p)) / m)] as const);
  return {
    title: "The tangent kernel of infinitely many ReLUs",
    panels: [
      {
        title: "Kernel of two vectors of length 1",
        x: { label: "angle θ" },
        y: { label: "k(x, x')" },
        series: [
          { name: "limit", mark: "line", points: curve, role: "theory" },
          await dots(64),
          await dots(2048),
        ],
      },
      {
        title: "How far m units are from it, θ = 0.7",
        x: { label: "units m", scale: "log" },
        y: { label: "root mean square of 12 networks", scale: "log" },
        series: [
          { name: "|⟨x, x'⟩| √(p(1 - p) / m)", mark: "line", points: spread, role: "theory" },
          { name: "drawn networks", mark: "dots", points: errors, role: "measured" },
        ],
      },
    ],
  };
}
