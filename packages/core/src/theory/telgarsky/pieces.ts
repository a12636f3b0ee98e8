import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { tensor } from "../../graph/tensor.ts";
import { layersOf } from "../../networks/layers/layers.ts";
import { randomNetwork } from "../../networks/layers/random.ts";
import { add, compare, div, type Exact, mul, sub, toNumber } from "../../numbers/exact/rational.ts";
import type { Random } from "../../numbers/random.ts";
import { distanceToQuadratic } from "../../passes/distance.ts";
import { pieceBounds } from "../../passes/piece-bounds.ts";
import { evaluate, linearPieces, type PiecewiseLinear, piecesAlong } from "../../passes/pieces.ts";
import { atMost, equals, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { curve, greatestError, pieceCount } from "../line.ts";
import { integer } from "../parameter.ts";

export default lemma({
  id: "T-29",
  covers: ["T-29", "C1a-54"],
  kind: "algorithm",
  title: "Counting the linear pieces of a network exactly",
  source: "Telgarsky, Definition 4.8; book, section 1.3.2",
  statement: String.raw`N_A(f) \le \prod_{j=1}^{H} (m_j + 1)`,
  parameters: {
    width: integer({ min: 1, max: 6, default: 5, label: "width of a hidden layer" }),
    depth: integer({ min: 1, max: 3, default: 3, label: "hidden layers" }),
  },
  claims: {
    "linear pieces": atMost(String.raw`\prod_j (m_j + 1)`),
    "linear pieces of one hidden layer in general position": equals("m + 1"),
    "linear pieces along a segment in the plane": atMost(String.raw`\prod_j (m_j + 1)`),
    "greatest difference from ONNX Runtime": equals("0"),
    "knots at which nothing bends": equals("0"),
    "squared distance to x^2: Boole's rule against the antiderivative": equals("0"),
  },
  mutants: {
    "as many pieces as bends": {
      "linear pieces of one hidden layer in general position": ({ width }) => width,
      "linear pieces": ({ width, depth }) => width ** depth,
    },
    "the last layer without bends": { "linear pieces": ({ width, depth }) => (width + 1) ** (depth - 1) },
    "a piece of the plane lost": {
      "linear pieces along a segment in the plane": ({ width, depth }) => (width + 1) ** depth - 1,
    },
  },
  async run({ width, depth }, { random, budget }) {
    const widths = Array<number>(depth).fill(width);
    const { product } = pieceBounds(widths);
    const network = drawn(random, [1, ...widths, 1]);
    const f = linearPieces(network, -line, line);
    const local = linearPieces(network, -2, 2);
    const plane = drawn(random, [2, ...widths, 1]);
    const [start, end] = [random.sphere(2), random.sphere(2)].map((p) => ({
      x: tensor([[...p].map((v) => 64 * v)]),
    }));
    const segment = piecesAlong(plane, start!, end!).y!.components[0]!;
    const points = Array.from({ length: 401 }, (_, k) => k / 100 - 2);
    return {
      graph: network,
      ...(budget !== "cheap" && { figure: figure(random, local) }),
      claims: {
        "linear pieces": proved(pieceCount(f), product),
        "linear pieces of one hidden layer in general position": proved(
          pieceCount(linearPieces(generic(random, width), -line, line)),
          width + 1,
        ),
        "linear pieces along a segment in the plane": proved(pieceCount(segment), product),
        "greatest difference from ONNX Runtime": sampled(
          await greatestError(network, points, (x) => toNumber(evaluate(local, x))),
          0,
          { tolerance: roundingOn(network, 2) },
        ),
        "knots at which nothing bends": proved(straightKnots(f), 0),
        "squared distance to x^2: Boole's rule against the antiderivative": proved(
          sub(distanceToQuadratic(local, [0, 0, 1]).squaredL2, squaredDistance(local)),
          0,
        ),
      },
    };
  },
});

/** All bends lie within: on a piece a unit is a t + b, where a is a multiple of 8^-4 and |b| < 2^10. */
const line = 2 ** 24;

const drawn = (random: Random, architecture: readonly number[]): Graph =>
  randomNetwork(random, architecture, { density: 1, denominator: 8 });

/**
 * A bound for the rounding of a run on |x| <= radius: each layer adds numbers of at most the size |W| |x| + |b|, computed
 * from above, and rounds as often as it adds; later layers multiply what was lost.
 */
function roundingOn(network: Graph, radius: number): number {
  let [size, lost] = [radius, 0];
  for (const { weights, bias } of layersOf(network).layers) {
    const rows = Array.from({ length: weights.rows }, (_, r) =>
      weights.values.slice(weights.starts[r], weights.starts[r + 1]).reduce((sum, w) => sum + Math.abs(w), 0),
    );
    const steepest = Math.max(...rows);
    size = Math.max(...rows.map((w, r) => w * size + Math.abs(bias[r]!)));
    lost = steepest * lost + (weights.columns + 1) * size * 2 ** -52;
  }
  return lost;
}

/** One hidden layer with bends at different places. */
const generic = (random: Random, width: number): Graph => {
  for (;;) {
    const network = randomNetwork(random, [1, width, 1], { density: 1, denominator: 2 ** 20 });
    const weights = [...network.initializers.values()].flatMap((w) =>
      "data" in w ? [...(w.data as Float64Array)] : [],
    );
    if (weights.every((w) => Math.abs(w) > 2 ** -10)) return network;
  }
};

function straightKnots({ knots, values }: PiecewiseLinear): number {
  return knots.slice(1, -1).filter((t, k) => {
    const [before, after] = [knots[k]!, knots[k + 2]!];
    const chord = evaluate({ knots: [before, after], values: [values[k]!, values[k + 2]!] }, t);
    return compare(chord, values[k + 1]!) === 0;
  }).length;
}

/** The integral of (f - x^2)^2 by the antiderivative of its square, a polynomial of degree four on each piece. */
function squaredDistance({ knots, values }: PiecewiseLinear): Exact {
  const powers = (x: Exact) => [1, 2, 3, 4, 5].reduce<Exact[]>((all) => [...all, mul(all.at(-1)!, x)], [1]);
  return knots.slice(1).reduce<Exact>((total, to, k) => {
    const from = knots[k]!;
    const length = sub(to, from);
    // f = a + s u, x = from + u: f - x^2 = c0 + c1 u - u^2.
    const slope = div(sub(values[k + 1]!, values[k]!), length);
    const c0 = sub(values[k]!, mul(from, from));
    const c1 = sub(slope, mul(2, from));
    const u = powers(length);
    const terms = [
      mul(mul(c0, c0), u[1]!),
      mul(mul(c0, c1), u[2]!),
      div(mul(add(mul(c1, c1), mul(-2, c0)), u[3]!), 3),
      div(mul(mul(-1, c1), u[4]!), 2),
      div(u[5]!, 5),
    ];
    return terms.reduce((sum, term) => add(sum, term), total);
  }, 0);
}

function figure(random: Random, f: PiecewiseLinear): Figure {
  const depths = [1, 2, 3, 4];
  const counted = depths.flatMap((depth) =>
    Array.from({ length: 6 }, () => {
      const widths = Array<number>(depth).fill(4);
      return [depth, pieceCount(linearPieces(drawn(random, [1, ...widths, 1]), -line, line))] as const;
    }),
  );
  return {
    title: `A random network: ${pieceCount(f)} linear pieces on [-2, 2]`,
    panels: [
      {
        title: "The network and its bends",
        x: { label: "x" },
        y: { label: "value" },
        series: [
          { name: "network", mark: "line", points: curve(f) },
          { name: "bends", mark: "dots", points: curve(f).slice(1, -1) },
        ],
      },
      {
        title: "Pieces of random networks of width 4",
        x: { label: "hidden layers" },
        y: { label: "linear pieces", scale: "log" },
        series: [
          { name: "counted, six networks each", mark: "dots", points: counted },
          {
            name: "the most: 5^layers",
            mark: "line",
            role: "theory",
            points: depths.map((depth) => [depth, 5 ** depth]),
          },
        ],
      },
    ],
  };
}
