import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { layersOf } from "../../networks/layers/layers.ts";
import { uniformKnots } from "../../networks/spline/knots.ts";
import { splineRounding } from "../../networks/spline/rounding.ts";
import { interpolationError, interpolationPieces, spline } from "../../networks/spline/spline.ts";
import { abs, add, compare, div, type Exact, max, mul, sub, toNumber } from "../../numbers/exact/rational.ts";
import type { Random } from "../../numbers/random.ts";
import { evaluate, linearPieces, type PiecewiseLinear } from "../../passes/pieces.ts";
import { sizes } from "../../passes/sizes.ts";
import { atMost, checked, equals, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { valuesAt } from "../line.ts";
import { choice, integer, real } from "../parameter.ts";

export default lemma({
  id: "C1a-47",
  covers: ["C1a-47"],
  kind: "construction",
  title: "Interpolating a Lipschitz function",
  source: "Berner, Grohs, Kutyniok and Petersen, section 1.3, after Theorem 1.24",
  statement: String.raw`\Phi(x) = f(0) + \sum_{j=0}^{n-1} (s_j - s_{j-1}) (x - \tfrac{j}{n})_+, \qquad |f - \Phi| \le 2 C h t (1 - t) \le \tfrac{1}{2} C h, \quad x = (j + t) h`,
  parameters: {
    f: choice(["walk", "zigzag", "kink"], { label: "function" }),
    C: integer({ min: 1, max: 8, default: 4, label: "Lipschitz constant" }),
    eps: real({ min: 0.1, max: 2, default: 0.2, label: "error ε" }),
  },
  claims: {
    "sup error": atMost(String.raw`\tfrac{1}{2} C h + \text{rounding of the weights}`),
    "sup error for ε": atMost(String.raw`\varepsilon`),
    "sup error over 2Cht(1 - t)": atMost(String.raw`\text{rounding of the weights}`),
    "sup error of the worst function": equals(String.raw`\tfrac{1}{2} C h`),
    "rounding of the weights": equals("0"),
    units: equals(String.raw`\lceil C / 2 \varepsilon \rceil`),
    "linear pieces on the whole line": atMost("n + 1"),
    "error on ONNX Runtime": equals("sup error"),
  },
  mutants: {
    "⌈C/ε⌉ units": { units: ({ C, eps }) => Math.ceil(C / eps) },
    "Ch/4 for Ch/2": { "sup error of the worst function": (_, { theory }) => theory / 2 },
    "no piece left of the first knot": { "linear pieces on the whole line": (_, { theory }) => theory - 1 },
  },
  async run({ f: name, C, eps }, { random }) {
    const n = interpolationPieces({ lipschitz: C }, 1, eps);
    const f = functions[name](C, n, random);
    const knots = uniformKnots([0, 1], n);
    const values = knots.map((x) => toNumber(evaluate(f, x)));
    const network = spline(knots, values);
    const error = compareWith(linearPieces(network, 0, 1), f, knots, C);
    // Weights and run, and the points and values of f, which are of size C at most.
    const rounding = splineRounding(knots, values) + 2 * C * 2 ** -52;
    const least = Math.min(...layersOf(network).layers[0]!.bias.map((b) => -b));
    return {
      graph: network,
      figure: figure(network, f, error, C, knots),
      claims: {
        "sup error": proved(error.sup, add(div(mul(C, widest(knots)), 2), error.rounding)),
        "sup error for ε": checked(error.sup, eps, { tolerance: rounding }),
        "sup error over 2Cht(1 - t)": proved(error.overEnvelope, error.rounding),
        // Dyadic knots and values, so that nothing is rounded.
        ...(name === "zigzag" && Number.isInteger(Math.log2(n))
          ? {
              "sup error of the worst function": proved(
                error.sup,
                interpolationError({ lipschitz: C }, 1 / n),
              ),
            }
          : {}),
        "rounding of the weights": proved(error.rounding, 0, { tolerance: rounding }),
        units: checked(sizes(network).hiddenUnits!, Math.max(1, Math.ceil(C / (2 * eps)))),
        "linear pieces on the whole line": proved(
          linearPieces(network, least - 1, 2).knots.length - 1,
          n + 1,
        ),
        "error on ONNX Runtime": sampled(await runtimeError(network, error), toNumber(error.sup), {
          tolerance: rounding,
        }),
      },
    };
  },
});

/** C-Lipschitz functions on [0, 1], piecewise linear, so that all distances are exact. */
const functions: Readonly<
  Record<"walk" | "zigzag" | "kink", (C: number, n: number, random: Random) => PiecewiseLinear>
> = {
  /** Slopes C and -C by the toss of a coin, 256 times. */
  walk(C, _, random) {
    const values: number[] = [0];
    for (let k = 0; k < 256; k++) values.push(values[k]! + (random.integer(0, 1) === 1 ? C : -C) / 256);
    return { knots: values.map((_, k) => k / 256), values };
  },
  /** Up by C h / 2 and down again within each piece: no function is worse. */
  zigzag(C, n) {
    const knots = Array.from({ length: 2 * n + 1 }, (_, k) => div(k, 2 * n));
    return { knots, values: knots.map((_, k) => (k % 2 === 0 ? 0 : div(C, 2 * n))) };
  },
  /** C |x - 1/3|. */
  kink: (C) => ({ knots: [0, div(1, 3), 1], values: [div(C, 3), 0, div(2 * C, 3)] }),
};

const widest = (knots: readonly number[]): Exact =>
  knots.slice(1).reduce<Exact>((most, x, j) => max(most, sub(x, knots[j]!)), 0);

interface Comparison {
  readonly points: readonly { readonly x: Exact; readonly f: Exact; readonly gap: Exact }[];
  readonly sup: Exact;
  /** max |Phi - f| at the knots. */
  readonly rounding: Exact;
  /** max(|Phi - f| - 2 C h t (1 - t)): between its corners |Phi - f| is convex, and the envelope concave. */
  readonly overEnvelope: Exact;
}

function compareWith(
  phi: PiecewiseLinear,
  f: PiecewiseLinear,
  knots: readonly number[],
  C: number,
): Comparison {
  const xs = [...phi.knots, ...f.knots, ...knots]
    .sort(compare)
    .filter((x, k, all) => k === 0 || compare(x, all[k - 1]!) > 0);
  let [sup, rounding, overEnvelope]: [Exact, Exact, Exact] = [0, 0, -C];
  let j = 0;
  const points = xs.map((x) => {
    while (j + 2 < knots.length && compare(knots[j + 1]!, x) <= 0) j++;
    const value = evaluate(f, x);
    const gap = sub(evaluate(phi, x), value);
    const [from, to] = [knots[j]!, knots[j + 1]!];
    // 2 C h t (1 - t) with t = (x - from) / h, 1 - t = (to - x) / h.
    const envelope = div(mul(2 * C, mul(sub(x, from), sub(to, x))), sub(to, from));
    sup = max(sup, abs(gap));
    overEnvelope = max(overEnvelope, sub(abs(gap), envelope));
    if (compare(x, from) === 0 || compare(x, to) === 0) rounding = max(rounding, abs(gap));
    return { x, f: value, gap };
  });
  return { points, sup, rounding, overEnvelope };
}

async function runtimeError(network: Graph, { points }: Comparison): Promise<number> {
  const y = await valuesAt(
    network,
    points.map(({ x }) => toNumber(x)),
  );
  return points.reduce((most, { f }, k) => Math.max(most, Math.abs(y[k]! - toNumber(f))), 0);
}

function figure(
  network: Graph,
  f: PiecewiseLinear,
  error: Comparison,
  C: number,
  knots: readonly number[],
): Figure {
  const curve = ({ knots: t, values }: PiecewiseLinear) =>
    t.map((x, k) => [toNumber(x), toNumber(values[k]!)] as const);
  const n = knots.length - 1;
  const envelope = Array.from({ length: 16 * n + 1 }, (_, k) => {
    const t = (k % 16) / 16;
    return [k / 16 / n, ((2 * C) / n) * t * (1 - t)] as const;
  });
  return {
    title: `${n} ReLUs interpolate a function with Lipschitz constant ${C}`,
    panels: [
      {
        title: "The function and its interpolant",
        x: { label: "x" },
        y: { label: "value" },
        series: [
          { name: "f", mark: "line", points: curve(f) },
          { name: "network", mark: "line", points: curve(linearPieces(network, 0, 1)) },
        ],
      },
      {
        title: "Error, and the most it can be",
        x: { label: "x" },
        y: { label: "|Φ(x) - f(x)|" },
        series: [
          {
            name: "error, exact",
            mark: "line",
            points: error.points.map(({ x, gap }) => [toNumber(x), toNumber(abs(gap))]),
          },
          { name: "theory: 2Cht(1 - t)", mark: "line", role: "theory", points: envelope },
          {
            name: "theory: Ch/2",
            mark: "line",
            role: "theory",
            points: [
              [0, C / (2 * n)],
              [1, C / (2 * n)],
            ],
          },
        ],
      },
    ],
  };
}
