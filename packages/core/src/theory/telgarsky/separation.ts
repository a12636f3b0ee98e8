import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { randomNetwork } from "../../networks/layers/random.ts";
import { sawtoothSpline, triangle } from "../../networks/triangle/triangle.ts";
import { type Exact, min, sign, toNumber } from "../../numbers/exact/rational.ts";
import { l1Distance } from "../../passes/distance.ts";
import { pieceLimit, sawtoothDistanceBound } from "../../passes/piece-bounds.ts";
import { linearPieces, slopes } from "../../passes/pieces.ts";
import { sizes } from "../../passes/sizes.ts";
import { atLeast, atMost, checked, equals, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { greatestError, grid, steepest, unitCurve } from "../line.ts";
import { integer } from "../parameter.ts";
import { distanceToSawtooth, sawtoothRival, separationSeries } from "./rivals.ts";

export default lemma({
  id: "T-31",
  covers: ["T-31"],
  kind: "bound",
  title: "Depth separation in L1",
  source: "Telgarsky, Theorem 4.4",
  statement: String.raw`\int_0^1 |\Delta^{L^2+2} - g| \ge \tfrac{3}{32} > \tfrac{1}{32} \text{ for every ReLU network } g \text{ with } \le L \text{ layers and } \le 2^L \text{ nodes}, \; L \ge 2`,
  parameters: {
    L: integer({ min: 2, max: 3, default: 2, label: "layers of the shallow network" }),
    N: integer({ min: 1, max: 64, default: 16, label: "pieces of a free rival" }),
  },
  claims: {
    "shallow networks, least L1 error found": atLeast(String.raw`\tfrac{1}{32}`).loose({
      where: "Theorem 4.4",
      printed: String.raw`\int_{[0,1]} |f(x) - g(x)| dx \geq \frac{1}{32}`,
      corrected: String.raw`\tfrac18 - N 2^{-k-3} \text{ for } N \text{ pieces and } k = L^2 + 2, \text{ which is } \tfrac{3}{32} \text{ at } N = 2^{L^2}`,
    }),
    "shallow networks, sharper": atLeast(String.raw`\tfrac18 - \tfrac18 2^{-2} = \tfrac{3}{32}`).looseBy(2),
    "pieces that at most L layers and 2^L nodes allow": atMost("2^{L^2}").printed().looseBy(1.7),
    "N pieces: L1 error": atLeast(String.raw`\tfrac18 - N 2^{-k-3}, \; k = L^2 + 2`).looseBy(1.9),
    "N pieces: L1 error, as in the proof": atLeast(String.raw`\tfrac12 (2^k - 1 - 2N) 2^{-k-2}`)
      .printed()
      .looseBy(1.9),
    "N pieces: L1 error of the spline built": equals(
      String.raw`\tfrac14 \left(1 - (N - \tfrac32) 2^{-k}\right) \; (N \ge 2), \; \tfrac14 \; (N = 1)`,
    ),
    "deep network, L1 error": equals("0"),
    "deep network, hidden layers": equals("L^2 + 2"),
    "deep network, hidden units": equals("2 L^2 + 4"),
    "deep network, nodes": atMost("3 L^2 + 6").printed(),
    "deep network, Lipschitz constant": equals("2^{L^2+2}").printed(),
    "deep network, changes of direction": equals("2^{L^2+2} - 1").printed(),
    "deep network, error on ONNX Runtime": equals("0"),
  },
  mutants: {
    "the area on both sides of 1/2": {
      "N pieces: L1 error": ({ L, N }) => 1 / 4 - N * 2 ** -(L ** 2 + 5),
    },
    "a crossing for each end of a piece": {
      "N pieces: L1 error of the spline built": ({ L, N }) => (1 - (N - 1) / 2 ** (L ** 2 + 2)) / 4,
    },
    "L^2 + 1 iterations": {
      "deep network, changes of direction": ({ L }) => 2 ** (L ** 2 + 1) - 1,
      "deep network, hidden layers": ({ L }) => L ** 2 + 1,
    },
  },
  async run({ L, N }, { random, budget, progress }) {
    const k = L ** 2 + 2;
    const deep = triangle(k);
    const f = linearPieces(deep, 0, 1);
    const slope = slopes(f);
    const error = (g: Graph): Exact => l1Distance(f, linearPieces(g, 0, 1)).lower;
    await progress(0.3);
    const attacks = [
      ...Array.from({ length: L }, (_, l) => sawtoothRival(k, l + 1, 2 ** L)),
      randomNetwork(random, [1, ...Array<number>(L).fill(Math.floor(2 ** L / L)), 1], {
        density: 1,
        denominator: 8,
      }),
    ];
    const least = attacks.map(error).reduce(min);
    await progress(0.6);
    const spline = error(sawtoothSpline(k, N));
    const layersOfNodes = Array.from({ length: L }, (_, l) => pieceLimit(2 ** L, l + 1));
    const { hiddenUnits, depth } = sizes(deep);
    const onLine = sizes(triangle(k, { domain: "line" })).hiddenUnits!;
    return {
      graph: deep,
      ...(budget !== "cheap" && { figure: figure(L) }),
      claims: {
        "shallow networks, least L1 error found": proved(least, 1 / 32),
        "shallow networks, sharper": proved(least, 3 / 32),
        "pieces that at most L layers and 2^L nodes allow": checked(Math.max(...layersOfNodes), 2 ** (L * L)),
        "N pieces: L1 error": proved(spline, sawtoothDistanceBound(k, N)),
        "N pieces: L1 error, as in the proof": proved(spline, (2 ** k - 1 - 2 * N) / 2 ** (k + 3)),
        "N pieces: L1 error of the spline built": proved(
          spline,
          N === 1 ? 1 / 4 : (1 - (N - 1.5) / 2 ** k) / 4,
        ),
        "deep network, L1 error": proved(distanceToSawtooth(k, deep), 0),
        "deep network, hidden layers": checked(depth, k),
        "deep network, hidden units": checked(hiddenUnits!, 2 * k),
        "deep network, nodes": checked(onLine, 3 * k),
        "deep network, Lipschitz constant": proved(steepest(slope), 2 ** k),
        "deep network, changes of direction": proved(
          slope.slice(1).filter((s, j) => sign(s) !== sign(slope[j]!)).length,
          2 ** k - 1,
        ),
        "deep network, error on ONNX Runtime": sampled(
          await greatestError(deep, grid(2 ** k), (x) => (x * 2 ** k) % 2),
          0,
        ),
      },
    };
  },
});

function figure(L: number): Figure {
  const k = L ** 2 + 2;
  const drawn = Math.min(k, 6); // the picture needs a sawtooth that can be seen
  const shallow = sawtoothRival(drawn, L, 2 ** L);
  const pieces = Array.from({ length: drawn * 2 + 1 }, (_, j) => Math.max(1, Math.round(2 ** (j / 2))));
  return {
    title: `Depth separation, L = ${L}: ${2 * k} units in ${k} layers against any ${2 ** L} in ${L}`,
    panels: [
      {
        title: `The sawtooth and the best built with ${2 ** L} units in ${L} layers`,
        x: { label: "x" },
        y: { label: "value" },
        series: [
          {
            name: `triangle map, ${drawn} times`,
            mark: "line",
            role: "theory",
            points: unitCurve(triangle(drawn)),
          },
          { name: "shallow network", mark: "line", points: unitCurve(shallow) },
        ],
      },
      {
        title: `L1 error against hidden units, 2^${drawn} pieces`,
        x: { label: "hidden units", scale: "log" },
        y: { label: "L1 error" },
        series: [
          ...[1, L, drawn].flatMap((depth) => separationSeries(drawn, depth)),
          {
            name: `theorem, up to ${L} layers and ${2 ** L} units: 1/32`,
            mark: "line",
            role: "theory",
            points: [1, 2 ** L].map((u) => [u, 1 / 32]),
          },
        ],
      },
      {
        title: "L1 error against linear pieces",
        x: { label: "linear pieces", scale: "log" },
        y: { label: "L1 error" },
        series: [
          {
            name: "best spline built",
            mark: "line",
            points: pieces.map((n) => [n, toNumber(distanceToSawtooth(drawn, sawtoothSpline(drawn, n)))]),
          },
          {
            name: "lower bound, 1/8 - pieces / 2^(k+3)",
            mark: "line",
            role: "theory",
            points: pieces.map((n) => [n, toNumber(sawtoothDistanceBound(drawn, n))]),
          },
          {
            name: "as in the proof",
            mark: "line",
            role: "theory",
            points: pieces.map((n) => [n, Math.max(0, (2 ** drawn - 1 - 2 * n) / 2 ** (drawn + 3))]),
          },
        ],
      },
    ],
  };
}
