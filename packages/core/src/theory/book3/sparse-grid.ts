import { quotedTail, sparseTail, truncationBound } from "../../approximate/sparse-grid/bound.ts";
import { finestLevel, sparseGridPoints } from "../../approximate/sparse-grid/grid.ts";
import {
  type SparseInterpolant,
  sparseInterpolant,
  sparseValue,
} from "../../approximate/sparse-grid/interpolant.ts";
import { sparseNetwork } from "../../approximate/sparse-grid/network.ts";
import { type MixedTarget, mixedTargets } from "../../approximate/sparse-grid/target.ts";
import { weakCurvatureError } from "../../approximate/sparse-grid/weak-curvature.ts";
import { run } from "../../engine/run.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { toNumber } from "../../numbers/exact/rational.ts";
import type { Random } from "../../numbers/random.ts";
import { addUp, mulUp } from "../../numbers/rounding.ts";
import { sizes } from "../../passes/sizes.ts";
import { atMost, checked, equals, type Measurement, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import { sparseGridFigure } from "./sparse-grid-figure.ts";

/** f'' = |x - 1/3|^-a is in L_2 for a < 1/2. */
const weak = 0.49;
/** Between these levels the exponent of the tail is within d^2 / n^2 of its limit. */
const farLevels = [200, 400] as const;

export default lemma({
  id: "C3-30",
  covers: ["C3-30"],
  kind: "construction",
  title: "Sparse grids for mixed smoothness",
  source: "Book, section 3.6.1, Korobov spaces (Montanelli and Du 2019; Bungartz and Griebel 2004)",
  statement: String.raw`f_n = \sum_{|l|_1 \le n+d-1} \sum_{i \text{ odd}} v_{l,i} \prod_j \varphi(2^{l_j} x_j - i_j), \qquad \|f - f_n\|_\infty \le 2^{-d} \|D^{(2,\dots,2)} f\|_\infty \sum_{t \ge n+d} \binom{t-1}{d-1} 4^{-t} \sim N^{-2} (\log N)^{3(d-1)}`,
  parameters: {
    target: choice(["sine", "parabola", "exponential", "wave"], { label: "function" }),
    d: integer({ min: 1, max: 10, default: 3, label: "dimension d" }),
    most: integer({ min: 1, max: 300, default: 120, label: "points at most" }),
    m: integer({ min: 1, max: 14, default: 8, label: "levels of a product" }),
  },
  claims: {
    "points of the grid": equals(String.raw`N = \sum_{i<n} 2^i \binom{d-1+i}{d-1}`),
    "greatest surplus, 2^d 4^{|l|} |v|": atMost(String.raw`\|D^{(2,\dots,2)} f\|_\infty`),
    "sup |f - f_n|": atMost(String.raw`2^{-d} |f| \sum_{t \ge n+d} \binom{t-1}{d-1} 4^{-t}`).looseBy(1.3),
    "parabola on the line: sup |f - f_n|": equals(String.raw`\tfrac34 \text{ of this bound}`),
    "this tail, for |f| = 1": atMost(
      String.raw`2 \cdot 8^{-d} 4^{-n} \sum_{k<d} \binom{n+d-1}{k}, \text{ the bound usually quoted}`,
    ).looseBy(1.45),
    "sup |network - f_n|": atMost(
      String.raw`\sum_l \max_i |v_{l,i}| (d-1) 4^{-(m+1)} + \text{rounding of a run}, \; N > 1`,
    ).looseBy(1.1),
    "one hat in the plane: sup |network - f_1|": equals("4^{-(m+1)}"),
    "sup |network - f|": atMost("both together").looseBy(1.3),
    "products of two": atMost("(d-1) N"),
    "hidden layers": equals(String.raw`2 + \lceil \log_2 d \rceil (m+1)`),
    "exponent of the tail in N, logarithms divided out": equals("2"),
    "exponent of dyadic interpolation, f'' = |x-1/3|^{-0.49} in L_2": equals(
      String.raw`1.51: \text{ for } p = 2 \text{ the argument gives no } \varepsilon^{-1/2} \text{ in the sup norm}`,
    ),
  },
  mutants: {
    "the tail from n + d - 1 on": { "parabola on the line: sup |f - f_n|": (_, { theory }) => 4 * theory },
    "a surplus of 4^-d": { "greatest surplus, 2^d 4^{|l|} |v|": ({ d }, { theory }) => theory / 2 ** d },
    "a chain of products, not a tree": { "hidden layers": ({ d, m }) => 2 + (d - 1) * (m + 1) },
  },
  async run({ target, d, most, m }, { random, scale, progress, budget }) {
    const f: MixedTarget = mixedTargets[target];
    const level = finestLevel(d, Math.min(most, scale(most < 60 ? 600 : 400)));
    const interpolant = sparseInterpolant(f, d, level);
    const built = sparseNetwork(interpolant, m);
    await progress(0.4);
    const mixed = f.mixed(d);
    const tail = truncationBound(d, level, mixed);
    const errors = await sampledErrors(f, interpolant, built.network, testPoints(random, d, scale(1000)));
    await progress(0.7);
    // Doubles evaluate f and f_n within about 2^-50 a product, at values that stay below sum |v|.
    const tolerance = 2 ** -44 * (1 + mixed * toNumber(sparseTail(d, 0)));
    const { depth } = sizes(built.network);
    const [near, far] = farLevels.map((n) => ({
      size: Math.log(sparseGridPoints(d, n)) - 1.5 * (d - 1) * Math.log(n),
      error: Math.log(toNumber(sparseTail(d, n))),
    })) as [LogPoint, LogPoint];
    return {
      graph: built.network,
      ...(budget === "cheap" ? {} : { figure: sparseGridFigure(target, random) }),
      claims: {
        "points of the grid": checked(interpolant.grid.points, sparseGridPoints(d, level)),
        "greatest surplus, 2^d 4^{|l|} |v|": proved(greatestSurplus(interpolant), mixed),
        "sup |f - f_n|": sampled(errors.interpolant, tail, { tolerance }),
        ...parabolaOnTheLine(level),
        "this tail, for |f| = 1": proved(sparseTail(d, level), quotedTail(d, level)),
        ...(interpolant.grid.points > 1 && {
          "sup |network - f_n|": sampled(errors.network, built.runError, { tolerance }),
        }),
        "one hat in the plane: sup |network - f_1|": await oneHat(m),
        "sup |network - f|": sampled(errors.whole, addUp(tail, built.runError), { tolerance }),
        "products of two": checked(built.products, (d - 1) * interpolant.grid.points),
        "hidden layers": checked(depth, 2 + Math.ceil(Math.log2(d)) * (m + 1)),
        "exponent of the tail in N, logarithms divided out": checked(
          (near.error - far.error) / (far.size - near.size),
          2,
          { tolerance: (d / near.size) ** 2 + 1e-3 }, // the next order in d / n
        ),
        "exponent of dyadic interpolation, f'' = |x-1/3|^{-0.49} in L_2": checked(
          Math.log2(weakCurvatureError(weak, 8) / weakCurvatureError(weak, 9)),
          2 - weak,
          { tolerance: 1e-12 },
        ),
      },
    };
  },
});

/** Hats of successive levels do not peak at one point: at the middle of a cell, h^2 / 8 is left of h^2 / 6. */
function parabolaOnTheLine(level: number) {
  const f = mixedTargets.parabola;
  const interpolant = sparseInterpolant(f, 1, Math.min(level, 8));
  const middle = Float64Array.of(2 ** -(interpolant.grid.level + 1));
  return {
    "parabola on the line: sup |f - f_n|": checked(
      Math.abs(f.value(middle) - sparseValue(interpolant, middle)),
      0.75 * truncationBound(1, interpolant.grid.level, f.mixed(1)),
      { tolerance: 2 ** -50 }, // a few roundings of values below 1
    ),
  };
}

/** The hat of height 1 over the square, at dyadic points around the middle of its slopes: among them its product errs most. */
async function oneHat(m: number): Promise<Measurement> {
  const interpolant = sparseInterpolant(mixedTargets.parabola, 2, 1);
  const { network } = sparseNetwork(interpolant, m);
  const steps = Array.from({ length: 9 }, (_, k) => 1 / 4 + ((k - 4) * 2 ** -m) / 8);
  const points = Float64Array.from(steps.flatMap((x) => steps.flatMap((y) => [x, y])));
  const { network: error } = await sampledErrors(mixedTargets.parabola, interpolant, network, points);
  return sampled(error, 4 ** -(m + 1), { tolerance: 2 ** -50 }); // dyadic points: hats are exact, products of rounded sums
}

interface LogPoint {
  readonly size: number;
  readonly error: number;
}

/** max 2^d 4^|l|_1 (|v| + radius): exact factors. */
function greatestSurplus({ grid, surplus, radius }: SparseInterpolant): number {
  let most = 0;
  for (const { levels, first, count } of grid.parts) {
    const factor = 2 ** grid.dimension * 4 ** levels.reduce((a, b) => a + b, 0);
    for (let p = first; p < first + count; p++)
      most = Math.max(most, mulUp(factor, addUp(Math.abs(surplus[p]!), radius[p]!)));
  }
  return most;
}

/** Uniform points; in every fourth, most coordinates are odd multiples of 1/8, where products of hats are large. */
function testPoints(random: Random, d: number, count: number): Float64Array {
  return random.uniform(count * d).map((u, at) => {
    const isNearCentre = Math.floor(at / d) % 4 === 0;
    return isNearCentre && u < 0.75 ? (2 * Math.floor((u / 0.75) * 4) + 1) / 8 : u;
  });
}

async function sampledErrors(
  f: MixedTarget,
  interpolant: SparseInterpolant,
  network: Parameters<typeof run>[0],
  points: Float64Array,
) {
  const d = interpolant.grid.dimension;
  const { y } = await run(network, { x: tensor(points, { dims: [points.length / d, d] }) });
  const found = { interpolant: 0, network: 0, whole: 0 };
  numbers(y!).forEach((value, k) => {
    const x = points.subarray(k * d, (k + 1) * d);
    const [exact, between] = [f.value(x), sparseValue(interpolant, x)];
    found.interpolant = Math.max(found.interpolant, Math.abs(between - exact));
    found.network = Math.max(found.network, Math.abs(value - between));
    found.whole = Math.max(found.whole, Math.abs(value - exact));
  });
  return found;
}
