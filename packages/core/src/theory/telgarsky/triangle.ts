import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { affine, compose } from "../../networks/calculus/calculus.ts";
import { randomNetwork } from "../../networks/layers/random.ts";
import { sawtooth, sawtoothSpline, triangle } from "../../networks/triangle/triangle.ts";
import { compare, type Exact, mul, sign, sub, toNumber } from "../../numbers/exact/rational.ts";
import { l1Distance } from "../../passes/distance.ts";
import { evaluate, linearPieces, type PiecewiseLinear, slopes } from "../../passes/pieces.ts";
import { sizes } from "../../passes/sizes.ts";
import { atLeast, checked, equals, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import {
  fractionalPart,
  greatestError,
  grid,
  pieceCount,
  steepest,
  triangleOf,
  unitCurve,
  valuesAt,
} from "../line.ts";
import { integer } from "../parameter.ts";

export default lemma({
  id: "T-22",
  covers: ["T-22", "T-23", "T-25", "C1a-50"],
  kind: "construction",
  title: "The triangle map and its iterates",
  source: "Telgarsky, section 4.1 and Proposition 4.1; book, equation (1.32)",
  statement: String.raw`\Delta(x) = 2\sigma(x) - 4\sigma(x - \tfrac12) + 2\sigma(x - 1), \qquad \Delta^L(x) = \Delta(\langle 2^{L-1} x \rangle) \text{ on } [0,1]`,
  parameters: {
    L: integer({ min: 1, max: 8, default: 5, label: "iterations" }),
    q: integer({ min: 2, max: 5, default: 3, label: "teeth of the zigzag" }),
    p: integer({ min: 1, max: 40, default: 9, label: "pieces of a shallow rival" }),
  },
  claims: {
    "linear pieces on [0, 1]": equals("2^L"),
    "linear pieces on the line": equals("2^L + 2"),
    "Lipschitz constant": equals("2^L"),
    "changes of direction": equals("2^L - 1"),
    integral: equals(String.raw`\tfrac12`),
    spikes: equals("2^{L-1}"),
    "spikes, as printed": equals("2^L").printed({
      where: "book, section 1.3.2, after equation (1.32)",
      printed: String.raw`the $n$-fold convolution $h_n(x) := h \circ \dots \circ h$ produces a sawtooth function with $2^n$ spikes`,
      corrected: "$2^{n-1}$ spikes ($2^n$ affine pieces): $h_1 = h$ has one",
    }),
    "values at k / 2^L that are not k mod 2": equals("0"),
    "fractal identity on [0, 1]": equals(
      String.raw`\sup |\Delta^L(x) - \Delta(\langle 2^{L-1} x \rangle)| = 0`,
    ),
    "copies of a symmetric function": equals(
      String.raw`\sup |f(\Delta^L(x)) - f(\langle 2^L x \rangle)| = 0`,
    ),
    "hidden units": equals("2L"),
    "hidden units on the line": equals("3L"),
    "hidden layers": equals("L"),
    "error on ONNX Runtime": equals("0"),
    "zigzags, linear pieces": equals(String.raw`q^L \; (L \le 4)`),
    "zigzags, hidden units": equals(String.raw`qL \; (L \le 4)`),
    "alternating labels that p pieces miss": atLeast(String.raw`\tfrac12 \left(1 - (p + 1) 2^{-L}\right)`),
  },
  mutants: {
    "one piece for each tooth": { "linear pieces on [0, 1]": ({ L }) => 2 ** (L - 1) },
    "the end pieces on the line forgotten": { "linear pieces on the line": ({ L }) => 2 ** L },
    "p crossings where p - 1 are possible": {
      "alternating labels that p pieces miss": ({ L, p }) => (1 - (Math.min(p, 2 ** L) - 1) / 2 ** L) / 2,
    },
  },
  async run({ L, q, p }, { random, progress, budget }) {
    const network = triangle(L);
    const onLine = triangle(L, { domain: "line" });
    const f = linearPieces(network, 0, 1);
    const line = linearPieces(onLine, -1, 2);
    const slope = slopes(f);
    await progress(0.3);
    const depth = Math.min(L, 4);
    const zigzags = sawtooth(Array(depth).fill(q));
    const symmetric = symmetricFunction(randomNetwork(random, [1, 4, 1], { density: 1, denominator: 8 }));
    const pieces = Math.min(p, 2 ** L);
    return {
      graph: network,
      ...(budget !== "cheap" && { figure: figure(L) }),
      claims: {
        "linear pieces on [0, 1]": proved(pieceCount(f), 2 ** L),
        "linear pieces on the line": proved(pieceCount(line), 2 ** L + 2),
        "Lipschitz constant": proved(steepest(slope), 2 ** L),
        "changes of direction": proved(
          slope.slice(1).filter((s, k) => sign(s) !== sign(slope[k]!)).length,
          2 ** L - 1,
        ),
        integral: proved(l1Distance(f, { knots: [0, 1], values: [0, 0] }).upper, 1 / 2),
        spikes: proved(spikes(f), 2 ** (L - 1)),
        "spikes, as printed": proved(spikes(f), 2 ** L),
        "values at k / 2^L that are not k mod 2": proved(
          grid(2 ** L).filter((x, k) => compare(evaluate(f, x), k % 2) !== 0).length,
          0,
        ),
        // Both sides are linear between neighbours k / 2^L: they agree if they do at those points and between.
        "fractal identity on [0, 1]": proved(fractalGap(f, L, grid(2 ** (L + 1))), 0),
        "copies of a symmetric function": checked(copyGap(symmetric, L), 0),
        "hidden units": checked(sizes(network).hiddenUnits!, 2 * L),
        "hidden units on the line": checked(sizes(onLine).hiddenUnits!, 3 * L),
        "hidden layers": checked(sizes(network).depth, L),
        "error on ONNX Runtime": sampled(
          await greatestError(network, grid(3 * 2 ** L), (x) => toNumber(evaluate(f, x))),
          0,
          { tolerance: 2 ** L * 2 ** -51 }, // each layer rounds once, and later layers double that
        ),
        "zigzags, linear pieces": proved(pieceCount(linearPieces(zigzags, 0, 1)), q ** depth),
        "zigzags, hidden units": checked(sizes(zigzags).hiddenUnits!, q * depth),
        "alternating labels that p pieces miss": checked(
          await missed(sawtoothSpline(L, pieces), L),
          (1 - (pieces + 1) / 2 ** L) / 2,
        ),
      },
    };
  },
});

/** Local maxima inside the interval. */
function spikes(f: PiecewiseLinear): number {
  const slope = slopes(f);
  return slope.slice(1).filter((s, k) => sign(slope[k]!) > 0 && sign(s) < 0).length;
}

/** The greatest |f(x) - D(<2^(L-1) x>)| at points whose coordinates are short enough for doubles to be exact. */
const fractalGap = (f: PiecewiseLinear, L: number, points: readonly number[]): number =>
  points.reduce(
    (worst, x) =>
      Math.max(worst, Math.abs(toNumber(evaluate(f, x)) - triangleOf(fractionalPart(2 ** (L - 1) * x)))),
    0,
  );

/** x -> g(min(x, 1 - x)) as a network: min(x, 1 - x) is half of the triangle map. */
const symmetricFunction = (g: Graph): Graph => compose(g, compose(affine([[1 / 2]]), triangle()));

/** The greatest |f(D^L(x)) - f(<2^L x>)| at the bends of either side. */
function copyGap(symmetric: Graph, L: number): Exact {
  const levels = Math.min(L, 5); // 2^5 copies are plenty
  const [f, copies] = [
    linearPieces(symmetric, 0, 1),
    linearPieces(compose(symmetric, triangle(levels)), 0, 1),
  ];
  return copies.knots.reduce<number>((worst, t, k) => {
    const inner = sub(
      mul(t, 2 ** levels),
      Math.min(Math.floor(toNumber(mul(t, 2 ** levels))), 2 ** levels - 1),
    );
    return Math.max(worst, Math.abs(toNumber(sub(copies.values[k]!, evaluate(f, inner)))));
  }, 0);
}

/** The share of the labels k mod 2 at k / 2^L, k < 2^L, that 1[g >= 1/2] does not give. */
async function missed(network: Graph, L: number): Promise<number> {
  const values = await valuesAt(network, grid(2 ** L).slice(0, -1));
  return values.reduce((count, v, k) => count + (Number(v >= 1 / 2) === k % 2 ? 0 : 1), 0) / 2 ** L;
}

function figure(L: number): Figure {
  const levels = Array.from({ length: 12 }, (_, k) => k + 1);
  return {
    title: `The triangle map: ${2 * L} units in ${L} layers make ${2 ** L} linear pieces`,
    panels: [
      {
        title: "Iterates",
        x: { label: "x" },
        y: { label: "value" },
        series: [1, 2, Math.max(3, L)].map((k) => ({
          name: `D composed ${k === 1 ? "once" : `${k} times`}`,
          mark: "line" as const,
          points: unitCurve(triangle(k)),
        })),
      },
      {
        title: "Linear pieces against hidden units",
        x: { label: "hidden units" },
        y: { label: "linear pieces on [0, 1]", scale: "log" },
        series: [
          {
            name: "deep, measured: two units a layer",
            mark: "dots",
            points: levels
              .filter((k) => k <= 10)
              .map((k) => [2 * k, pieceCount(linearPieces(triangle(k), 0, 1))]),
          },
          {
            name: "theory: 2^(units / 2)",
            mark: "line",
            role: "theory",
            points: levels.map((k) => [2 * k, 2 ** k]),
          },
          {
            name: "one hidden layer, measured: one zigzag",
            mark: "dots",
            points: levels.map((k) => [2 * k, pieceCount(linearPieces(sawtooth([2 * k]), 0, 1))]),
          },
          {
            name: "the most for one hidden layer: units + 1",
            mark: "line",
            role: "theory",
            points: levels.map((k) => [2 * k, 2 * k + 1]),
          },
        ],
      },
    ],
  };
}
