import type { Figure } from "../../figure/figure.ts";
import {
  type SpinCriticalPoint,
  type SpinModel,
  spinComplexity,
  spinCriticalPoint,
  spinIndexFraction,
  spinLevel,
  spinModel,
  spinRate,
  spinStart,
  spinThreshold,
} from "../../landscape/statistics/spherical-spin.ts";
import type { Random } from "../../numbers/random.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";

export default lemma({
  id: "C1b-16",
  covers: ["C1b-16"],
  kind: "experiment",
  title: "Critical points of a spin glass: the higher, the more directions lead down",
  source: "Book, chapter 1, Figure 1.14; Auffinger, Ben Arous and Černý 2013",
  statement: String.raw`\alpha(u) = \tfrac12 + \tfrac1\pi \bigl(v \sqrt{1 - v^2} + \arcsin v\bigr), \; v = u / E_\infty, \; E_\infty = 2 \sqrt{(p - 1)/p}; \qquad \Theta_k(-E_k) = 0`,
  parameters: {
    p: choice(["3", "2"], { label: "spins of a coupling" }),
    n: integer({ min: 6, max: 24, default: 12, label: "spins" }),
  },
  claims: {
    "|∇H - p u σ| at critical points": equals("0"),
    "n - 1 less the index at σ (p odd): index at -σ": equals("0 apart"),
    "p = 2: index at the eigenvector of the k-th eigenvalue": equals("k - 1"),
    "greatest distance of an index from (n - 1) α(u)": atMost("3").looseBy(1.2),
    "E_∞, E_0, E_1, E_2 for p = 3, greatest distance": equals("0"),
    "rate I_1 against its integral": equals("0"),
    "complexity of index 0 at -E_∞": equals(String.raw`\tfrac12 \log(p - 1) - \tfrac{p - 2}{p}`),
  },
  mutants: {
    "the Hessian of space, not of the sphere": {
      "p = 2: index at the eigenvector of the k-th eigenvalue": (_, { theory }) => theory + 0.5,
    },
    "every index is that of the limit": {
      "greatest distance of an index from (n - 1) α(u)": () => 0.1,
    },
    "levels of the next index": {
      "E_∞, E_0, E_1, E_2 for p = 3, greatest distance": () => spinLevel(3, 0) - spinLevel(3, 1),
    },
  },
  async run({ p: order, n }, { random, budget, scale, progress }) {
    const p = Number(order);
    const model = spinModel(n, p, random.split("couplings").normal(n ** p));
    const wanted = budget === "cheap" ? 4 : scale(60);
    const points = await criticalPoints(model, wanted, random.split("starts"), progress);
    const threshold = spinThreshold(p);
    const mirrored = await Promise.all(
      points.slice(0, 4).map(({ s }) =>
        spinCriticalPoint(
          model,
          s.map((v) => -v),
        ),
      ),
    );
    const sums = mirrored.map((other, k) =>
      Math.abs(n - 1 - points[k]!.index - (other?.index ?? Number.NaN)),
    );
    const apart = points.map(({ u, index }) => Math.abs(index - (n - 1) * spinIndexFraction(p, u)));
    // For p = 2 heights are eigenvalues: the index is how many lie below.
    const ranks = p === 2 ? await ranksOf(model, points) : [];
    const levels = [spinThreshold(3), ...[0, 1, 2].map((k) => spinLevel(3, k))];
    const known = [1.63299, 1.657, 1.65287, 1.65025];
    const at = -1.1 * threshold;
    return {
      ...(budget !== "cheap" && { figure: figure(p, n, points) }),
      table: {
        title: "critical points",
        columns: ["height u", "negative eigenvalues", "of the limit (n - 1) α(u)"],
        rows: points.map(({ u, index }) => [u, index, (n - 1) * spinIndexFraction(p, u)]),
      },
      claims: {
        // Newton's method ends below 10^-8; heights are computed from H, multipliers by the method.
        ...(points.length > 0 && {
          "|∇H - p u σ| at critical points": checked(
            Math.max(...points.map(({ residual, multiplier, u }) => residual + Math.abs(multiplier - p * u))),
            0,
            { tolerance: 1e-7 },
          ),
          // The count of eigenvalues of a Gaussian symmetric matrix below a level has a variance of about (ln n + 2) / pi^2, below 1
          // for these n, and a mean within 1 of the limit's: 3 is two deviations of at most 1 beyond.
          "greatest distance of an index from (n - 1) α(u)": sampled(Math.max(...apart), 3),
        }),
        ...(p % 2 === 1 &&
          sums.length > 0 && {
            "n - 1 less the index at σ (p odd): index at -σ": checked(Math.max(...sums), 0),
          }),
        ...(ranks.length > 0 && {
          "p = 2: index at the eigenvector of the k-th eigenvalue": checked(points[0]!.index, ranks[0]!),
        }),
        // Five decimals are known.
        "E_∞, E_0, E_1, E_2 for p = 3, greatest distance": checked(
          Math.max(...levels.map((level, k) => Math.abs(level - known[k]!))),
          0,
          { tolerance: 5.1e-6 },
        ),
        "rate I_1 against its integral": checked(
          spinRate(p, at) - (2 / threshold ** 2) * integralOfRoot(threshold, -at),
          0,
          { tolerance: 1e-9 },
        ),
        "complexity of index 0 at -E_∞": checked(
          spinComplexity(p, 0, -threshold),
          Math.log(p - 1) / 2 - (p - 2) / p,
          { tolerance: 1e-14 },
        ),
      },
    };
  },
});

