import {
  fitWideLayer,
  type WideLayerFit,
  withLinearMap,
} from "../../approximate/interpolation/wide-layer.ts";
import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import { type ActivationName, activation } from "../../functions/activation.ts";
import { affineChain } from "../../graph/affine-chain.ts";
import { graph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, type Tensor, tensor } from "../../graph/tensor.ts";
import type { Matrix } from "../../linear-algebra/index.ts";
import type { Random } from "../../numbers/random.ts";
import { sum } from "../../numbers/sum.ts";
import { checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";

const outputs = 2;

export default lemma({
  id: "C1b-20",
  covers: ["C1b-20"],
  kind: "construction",
  title: "A layer with as many neurons as examples fits them all",
  source: "Book, chapter 1, sect. 1.5.1; Nguyen and Hein 2017",
  statement: String.raw`A_{ik} = \bar\Phi^{(\ell)}_k(x^{(i)}), \; \operatorname{rank} A = m \text{ if } N_\ell \ge m: \quad W = A^+ Y, \; A W = Y, \qquad r((1 - \lambda) W_0 + \lambda W) = (1 - \lambda)^2 r(W_0)`,
  parameters: {
    rho: choice(["tanh", "logistic", "softplus"], { label: "activation" }),
    L: integer({ min: 1, max: 3, default: 2, label: "hidden layers" }),
    d: integer({ min: 3, max: 8, default: 4, label: "inputs d" }),
    m: integer({ min: 2, max: 16, default: 12, label: "examples m" }),
    n: integer({ min: 1, max: 24, default: 16, label: "neurons n of the last hidden layer" }),
    lambda: real({ min: 0, max: 1, default: 0.5, label: "part λ of the way" }),
  },
  claims: {
    "rank of the features": equals(String.raw`\min(m, n)`),
    "greatest |Φ(x_i) - y_i| on ONNX Runtime": equals("0"),
    "risk at λ over that at the start, on ONNX Runtime": equals(String.raw`(1 - \lambda)^2`),
    "greatest rise of the risk from one of 21 points of the way to the next": equals("0"),
    "miss where the first example comes again with another value": equals(String.raw`\|y - y'\| / \sqrt2`),
  },
  mutants: {
    "1 - λ for its square": {
      "risk at λ over that at the start, on ONNX Runtime": ({ lambda }) => 1 - lambda,
    },
    "a neuron lost": ({ n }) => ({ n: n - 1 }),
    "full rank whatever the width": { "rank of the features": ({ m }) => m },
  },
  async run({ rho, L, d, m, n, lambda }, { random, budget, progress }) {
    const problem = drawProblem({ rho, L, d, m, n }, random);
    const { features, x, y } = problem;
    const fit = await fitWideLayer(features, x, y);
    const start: Matrix = { rows: n, columns: outputs, entries: random.split("start").normal(n * outputs) };
    await progress(0.4);
    const isExact = n >= m;
    const first = await riskAt(problem, start);
    const greatest = Math.max(...y.entries.map(Math.abs));
    // A rounding of A by a part of 2^-53 of it moves A W by as much of |A| |W|.
    const rounding = 2 ** -50 * (m + n) * fit.condition * greatest;
    const way = Array.from({ length: 21 }, (_, k) => riskOn(fit, y, between(start, fit.weights, k / 20)));
    const rises = way.slice(1).map((r, k) => r - way[k]!);
    const doubled = await withDoubled(problem);
    return {
      graph: fit.network,
      ...(budget !== "cheap" && { figure: await figure({ rho, L, d, m, n }, random) }),
      claims: {
        "rank of the features": checked(fit.rank, Math.min(m, n)),
        ...(isExact && {
          "greatest |Φ(x_i) - y_i| on ONNX Runtime": checked(await miss(fit.network, x, y), 0, {
            tolerance: rounding,
          }),
          "risk at λ over that at the start, on ONNX Runtime": sampled(
            (await riskAt(problem, between(start, fit.weights, lambda))) / first,
            (1 - lambda) ** 2,
            { tolerance: 2 ** -40 + (4 * rounding) / Math.sqrt(first) },
          ),
          "miss where the first example comes again with another value": checked(
            doubled.measured,
            doubled.theory,
            {
              tolerance: 2 ** -46 * m * fit.condition * greatest,
            },
          ),
        }),
        // The risk is convex along the way and least at its end, exact fit or not.
        "greatest rise of the risk from one of 21 points of the way to the next": checked(
          Math.max(0, ...rises),
          0,
          {
            tolerance: rounding * (rounding + Math.sqrt(first)),
          },
        ),
      },
    };
  },
});

interface Shape {
  readonly rho: ActivationName;
  readonly L: number;
  readonly d: number;
  readonly m: number;
  readonly n: number;
}

interface Problem {
  /** x -> rho(W_L rho(...)), the last hidden layer. */
  readonly features: Graph;
  readonly x: Tensor;
  readonly y: Matrix;
}

/** Narrow layers before the wide one; weights of deviation 3 / sqrt(fan-in), so that neurons bend where the points are. */
function drawProblem({ rho, L, d, m, n }: Shape, random: Random): Problem {
  const widths = [d, ...Array<number>(L - 1).fill(d), n];
  const maps = widths.slice(1).map((rows, l) => {
    const columns = widths[l]!;
    const W = random
      .split(`W${l}`)
      .normal(rows * columns)
      .map((v) => (3 * v) / Math.sqrt(columns));
    return { W: tensor(W, { dims: [rows, columns] }), b: tensor(random.split(`b${l}`).normal(rows)) };
  });
  const { apply } = activation(rho);
  const chain = affineChain(maps, apply);
  const features = graph(
    { x: { type: "float64", shape: ["N", d] } },
    ({ x }) => ({ y: apply(x.builder.inline(chain, { x })["y"]!) }),
    { name: "features" },
  );
  return {
    features,
    x: tensor(random.split("points").normal(m * d), { dims: [m, d] }),
    y: { rows: m, columns: outputs, entries: random.split("values").normal(m * outputs) },
  };
}

const between = (a: Matrix, b: Matrix, lambda: number): Matrix => ({
  ...a,
  entries: a.entries.map((v, k) => (1 - lambda) * v + lambda * b.entries[k]!),
});

async function misses(network: Graph, x: Tensor, y: Matrix): Promise<readonly number[]> {
  const found = numbers((await run(network, { x }, { threads: 1 }))["y"]!);
  return Array.from(found, (v, k) => v - y.entries[k]!);
}

const miss = async (network: Graph, x: Tensor, y: Matrix): Promise<number> =>
  Math.max(...(await misses(network, x, y)).map(Math.abs));

const riskAt = async ({ features, x, y }: Problem, weights: Matrix): Promise<number> =>
  sum((await misses(withLinearMap(features, weights), x, y)).map((v) => v * v)) / y.rows;

/** The risk of a linear map behind features that are known. */
function riskOn({ features: { columns: n, entries } }: WideLayerFit, y: Matrix, weights: Matrix): number {
  const squares = Array.from(y.entries, (v, at) => {
    const [i, c] = [Math.floor(at / outputs), at % outputs];
    let found = 0;
    for (let k = 0; k < n; k++) found += entries[i * n + k]! * weights.entries[k * outputs + c]!;
    return (found - v) ** 2;
  });
  return sum(squares) / y.rows;
}

/** The best that any linear map does when the first example has two values: halfway between them. */
async function withDoubled({ features, x, y }: Problem) {
  const [m, d] = x.dims as [number, number];
  const points = [...numbers(x)];
  const other = Array.from(y.entries.subarray(0, outputs), (v, c) => v + 1 + c);
  const fit = await fitWideLayer(features, tensor([...points, ...points.slice(0, d)], { dims: [m + 1, d] }), {
    rows: m + 1,
    columns: outputs,
    entries: Float64Array.of(...y.entries, ...other),
  });
  return { measured: fit.residual, theory: Math.hypot(...other.map((_, c) => 1 + c)) / Math.SQRT2 };
}

async function figure(shape: Shape, random: Random): Promise<Figure> {
  const { m } = shape;
  const widths = Array.from({ length: 2 * m }, (_, k) => k + 1);
  const rows: { readonly n: number; readonly fit: WideLayerFit }[] = [];
  for (const n of widths) {
    const { features, x, y } = drawProblem({ ...shape, n }, random);
    rows.push({ n, fit: await fitWideLayer(features, x, y) });
  }
  const way = async (n: number) => {
    const { features, x, y } = drawProblem({ ...shape, n }, random);
    const fit = await fitWideLayer(features, x, y);
    const start: Matrix = { rows: n, columns: outputs, entries: random.split("start").normal(n * outputs) };
    return Array.from(
      { length: 41 },
      (_, k) => [k / 40, riskOn(fit, y, between(start, fit.weights, k / 40))] as const,
    );
  };
  const [wide, narrow] = [await way(m), await way(Math.max(1, Math.floor(m / 2)))];
  return {
    title: `${m} examples, and layers of different widths`,
    panels: [
      {
        title: "The way to the best linear map",
        x: { label: "λ" },
        y: { label: "risk" },
        series: [
          { name: `${m} neurons`, mark: "dots", role: "measured", points: wide },
          {
            name: "(1 - λ)² r(0)",
            mark: "line",
            role: "theory",
            points: wide.map(([t]) => [t, (1 - t) ** 2 * wide[0]![1]]),
          },
          {
            name: `${Math.max(1, Math.floor(m / 2))} neurons`,
            mark: "line",
            role: "measured",
            points: narrow,
          },
        ],
      },
      {
        title: "What is left by width",
        x: { label: "neurons n" },
        y: { label: "root of the sum of squares", scale: "log" },
        series: [
          {
            name: "best linear map",
            mark: "dots",
            role: "measured",
            points: rows.map(({ n, fit }) => [n, Math.max(1e-17, fit.residual)]),
          },
          {
            name: "2⁻⁵³ times the condition number",
            mark: "line",
            role: "theory",
            points: rows.map(({ n, fit }) => [n, 2 ** -53 * fit.condition]),
          },
        ],
      },
    ],
  };
}
