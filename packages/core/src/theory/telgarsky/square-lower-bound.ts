import type { Figure, Panel, Series } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { zigzagSquare } from "../../networks/square/zigzags.ts";
import { add, div, type Exact, mul, reduce, sub, toNumber } from "../../numbers/exact/rational.ts";
import type { Random } from "../../numbers/random.ts";
import { distanceToQuadratic, type Quadratic, type QuadraticDistance } from "../../passes/distance.ts";
import { curvedSupBound, leastUnits, pieceLimit, squareL2Bound } from "../../passes/piece-bounds.ts";
import { linearPieces, type PiecewiseLinear } from "../../passes/pieces.ts";
import { sizes } from "../../passes/sizes.ts";
import { atLeast, checked, equals, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { greatestError, grid, pieceCount } from "../line.ts";
import { integer } from "../parameter.ts";

export default lemma({
  id: "T-32",
  covers: ["T-32", "C1a-55"],
  kind: "bound",
  title: "Few pieces cannot square",
  source: "Telgarsky, Theorem 4.6; book, Theorem 1.26",
  statement: String.raw`\int_0^1 (f(x) - x^2)^2 \ge \frac{1}{180 N_A(f)^4} \ge \frac{1}{180 (1 + M/H)^{4H}}, \qquad \|f - g\|_\infty \ge \frac{\kappa \lambda^2}{16 N_A(f)^2} \text{ if } |g''| \ge \kappa`,
  parameters: {
    pieces: integer({ min: 1, max: 60, default: 8, label: "pieces of a spline" }),
    i: integer({ min: 1, max: 8, default: 4, label: "levels of the squaring network" }),
    w: integer({ min: 1, max: 6, default: 4, label: "teeth of the first of two layers" }),
  },
  claims: {
    "best affine fit on [a, b], squared error": equals("(b - a)^5 / 180").printed(),
    "best spline with N pieces, squared error": equals(String.raw`\frac{1}{180 N^4}`),
    "best spline with N pieces, as printed": atLeast(String.raw`\frac{1}{5760 N^4}`).loose({
      where: "proof of Theorem 4.6, N := N_A(f)",
      printed: String.raw`\int_{[0,1]} (x^2 - f(x))^2 dx [...] \geq \frac{1}{5760N^4}`,
      corrected: String.raw`\frac{1}{180 N^4}, \text{ attained}`,
    }),
    "how far below the best the printed bound is": equals("32"),
    "best spline with N pieces, sup error": equals(String.raw`\frac{\kappa \lambda^2}{16 N^2}`),
    "spline with N pieces at random knots, squared error": atLeast(String.raw`\frac{1}{180 N^4}`),
    "one hidden layer with N pieces, squared error": atLeast(String.raw`\frac{1}{180 N_A^4}`),
    "one hidden layer with N pieces, squared error, by its size": atLeast(
      String.raw`\frac{1}{180 (1 + M)^4}, \; M = N`,
    ),
    "one hidden layer with N pieces, squared error, as printed": atLeast(String.raw`\frac{1}{5760 (2M)^4}`)
      .printed()
      .looseBy(500),
    "one hidden layer with N pieces, units": atLeast("(180 e)^{-1/4} - 1"),
    "two hidden layers, squared error": atLeast(String.raw`\frac{1}{180 N_A^4}`),
    "two hidden layers, sup error": atLeast(String.raw`\frac{1}{8 N_A^2}`),
    "squaring network, lowered: squared error": equals(String.raw`\frac{1}{180 \cdot 16^{i}}, \; N_A = 2^i`),
    "squaring network, lowered: sup error": equals(String.raw`\frac{1}{8 \cdot 4^i}`),
    "squaring network, hidden units": atLeast(
      String.raw`H \left((180 e)^{-1/(4H)} - 1\right), \; e \text{ its squared error}`,
    ).looseBy(1.9),
    "squaring network, lowered: error on ONNX Runtime": equals(String.raw`\frac{1}{8 \cdot 4^i}`),
    "squaring network, lowered, of N nodes, and L = 2N: squared error": atLeast(
      String.raw`\frac{1}{5760 (2N/L)^{4L}} = \frac{1}{5760}`,
    ).printed({
      where: "Theorem 4.6",
      printed: String.raw`Any ReLU network $f$ with $\leq L$ layers and $\leq N$ nodes satisfies $\int_{[0,1]} (f(x) - x^2)^2 dx \geq \frac{1}{5760(2N/L)^{4L}}$`,
      corrected: String.raw`with $L$ layers (of a node or more each, so that $L \leq N$); with fewer layers only if $L \leq 2N/e$, up to which $(2N/L)^L$ grows (counterexample: $h_i - 4^{-i}/6$ with $N = 3i$ nodes, $L = 6i$)`,
    }),
  },
  mutants: {
    "the error of the chord, not of the best line": {
      "best spline with N pieces, squared error": (_, { theory }) => 6 * theory,
    },
    "one piece less, N - 1": {
      "one hidden layer with N pieces, squared error": ({ pieces: N }) => 1 / (180 * (N - 1) ** 4),
      "one hidden layer with N pieces, units": ({ pieces: N }) => N + 1,
    },
    "8 for 16": {
      "two hidden layers, sup error": (_, { theory }) => 2 * theory,
      "best spline with N pieces, sup error": (_, { theory }) => 2 * theory,
    },
  },
  async run({ pieces: N, i, w }, { random, budget, progress }) {
    const [a, length] = [random.integer(-64, 64) / 16, random.integer(1, 64) / 16];
    const [lead, linear] = [random.integer(1, 16) / 8, random.integer(-16, 16) / 8];
    const shallow = zigzagSquare([N], { best: "L2" });
    const shallowError = toSquare(linearPieces(shallow, 0, 1)).squaredL2;
    const two = (best: "L2" | "sup") => linearPieces(zigzagSquare([w, random.integer(1, 4)], { best }), 0, 1);
    const [twoL2, twoSup] = [two("L2"), two("sup")];
    await progress(0.3);
    const best = toSquare(bestSpline(N, 6));
    const deep = zigzagSquare(Array(i).fill(2), { best: "L2" });
    const deepError = toSquare(linearPieces(deep, 0, 1)).squaredL2;
    const level = zigzagSquare(Array(i).fill(2), { best: "sup" });
    await progress(0.7);
    return {
      graph: deep,
      ...(budget !== "cheap" && { figure: figure() }),
      claims: {
        "best affine fit on [a, b], squared error": proved(
          toSquare(bestFit(a, a + length)).squaredL2,
          div(length ** 5, 180),
        ),
        "best spline with N pieces, squared error": proved(best.squaredL2, squareL2Bound(N)),
        "best spline with N pieces, as printed": proved(best.squaredL2, div(1, 5760 * N ** 4)),
        "how far below the best the printed bound is": proved(mul(best.squaredL2, 5760 * N ** 4), 32),
        "best spline with N pieces, sup error": proved(
          supOfQuadratic(N, lead, linear, length),
          curvedSupBound(N, 2 * lead, length),
        ),
        "spline with N pieces at random knots, squared error": proved(
          toSquare(randomSpline(N, random)).squaredL2,
          squareL2Bound(N),
        ),
        "one hidden layer with N pieces, squared error": proved(shallowError, squareL2Bound(N)),
        "one hidden layer with N pieces, squared error, by its size": proved(
          shallowError,
          squareL2Bound(pieceLimit(sizes(shallow).hiddenUnits!, 1)),
        ),
        "one hidden layer with N pieces, squared error, as printed": proved(
          shallowError,
          div(1, 5760 * (2 * sizes(shallow).hiddenUnits!) ** 4),
        ),
        "one hidden layer with N pieces, units": checked(
          sizes(shallow).hiddenUnits!,
          leastUnits((180 * toNumber(shallowError)) ** (-1 / 4), 1),
        ),
        "two hidden layers, squared error": proved(
          toSquare(twoL2).squaredL2,
          squareL2Bound(pieceCount(twoL2)),
        ),
        "two hidden layers, sup error": proved(toSquare(twoSup).sup, curvedSupBound(pieceCount(twoSup), 2)),
        "squaring network, lowered: squared error": checked(deepError, div(1, 180 * 16 ** i), {
          tolerance: 4 ** -i * 2 ** -53, // a sixth of 4^-i, by which it is lowered, is not a double
        }),
        "squaring network, lowered: sup error": proved(toSquare(linearPieces(level, 0, 1)).sup, 4 ** -i / 8),
        "squaring network, hidden units": checked(
          sizes(deep).hiddenUnits!,
          leastUnits((180 * toNumber(deepError)) ** (-1 / 4), i),
        ),
        "squaring network, lowered: error on ONNX Runtime": sampled(
          await runtimeError(level, i),
          4 ** -i / 8,
        ),
        // (2N/L)^(4L) = 1 at L = 2N, whatever the number N of nodes.
        "squaring network, lowered, of N nodes, and L = 2N: squared error": checked(deepError, 1 / 5760),
      },
    };
  },
});

const x2: Quadratic = [0, 0, 1];
const toSquare = (f: PiecewiseLinear): QuadraticDistance => distanceToQuadratic(f, x2);

/** (a + b) x - (a^2 + 4 a b + b^2) / 6: the chord, lowered by a sixth of the squared length. */
function bestFit(a: number, b: number): PiecewiseLinear {
  const lowered = (x: number): Exact => sub(x * x, div((b - a) ** 2, 6));
  return { knots: [a, b], values: [lowered(a), lowered(b)] };
}

/** N equal chords of x^2 on [0, 1], lowered by 1 / (part N^2). */
function bestSpline(N: number, part: number): PiecewiseLinear {
  const knots = Array.from({ length: N + 1 }, (_, k) => reduce(BigInt(k), BigInt(N)));
  return { knots, values: knots.map((t) => sub(mul(t, t), div(1, part * N * N))) };
}

/** The sup distance from lead x^2 + linear x on [0, length] of N equal chords, lowered by half of their error. */
function supOfQuadratic(N: number, lead: number, linear: number, length: number): Exact {
  const knots = Array.from({ length: N + 1 }, (_, k) => div(k * length, N));
  const at = (t: Exact): Exact => mul(t, add(linear, mul(lead, t)));
  const lowered = mul(lead, div(length ** 2, 8 * N * N));
  const spline = { knots, values: knots.map((t) => sub(at(t), lowered)) };
  return distanceToQuadratic(spline, [0, linear, lead]).sup;
}

/** Knots (k + u / 8) / N with |u| <= 1 and the ends, values t^2 - 1 / (6 N^2). */
function randomSpline(N: number, random: Random): PiecewiseLinear {
  const knots = Array.from({ length: N + 1 }, (_, k) =>
    k === 0 || k === N ? k / N : div(64 * k + random.integer(-8, 8), 64 * N),
  );
  return { knots, values: knots.map((t) => sub(mul(t, t), div(1, 6 * N * N))) };
}

/** The greatest error at the bends and the middles between them. */
const runtimeError = (network: Graph, i: number): Promise<number> =>
  greatestError(network, grid(2 ** (i + 1)), (x) => x * x);

function figure(): Figure {
  return {
    title: "Squaring: deep networks gain with every layer, shallow ones hardly",
    panels: [errorAgainstUnits(), unitsAgainstDepth(), splineErrors()],
  };
}

const squaredError = (teeth: readonly number[]): readonly [number, number] => {
  const network = zigzagSquare(teeth, { best: "L2" });
  return [sizes(network).hiddenUnits!, toNumber(toSquare(linearPieces(network, 0, 1)).squaredL2)];
};

const built = (name: string, all: readonly (readonly number[])[]): Series => ({
  name,
  mark: "line",
  points: all.map(squaredError),
});

const bound = (name: string, from: number, depthOf: (units: number) => number): Series => ({
  name,
  mark: "line",
  role: "theory",
  points: grid(60)
    .map((t) => {
      const units = from + (64 - from) * t;
      return [units, toNumber(squareL2Bound(pieceLimit(units, depthOf(units))))] as const;
    })
    .filter(([, e]) => e > 1e-14),
});

function errorAgainstUnits(): Panel {
  const powers = [1, 2, 4, 8, 16, 32];
  return {
    title: "Squared L2 error against hidden units",
    x: { label: "hidden units" },
    y: { label: "squared L2 error", scale: "log" },
    series: [
      built(
        "1 hidden layer, built",
        [...powers, 64].map((q) => [q]),
      ),
      bound("1 hidden layer, lower bound", 1, () => 1),
      built("2 hidden layers, built", [
        [1, 1],
        [2, 2],
        [4, 4],
        [8, 8],
        [16, 16],
      ]),
      bound("2 hidden layers, lower bound", 2, () => 2),
      built(
        "deep, built: 3 units a layer",
        [1, 2, 3, 4, 5, 6, 7, 8, 9].map((i) => Array(i).fill(2)),
      ),
      bound("deep, lower bound", 2, (units) => (units + 1) / 3),
      {
        name: "1 hidden layer, lower bound as printed",
        mark: "line",
        role: "theory",
        points: grid(63).map((t) => [63 * t + 1, 1 / (5760 * (2 * (63 * t + 1)) ** 4)]),
      },
    ],
  };
}

/** How many units reach 2^6 pieces, a squared error of 2^-24 / 180, in so many layers. */
function unitsAgainstDepth(): Panel {
  const layouts = [[64], [8, 8], [4, 4, 4], [2, 2, 4, 4], [2, 2, 2, 2, 4], [2, 2, 2, 2, 2, 2]];
  return {
    title: "Units for a squared error of 3.3e-10",
    x: { label: "hidden layers" },
    y: { label: "hidden units", scale: "log" },
    series: [
      { name: "built", mark: "dots", points: layouts.map((teeth) => [teeth.length, squaredError(teeth)[0]]) },
      {
        name: "needed: H ((180 e)^(-1/4H) - 1)",
        mark: "line",
        role: "theory",
        points: layouts.map((teeth) => [teeth.length, leastUnits(64, teeth.length)]),
      },
      {
        name: "needed, as printed: (H/2) (5760 e)^(-1/4H)",
        mark: "line",
        role: "theory",
        points: layouts.map(({ length: H }) => [H, (H / 2) * (64 / 32 ** (1 / 4)) ** (1 / H)]),
      },
    ],
  };
}

function splineErrors(): Panel {
  const error = (N: number) => (x: number) => {
    const k = Math.min(Math.floor(x * N), N - 1);
    return (x - k / N) * ((k + 1) / N - x) - 1 / (6 * N * N);
  };
  return {
    title: "Error of the best splines: equal pieces",
    x: { label: "x" },
    y: { label: "spline(x) - x²" },
    series: [2, 4, 8].map((N) => ({
      name: `${N} pieces`,
      mark: "line",
      points: grid(400).map((x) => [x, error(N)(x)]),
    })),
  };
}