/** Points that Newton's method finds from starts at heights all over [-E_0, E_0]. */
async function criticalPoints(
  model: SpinModel,
  wanted: number,
  random: Random,
  progress: (share: number) => Promise<void> | void,
): Promise<readonly SpinCriticalPoint[]> {
  const found: SpinCriticalPoint[] = [];
  const most = spinThreshold(model.p);
  for (let k = 0; k < 2 * wanted && found.length < wanted; k++) {
    const draw = random.split(`${k}`);
    const start = spinStart(model, most * (2 * draw.uniform() - 1), draw);
    const point = await spinCriticalPoint(model, start);
    if (point) found.push(point);
    await progress(found.length / wanted);
  }
  return found;
}

/** H of p = 2 on the eigenvectors are n times the eigenvalues of the couplings over sqrt(n): how many lie below each height. */
async function ranksOf(model: SpinModel, points: readonly SpinCriticalPoint[]): Promise<readonly number[]> {
  const { symmetricEigenvalues } = await import("../../linear-algebra/eigen.ts");
  const { n } = model;
  const entries = model.hessian(new Float64Array(n)).map((v) => v / 2);
  const values = await symmetricEigenvalues({ rows: n, columns: n, entries });
  return points.map(({ u }) => values.filter((v) => v < u - 1e-9).length);
}

/** The integral of sqrt(z^2 - a^2) from a to b, with z = a cosh t, by Simpson's rule. */
function integralOfRoot(a: number, b: number): number {
  const end = Math.acosh(b / a);
  const f = (t: number) => (a * Math.sinh(t)) ** 2;
  const [count, step] = [400, end / 400];
  let sum = f(0) + f(end);
  for (let k = 1; k < count; k++) sum += (k % 2 === 1 ? 4 : 2) * f(k * step);
  return (sum * step) / 3;
}

function figure(p: number, n: number, points: readonly SpinCriticalPoint[]): Figure {
  const most = spinThreshold(p);
  const heights = Array.from({ length: 101 }, (_, k) => most * (k / 50 - 1));
  const levels = [0, 1, 2].map((k) => spinLevel(p, k));
  const low = Array.from({ length: 61 }, (_, k) => -most - ((levels[0]! * 1.01 - most) * k) / 60);
  return {
    title: `Critical points of a spin glass, p = ${p}, n = ${n}`,
    panels: [
      {
        title: "Share of directions that lead down",
        x: { label: "height u = H / n" },
        y: { label: "index / (n - 1)" },
        series: [
          {
            name: "critical points",
            mark: "dots",
            points: points.map(({ u, index }) => [u, index / (n - 1)] as const),
          },
          {
            name: "limit of many spins",
            mark: "line",
            role: "theory",
            points: heights.map((u) => [u, spinIndexFraction(p, u)] as const),
          },
        ],
      },
      {
        title: "How many of a finite index, at the bottom: e^(nΘ)",
        x: { label: "height u, up to -E_∞" },
        y: { label: "Θ" },
        series: [0, 1, 2].map((k) => ({
          name: `index ${k}`,
          mark: "line" as const,
          role: "theory" as const,
          points: low.map((u) => [u, spinComplexity(p, k, u)] as const),
        })),
      },
    ],
  };
}
