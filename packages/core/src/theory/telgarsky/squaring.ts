import { type Figure, type Panel, power } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { square } from "../../networks/square/square.ts";
import { add, type Exact, sub, toNumber } from "../../numbers/exact/rational.ts";
import { distanceToQuadratic } from "../../passes/distance.ts";
import { linearPieces, type PiecewiseLinear } from "../../passes/pieces.ts";
import { sizes } from "../../passes/sizes.ts";
import { atLeast, atMost, checked, equals, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { curve, greatestError, grid } from "../line.ts";
import { integer } from "../parameter.ts";

export default lemma({
  id: "T-27",
  covers: ["T-27", "C1a-51"],
  kind: "construction",
  title: "Squaring with logarithmically many units",
  source: "Telgarsky, Theorem 4.2",
  statement: String.raw`h_i = x - \sum_{j=1}^{i} \frac{\Delta^j(x)}{4^j}, \qquad \sup_{x \in [0,1]} |h_i(x) - x^2| = 4^{-i-1}`,
  parameters: { i: integer({ min: 1, max: 12, default: 6, label: "levels" }) },
  claims: {
    "sup error": equals("4^{-i-1}"),
    "least error (one-sided)": atLeast("0"),
    "squared L2 error": equals("16^{-i} / 30"),
    "slope error": equals("2^{-i}"),
    "sup error, lowered by half of it": equals(
      String.raw`\tfrac{1}{8} 4^{-i}, \text{ the best for } 2^i \text{ pieces}`,
    ),
    "linear pieces": equals("2^i"),
    "error on ONNX Runtime": equals("4^{-i-1}"),
    "hidden units": equals("3i - 1"),
    "hidden layers": equals("i"),
    "affine maps": equals("i + 1"),
    "Telgarsky layers": equals("2i"),
    "neurons with input and output": equals("3i + 1"),
    "nonzero weights": equals("8i - 3"),
    parameters: equals(String.raw`12i - 7 \; (i \ge 2), \; 7 \; (i = 1)`),
    "pure network, nodes": atMost("5i").loose({
      where: "Theorem 4.2, part 1",
      printed:
        "$h_i$ can be written as a ReLU network consisting of $2i$ layers and $3i$ nodes using “skip connections”, or a pure ReLU network with $2i$ layers and $5i$ nodes",
      corrected: "$3i - 1$ nodes, without skip connections",
    }),
    "pure network, layers": atMost("2i").printed(),
    "refinement, bracket": equals("4^{-i-1} [2 - (-1)], k = 0").printed({
      where: "section 4.1, the value of h_i - h_{i+1} at x = (2k + 1) / 2^{i+1}",
      printed: String.raw`h_i(x) - h_{i+1}(x) = [...] = \frac{1}{4^{i+1}} \left[ 2k^2 + (2k^2 + 4k + 2) - (4k^2 + 4k - 1) \right]`,
      corrected: String.raw`\frac{1}{4^{i+1}} \left[ 2k^2 + (2k^2 + 4k + 2) - (4k^2 + 4k + 1) \right]`,
    }),
    "refinement, scale": equals("4^{-k-1}, k = 0").printed({
      where: "section 4.1, the next display, again for x = (2k + 1) / 2^{i+1}",
      printed: String.raw`h_i(x) - h_{i+1}(x) = \frac{1}{4^{k+1}} \Delta^{i+1}(x)`,
      corrected: String.raw`h_i(x) - h_{i+1}(x) = \frac{1}{4^{i+1}} \Delta^{i+1}(x)`,
    }),
    "refinement, sign": equals("4^{-i-1}").printed({
      where: "proof of Theorem 4.2, part 1",
      printed: String.raw`h_{j+1} - h_j = \Delta^{j+1} / 4^{j+1}`,
      corrected: String.raw`h_{j+1} - h_j = -\Delta^{j+1} / 4^{j+1}`,
    }),
  },
  mutants: {
    "exponent off by one": { "sup error": ({ i }) => 4 ** -i },
    "an output unit too few": { "hidden units": ({ i }) => 3 * i - 2 },
    "a level lost": ({ i }) => ({ i: i - 1 }),
  },
  async run({ i }, { progress }) {
    const network = square(i);
    const h = linearPieces(network, 0, 1);
    await progress(0.4);
    const finer = linearPieces(square(i + 1), 0, 1);
    await progress(0.8);
    const error = distanceToQuadratic(h, [0, 0, 1]);
    const lowered = distanceToQuadratic(shifted(h, -(4 ** -i) / 8), [0, 0, 1]);
    const change = sub(finer.values[1]!, average(h.values[0]!, h.values[1]!)); // h_{i+1} - h_i at 2^{-i-1}
    const { hiddenUnits, depth, nonzeros, parameters } = sizes(network);
    return {
      graph: network,
      figure: figure(i, h),
      claims: {
        "sup error": proved(error.sup, 4 ** -(i + 1)),
        "least error (one-sided)": proved(error.least, 0),
        "squared L2 error": proved(error.squaredL2, { numerator: 1n, denominator: 30n * 16n ** BigInt(i) }),
        "slope error": proved(error.slope, 2 ** -i),
        "sup error, lowered by half of it": proved(lowered.sup, 4 ** -i / 8),
        "linear pieces": proved(h.knots.length - 1, 2 ** i),
        "error on ONNX Runtime": sampled(await runtimeError(network, i), 4 ** -(i + 1)),
        "hidden units": checked(hiddenUnits!, 3 * i - 1),
        "hidden layers": checked(depth, i),
        "affine maps": checked(depth + 1, i + 1),
        "Telgarsky layers": checked(2 * depth, 2 * i),
        "neurons with input and output": checked(hiddenUnits! + 2, 3 * i + 1),
        "nonzero weights": checked(nonzeros, 8 * i - 3),
        parameters: checked(parameters, i === 1 ? 7 : 12 * i - 7),
        "pure network, nodes": checked(hiddenUnits!, 5 * i),
        "pure network, layers": checked(2 * depth, 2 * i),
        "refinement, bracket": proved(sub(0, change), 3 * 4 ** -(i + 1)),
        "refinement, scale": proved(sub(0, change), 1 / 4),
        "refinement, sign": proved(change, 4 ** -(i + 1)),
      },
    };
  },
});

const average = (a: Exact, b: Exact): Exact => toNumber(add(a, b)) / 2;
const shifted = (f: PiecewiseLinear, by: number): PiecewiseLinear => ({
  ...f,
  values: f.values.map((v) => add(v, by)),
});

/** The greatest error at the knots of h_{i+1}: half of them are where the error of h_i is greatest. */
const runtimeError = (network: Graph, i: number): Promise<number> =>
  greatestError(network, grid(2 ** (i + 1)), (x) => x * x);

function figure(i: number, h: PiecewiseLinear): Figure {
  const interpolants: Panel = {
    title: "Interpolants of the square",
    x: { label: "x" },
    y: { label: "value" },
    series: [
      { name: "x²", mark: "line", role: "theory", points: grid(200).map((x) => [x, x * x]) },
      { name: "h, i = 1", mark: "line", points: curve(linearPieces(square(1), 0, 1)) },
      { name: "h, i = 2", mark: "line", points: curve(linearPieces(square(2), 0, 1)) },
    ],
  };
  const shown = Math.min(2 ** i, 16);
  const samples = Array.from({ length: 16 * shown + 1 }, (_, k) => k / 16 / 2 ** i);
  const line = (x: number) => {
    const k = Math.min(Math.floor(x * 2 ** i), 2 ** i - 1);
    return (
      toNumber(h.values[k]!) +
      (x - k / 2 ** i) * (toNumber(h.values[k + 1]!) - toNumber(h.values[k]!)) * 2 ** i
    );
  };
  const error: Panel = {
    title: `Error of h, i = ${i}${shown < 2 ** i ? ", first 16 pieces" : ""}`,
    x: { label: "x" },
    y: { label: "h(x) - x²" },
    series: [
      { name: "error", mark: "line", points: samples.map((x) => [x, line(x) - x * x]) },
      {
        name: `theory: at most ${power(4, -(i + 1))}`,
        mark: "line",
        role: "theory",
        points: [0, shown / 2 ** i].map((x) => [x, 4 ** -(i + 1)]),
      },
    ],
  };
  return {
    title: `Squaring with ${3 * i - 1} ReLUs: sup error ${power(4, -(i + 1))}`,
    panels: [interpolants, error, decay(i)],
  };
}

function decay(i: number): Panel {
  const levels = Array.from({ length: Math.max(i, 4) }, (_, k) => k + 1);
  return {
    title: "Error against hidden units",
    x: { label: "hidden units" },
    y: { label: "sup error", scale: "log" },
    series: [
      {
        name: "measured, exact",
        mark: "dots",
        points: levels.filter((j) => j <= 8).map((j) => [sizes(square(j)).hiddenUnits!, exactSup(j)]),
      },
      {
        name: "theory: 4^(-i-1) with 3i - 1 units",
        mark: "line",
        role: "theory",
        points: levels.map((j) => [3 * j - 1, 4 ** -(j + 1)]),
      },
      {
        name: "lower bound for one hidden layer: 1/(8 (units + 1)²)",
        mark: "line",
        role: "theory",
        points: levels.map((j) => [3 * j - 1, 1 / (8 * (3 * j) ** 2)]),
      },
    ],
  };
}

const exactSup = (levels: number): number =>
  toNumber(distanceToQuadratic(linearPieces(square(levels), 0, 1), [0, 0, 1]).sup);
