import type { Figure, Panel } from "../../figure/figure.ts";
import { randomNetwork } from "../../networks/layers/random.ts";
import { triangle } from "../../networks/triangle/triangle.ts";
import { sign, sub, toNumber } from "../../numbers/exact/rational.ts";
import { l1Distance } from "../../passes/distance.ts";
import { leastUnits, pieceLimit, sawtoothDistanceBound } from "../../passes/piece-bounds.ts";
import { evaluate, linearPieces, type PiecewiseLinear } from "../../passes/pieces.ts";
import { sizes } from "../../passes/sizes.ts";
import { atLeast, atMost, checked, equals, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { greatestError, grid, pieceCount, unitCurve } from "../line.ts";
import { integer } from "../parameter.ts";
import { distanceToSawtooth, leastComplete, sawtoothRival, separationSeries } from "../telgarsky/rivals.ts";

export default lemma({
  id: "C3-35",
  covers: ["C3-35"],
  kind: "bound",
  title: "A sawtooth that shallow networks cannot follow",
  source: "Book, section 3.7 (Telgarsky 2016)",
  statement: String.raw`\int_0^1 |g_m - h| \ge \frac18 \left(1 - \frac{p}{2^m}\right) \text{ for every } h \text{ with } p \text{ affine pieces}, \quad p \le \left(1 + \frac{s}{k}\right)^k`,
  parameters: {
    m: integer({ min: 2, max: 7, default: 6, label: "the sawtooth has 2^m pieces" }),
    k: integer({ min: 1, max: 3, default: 2, label: "hidden layers of the rival" }),
    s: integer({ min: 1, max: 24, default: 8, label: "hidden units of the rival" }),
  },
  claims: {
    "L1 error of the rival, by its pieces": atLeast(String.raw`\tfrac18 \left(1 - p 2^{-m}\right)`).looseBy(
      2,
    ),
    "L1 error of the rival, by its size": atLeast(
      String.raw`\tfrac18 \left(1 - (1 + s/k)^k 2^{-m}\right)`,
    ).looseBy(2),
    "L1 error of a random network, by its pieces": atLeast(
      String.raw`\tfrac18 \left(1 - p 2^{-m}\right)`,
    ).looseBy(2),
    "pieces of the rival": atMost("(1 + s/k)^k"),
    "crossings of 1/2 by the rival": atMost("p"),
    "crossings of 1/2 by the sawtooth": equals("2^m"),
    "L1 distance of the sawtooth from 1/2": equals(String.raw`\tfrac14`),
    "L1 error of the deep network": equals("0"),
    "its hidden units": equals("2m"),
    "the rival on ONNX Runtime against its pieces": equals("0"),
  },
  mutants: {
    "a tooth crosses 1/2 once": { "crossings of 1/2 by the sawtooth": ({ m }) => 2 ** (m - 1) },
    "pieces of layers add up": { "pieces of the rival": ({ s }) => s + 1 },
    "a fold lost": ({ m }) => ({ m: m - 1 }),
  },
  async run({ m, k, s }, { random, progress, budget }) {
    const deep = triangle(m);
    const sawtooth = linearPieces(deep, 0, 1);
    const rival = sawtoothRival(m, k, s);
    const h = linearPieces(rival, 0, 1);
    const drawn = randomNetwork(random, [1, ...spread(s, k), 1], { density: 1, denominator: 8 });
    const randomPieces = linearPieces(drawn, 0, 1);
    await progress(0.4);
    const error = l1Distance(sawtooth, h).lower;
    return {
      graph: deep,
      ...(budget !== "cheap" && { figure: figure(m) }),
      claims: {
        // A rival with as many pieces as the sawtooth is the sawtooth.
        ...(pieceCount(h) < 2 ** m && {
          "L1 error of the rival, by its pieces": proved(error, sawtoothDistanceBound(m, pieceCount(h))),
        }),
        "L1 error of the rival, by its size": checked(error, sawtoothDistanceBound(m, pieceLimit(s, k)), {
          tolerance: 1e-14, // the power on the right is rounded
        }),
        "L1 error of a random network, by its pieces": proved(
          l1Distance(sawtooth, randomPieces).lower,
          sawtoothDistanceBound(m, pieceCount(randomPieces)),
        ),
        "pieces of the rival": checked(pieceCount(h), pieceLimit(s, k)),
        "crossings of 1/2 by the rival": proved(crossings(h), pieceCount(h)),
        "crossings of 1/2 by the sawtooth": proved(crossings(sawtooth), 2 ** m),
        "L1 distance of the sawtooth from 1/2": proved(
          l1Distance(sawtooth, { knots: [0, 1], values: [1 / 2, 1 / 2] }).lower,
          1 / 4,
        ),
        "L1 error of the deep network": proved(distanceToSawtooth(m, deep), 0),
        "its hidden units": checked(sizes(deep).hiddenUnits!, 2 * m),
        "the rival on ONNX Runtime against its pieces": sampled(
          await greatestError(rival, grid(3 * 2 ** m), (x) => toNumber(evaluate(h, x))),
          0,
          { tolerance: 1e-12 }, // sums of up to 24 products of slopes up to 2^m, layer by layer
        ),
      },
    };
  },
});

/** Widths of k layers with s units in all, as even as can be; at least one each. */
const spread = (s: number, k: number): number[] =>
  Array.from({ length: Math.min(s, k) }, (_, l) => Math.floor((s + l) / Math.min(s, k)));

/** How often f - 1/2 changes its sign. */
function crossings({ values }: PiecewiseLinear): number {
  const signs = values.map((v) => sign(sub(v, 1 / 2))).filter((s) => s !== 0);
  return signs.slice(1).filter((s, k) => s !== signs[k]).length;
}

function figure(m: number): Figure {
  const most = 2 ** m;
  const shown = Math.min(14, most - 1);
  return {
    title: `A sawtooth with ${most} pieces: ${2 * m} units in ${m} layers, ${most} in one`,
    panels: [
      {
        title: `The sawtooth and one hidden layer of ${shown} units`,
        x: { label: "x" },
        y: { label: "value" },
        series: [
          { name: "sawtooth", mark: "line", role: "theory", points: unitCurve(triangle(m)) },
          {
            name: "best built with one hidden layer",
            mark: "line",
            points: unitCurve(sawtoothRival(m, 1, shown)),
          },
        ],
      },
      {
        title: "L1 error against hidden units",
        x: { label: "hidden units", scale: "log" },
        y: { label: "L1 error" },
        series: [1, 2, m].flatMap((depth) => separationSeries(m, depth)),
      },
      unitsAgainstDepth(m),
    ],
  };
}

function unitsAgainstDepth(m: number): Panel {
  const depths = Array.from({ length: m }, (_, k) => k + 1);
  return {
    title: "Units against depth",
    x: { label: "hidden layers" },
    y: { label: "hidden units", scale: "log" },
    series: [
      {
        name: "zigzags, built: error 0",
        mark: "dots",
        points: depths.map((k) => [k, leastComplete(m, k)]),
      },
      {
        name: "needed for an error below 1/16",
        mark: "line",
        role: "theory",
        points: depths.map((k) => [k, leastUnits(2 ** (m - 1), k)]),
      },
    ],
  };
}
