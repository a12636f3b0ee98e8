import { type RadialNetwork, radialCertificate, radialNetwork } from "../../approximate/radial/index.ts";
import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { complexity } from "../../networks/layers/layers.ts";
import { uniformKnots } from "../../networks/spline/knots.ts";
import { interpolant } from "../../networks/spline/spline.ts";
import { type Exact, mul, toNumber } from "../../numbers/exact/rational.ts";
import type { Random } from "../../numbers/random.ts";
import { distance } from "../../passes/distance.ts";
import { evaluate, linearPieces, type PiecewiseLinear } from "../../passes/pieces.ts";
import { atLeast, atMost, checked, equals, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";

/** Dyadic numbers, so that little is rounded. */
const pieces = 64;

export default lemma({
  id: "C1a-48",
  covers: ["C1a-48"],
  kind: "construction",
  title: "Radial functions by three layers",
  source: "Book, chapter 1, section 1.3.1",
  statement: String.raw`g(x) = \tilde g(\|x\|^2), \; \tilde g \; C\text{-Lipschitz}: \qquad \sup_{[-B,B]^d} |\Phi - g| \le \frac{C d B^2}{n_1^2} + \frac{C d B^2}{2 n_2} \le \varepsilon, \quad n_1 = \Big\lceil B \sqrt{2 C d / \varepsilon} \Big\rceil, \; n_2 = \lceil C d B^2 / \varepsilon \rceil`,
  parameters: {
    profile: choice(["walk", "zigzag", "shell"], { label: "profile" }),
    d: integer({ min: 1, max: 8, default: 4, label: "dimension" }),
    C: real({ min: 0.25, max: 2, default: 1, label: "Lipschitz constant C" }),
    B: real({ min: 0.5, max: 1.5, default: 1, label: "half side B of the cube" }),
    eps: real({ min: 0.2, max: 2, default: 0.25, label: "error ε" }),
  },
  claims: {
    "sup error": atMost(String.raw`C d B^2 / n_1^2 + C d B^2 / 2 n_2 + \text{rounding of the weights}`),
    "sup error for ε": atMost(String.raw`\varepsilon`),
    "error at points": atMost("sup error"),
    "error of the squares, one coordinate": atMost(String.raw`B^2 / n_1^2 + \text{rounding of the weights}`),
    "least of square less x²": atLeast("0"),
    "units of the first layer": equals("d n_1"),
    "units of the second layer": equals("n_2"),
    "error of |x|² alone on [0, 1]^d, units by curvature": atMost(
      String.raw`\varepsilon + \text{rounding of the weights}`,
    ),
    "those units": atMost(String.raw`\max(d, d^2 / \varepsilon)`).loose({
      where: "section 1.3.1",
      printed: String.raw`$[0, 1]^d \ni x \mapsto \sum_{i=1}^d x_i^2$, can be approximated up to precision $\varepsilon$ by a two-layer architecture of width $O(d^2/\varepsilon)$`,
      corrected: String.raw`d \lceil \sqrt{d / \varepsilon} / 2 \rceil, \text{ by the curvature of } x^2`,
    }),
  },
  mutants: {
    "B for its square": { "error of the squares, one coordinate": ({ B }, { theory }) => theory / B },
    "chords off by a quarter of their length": {
      "sup error": ({ d, C, B, eps }, { theory }) =>
        theory - (C * d * B ** 2) / (4 * Math.ceil((C * d * B ** 2) / eps)),
    },
    "the profile's error not shared out": {
      "units of the second layer": ({ d, C, B, eps }) => Math.ceil((C * d * B ** 2) / (2 * eps)),
    },
  },
  async run({ profile, d, C, B, eps }, { random, scale, budget }) {
    const g = profiles[profile](C, d * B * B, random.split("profile"));
    const made = radialNetwork((s) => toNumber(evaluate(g, Math.min(s, toNumber(g.knots.at(-1)!)))), {
      dimension: d,
      bound: B,
      lipschitz: C,
      eps,
    });
    const certificate = radialCertificate(made, g, { dimension: d, bound: B });
    const error = toNumber(certificate.error);
    const [n1, n2] = made.pieces;
    // Slopes are quotients of rounded numbers, summed over the pieces.
    const rounding = 2 ** -48 * (n1 + n2) * (C * d * B * B + 1);
    const alone = squareAlone(Math.ceil(Math.sqrt(d / eps) / 2));
    const { architecture } = complexity(made.network);
    const seen = await errorAt(made.network, g, d, cubePoints(random.split("points"), d, B, scale(2000)));
    return {
      graph: made.network,
      ...(budget === "cheap" ? {} : { figure: await figure(made, g, { d, B, C, eps, error }) }),
      claims: {
        "sup error": proved(certificate.error, made.error + rounding),
        "sup error for ε": proved(certificate.error, eps + rounding),
        "error at points": sampled(seen, error, { tolerance: rounding }),
        "error of the squares, one coordinate": proved(certificate.square, (B / n1) ** 2 + rounding),
        "least of square less x²": proved(certificate.below, 0, { tolerance: 2 ** -50 * n1 * B * B }),
        "units of the first layer": checked(architecture[1]!, d * n1),
        "units of the second layer": checked(architecture[2]!, n2),
        "error of |x|² alone on [0, 1]^d, units by curvature": proved(mul(d, alone.error), eps + rounding),
        "those units": checked(d * alone.units, Math.max(d, (d * d) / eps)),
      },
    };
  },
});

/** x^2 on [0, 1] with n pieces: its units and its error. */
function squareAlone(n: number): { readonly units: number; readonly error: Exact } {
  const square = interpolant((x) => x * x, uniformKnots([0, 1], n));
  return {
    units: complexity(square).architecture[1]!,
    error: distance(linearPieces(square, 0, 1), [0, 0, 1]).sup.upper,
  };
}

/** C-Lipschitz on [0, end], piecewise linear: walks by the toss of a coin, up and down all the way, a single shell. */
const profiles: Readonly<
  Record<"walk" | "zigzag" | "shell", (C: number, end: number, random: Random) => PiecewiseLinear>
> = {
  walk: (C, end, random) => fromSlopes(end, pieces, () => (random.integer(0, 1) === 1 ? C : -C)),
  zigzag: (C, end) => fromSlopes(end, pieces, (j) => (j % 2 === 0 ? C : -C)),
  shell: (C, end) => fromSlopes(end, 8, (j) => (j === 3 ? C : j === 4 ? -C : 0)),
};

function fromSlopes(end: number, count: number, slope: (j: number) => number): PiecewiseLinear {
  const knots = Array.from({ length: count + 1 }, (_, j) => (j === count ? end : (end * j) / count));
  const values = [0];
  // A little less steep than C, so that rounding does not make it steeper.
  for (let j = 0; j < count; j++)
    values.push(values[j]! + slope(j) * (1 - 2 ** -45) * (knots[j + 1]! - knots[j]!));
  return { knots, values };
}

/** Random points of the cube, its corners, and its diagonal. */
function cubePoints(random: Random, d: number, B: number, count: number): Float64Array {
  const points = random.uniform(count * d).map((u) => B * (2 * u - 1));
  for (let i = 0; i < count; i++) {
    if (i % 4 === 0) points.fill(B * (2 * (i / count) - 1), i * d, (i + 1) * d);
    if (i % 7 === 0) for (let c = 0; c < d; c++) points[i * d + c] = points[i * d + c]! < 0 ? -B : B;
  }
  return points;
}

async function valuesOf(graph: Graph, points: Float64Array, d: number): Promise<Float64Array> {
  const { y } = await run(graph, { x: tensor(points, { dims: [points.length / d, d] }) });
  return Float64Array.from(numbers(y!), Number);
}

const squareOf = (points: Float64Array, d: number, i: number): number =>
  points.subarray(i * d, (i + 1) * d).reduce((s, x) => s + x * x, 0);

async function errorAt(graph: Graph, g: PiecewiseLinear, d: number, points: Float64Array): Promise<number> {
  const end = toNumber(g.knots.at(-1)!);
  const values = await valuesOf(graph, points, d);
  return values.reduce(
    (most, v, i) =>
      Math.max(most, Math.abs(v - toNumber(evaluate(g, Math.min(end, squareOf(points, d, i)))))),
    0,
  );
}

interface Shown {
  readonly d: number;
  readonly B: number;
  readonly C: number;
  readonly eps: number;
  readonly error: number;
}

async function figure(
  { network, error: theory }: RadialNetwork,
  g: PiecewiseLinear,
  { d, B, C, eps, error }: Shown,
): Promise<Figure> {
  const count = 600;
  const end = toNumber(g.knots.at(-1)!);
  const diagonal = Float64Array.from({ length: (count + 1) * d }, (_, e) => (B * Math.floor(e / d)) / count);
  const values = await valuesOf(network, diagonal, d);
  const points = Array.from(values, (v, i) => {
    const s = Math.min(end, squareOf(diagonal, d, i));
    return { s, v, truth: toNumber(evaluate(g, s)) };
  });
  const dimensions = [1, 2, 4, 8, 16, 32, 64];
  const n1 = (k: number) => Math.ceil(B * Math.sqrt((2 * C * k) / eps));
  return {
    title: `g(|x|²) in dimension ${d} within ${eps.toPrecision(2)}`,
    panels: [
      {
        title: "Along the diagonal of the cube",
        x: { label: "|x|²" },
        y: { label: "value" },
        series: [
          { name: "g", mark: "line", points: points.map(({ s, truth }) => [s, truth]) },
          { name: "network", mark: "line", points: points.map(({ s, v }) => [s, v]) },
        ],
      },
      {
        title: "Error",
        x: { label: "|x|²" },
        y: { label: "|Φ - g|" },
        series: [
          {
            name: "on the diagonal",
            mark: "line",
            points: points.map(({ s, v, truth }) => [s, Math.abs(v - truth)]),
          },
          {
            name: "proved, everywhere",
            mark: "line",
            points: [
              [0, error],
              [end, error],
            ],
          },
          {
            name: "theory",
            mark: "line",
            role: "theory",
            points: [
              [0, theory],
              [end, theory],
            ],
          },
        ],
      },
      {
        title: "Units by dimension, the same C, B and ε",
        x: { label: "dimension d", scale: "log" },
        y: { label: "units", scale: "log" },
        series: [
          { name: "first layer: d n₁", mark: "line", points: dimensions.map((k) => [k, k * n1(k)]) },
          {
            name: "second layer: n₂",
            mark: "line",
            points: dimensions.map((k) => [k, Math.ceil((C * k * B * B) / eps)]),
          },
          {
            name: "as printed, first layer: d² / ε",
            mark: "line",
            role: "theory",
            points: dimensions.map((k) => [k, k ** 2 / eps]),
          },
        ],
      },
    ],
  };
}
