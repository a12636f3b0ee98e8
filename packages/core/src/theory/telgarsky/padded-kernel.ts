import type { Figure } from "../../figure/figure.ts";
import { tensor } from "../../graph/tensor.ts";
import { limitKernel } from "../../kernels/limit-kernel.ts";
import {
  arcCosineProfile,
  circleEigenvalue,
  paddedCircleEigenvalue,
  paddedCoefficients,
  paddedProfile,
} from "../../kernels/padded-kernel.ts";
import { cholesky, choleskySolve } from "../../linear-algebra/cholesky.ts";
import { dot } from "../../linear-algebra/dot.ts";
import { matrixOfRows } from "../../linear-algebra/rows.ts";
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import { atLeast, checked, equals, fitted } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

/** Terms of the series, and steps around the circle. */
const [terms, steps] = [200, 4096];
/** How far an integral over the circle by these steps may be off: of a kink with a slope below 1, less than this. */
const byKink = 4 / steps ** 2;

export default lemma({
  id: "T-21",
  covers: ["T-21"],
  kind: "algorithm",
  title: "With padding, the kernel of infinitely many ReLUs approximates every continuous function",
  source: "Telgarsky, Proposition 3.25",
  statement: String.raw`k(x, x') = f(u^\top u'), \quad f(z) = \frac{z + \frac12}{2} - \frac{(z + \frac12) \arccos(z + \frac12)}{2 \pi} = \sum_n c_n z^n, \quad c_n > 0 \text{ for all } n, \qquad x = (u, \tfrac{1}{\sqrt2})`,
  parameters: {
    d: integer({ min: 3, max: 6, default: 3, label: "inputs, padding included" }),
    n: integer({ min: 2, max: 12, default: 6, label: "points" }),
    j: integer({ min: 0, max: 9, default: 3, label: "frequency on a circle" }),
    z: real({ min: -0.49, max: 0.49, default: 0.3, label: "z" }),
  },
  claims: {
    "f(z), by 200 terms of its series": equals("f(z)"),
    "least of 200 coefficients, times 2^n": atLeast("0"),
    "k of two padded points, by the recursion of kernels": equals("f(u^\\top u')"),
    "k of two padded points, as printed": equals(
      String.raw`\tfrac1\pi x^\top x' - \tfrac{1}{2\pi} x^\top x' \arccos(x^\top x')`,
    ).printed({
      where: "proof of Proposition 3.25",
      printed: String.raw`(x, x') \mapsto \frac{x^\top x'}{\pi} - \frac{x^\top x' \arccos(x^\top x')}{2\pi}`,
      corrected: String.raw`(x, x') \mapsto \frac{x^\top x'}{2} - \frac{x^\top x' \arccos(x^\top x')}{2\pi}`,
    }),
    "least eigenvalue of the Gram matrix of padded points": atLeast("0"),
    "interpolant at its points, greatest error": equals("0"),
    "eigenvalue of cos jt, padded": equals(
      String.raw`\textstyle\sum_i c_{j + 2i} \binom{j + 2i}{i} 4^{-j - 2i}`,
    ),
    "eigenvalue of cos jt, not padded": equals(
      String.raw`\tfrac{1}{\pi^2}, \tfrac18, \tfrac{1}{2\pi^2} \left( \tfrac{1}{(j-1)^2} + \tfrac{1}{(j+1)^2} \right) \text{ for } j = 0, 1, \text{ even, and } 0 \text{ for odd } j \ge 3`,
    ),
    "error of interpolants of cos 3t, exponent in the number of points": equals("-2").rate(),
  },
  mutants: {
    "no padding": {
      "eigenvalue of cos jt, padded": ({ j }) => plainEigenvalue(j),
    },
    "a factor n lost in the coefficients": {
      "f(z), by 200 terms of its series": ({ z }) =>
        paddedCoefficients(terms).reduce((sum, c, n) => sum + (c / Math.max(1, n)) * z ** n, 0),
    },
    "padded after all": {
      "eigenvalue of cos jt, not padded": ({ j }) => (j > 2 ? paddedCircleEigenvalue(j) : Number.NaN),
    },
  },
  async run({ d, n, j, z }, { random, budget, progress }) {
    const coefficients = paddedCoefficients(terms);
    const partial = (at: number): number => coefficients.reduce((sum, c, k) => sum + c * at ** k, 0);
    const u = Array.from({ length: n }, () => random.sphere(d - 1).map((v) => v * Math.SQRT1_2));
    const padded = u.map((point) => [...point, Math.SQRT1_2]);
    const kernel = await innerKernel(padded, d);
    const gram = u.map((p) => u.map((q) => paddedProfile(dot(p, q))));
    await progress(0.3);
    const product = dot(padded[0]!, padded[1]!);
    const rounding = 2 ** -46 * (1 + 1 / Math.sqrt(Math.max(1e-30, 1 - product)));
    const { values } = symmetricEigen(gram);
    return {
      ...(budget !== "cheap" && { figure: figure() }),
      claims: {
        // All coefficients are positive: what is left at z is at most what is left at 1/2, times (2 |z|)^200.
        "f(z), by 200 terms of its series": checked(partial(z), paddedProfile(z), {
          tolerance: (paddedProfile(1 / 2) - partial(1 / 2)) * (2 * Math.abs(z)) ** terms + 2 ** -48,
        }),
        "least of 200 coefficients, times 2^n": checked(
          Math.min(...coefficients.map((c, k) => c * 2 ** -k)),
          0,
        ),
        "k of two padded points, by the recursion of kernels": checked(
          kernel[1]!,
          paddedProfile(dot(u[0]!, u[1]!)),
          { tolerance: rounding },
        ),
        "k of two padded points, as printed": checked(
          kernel[1]!,
          product / Math.PI - (product * Math.acos(Math.min(1, product))) / (2 * Math.PI),
          { tolerance: rounding },
        ),
        "least eigenvalue of the Gram matrix of padded points": checked(values[0]!, 0, {
          tolerance: 2 ** -46 * n,
        }),
        ...(values[0]! > 1e-9 && {
          "interpolant at its points, greatest error": checked(
            await interpolationError(gram, random.normal(n)),
            0,
            { tolerance: (2 ** -46 * n) / values[0]! },
          ),
        }),
        "eigenvalue of cos jt, padded": checked(
          circleEigenvalue((t) => paddedProfile(Math.cos(t) / 2), j, steps),
          paddedCircleEigenvalue(j),
          { tolerance: byKink },
        ),
        "eigenvalue of cos jt, not padded": checked(
          circleEigenvalue((t) => arcCosineProfile(Math.cos(t)), j, steps),
          plainEigenvalue(j),
          { tolerance: byKink },
        ),
        "error of interpolants of cos 3t, exponent in the number of points": fitted(
          [32, 48, 64, 96, 128, 192].map((count) => [count, aliasedError(count)] as const),
          -2,
          0.01, // what else there is falls with the square of the number, too
        ),
      },
    };
  },
});

/** The inner layer's part of the tangent kernel: with W_std = sqrt(d) units are v x, v ~ N(0, I). */
async function innerKernel(points: readonly (readonly number[])[], d: number): Promise<Float64Array> {
  const x = tensor(points.map((p) => [...p]));
  const { nngp, ntk } = await limitKernel(`${d}-8nobias-relu-1nobias`, x, { wStd: Math.sqrt(d) });
  return ntk.map((k, i) => (k - nngp[i]!) / d);
}

/** Solves K alpha = y, and looks at the points. */
async function interpolationError(gram: readonly (readonly number[])[], y: Float64Array): Promise<number> {
  const wanted = { rows: y.length, columns: 1, entries: y };
  const { entries: alpha } = await choleskySolve(await cholesky(matrixOfRows(gram)), wanted);
  return Math.max(...gram.map((row, i) => Math.abs(dot(row, alpha) - y[i]!)));
}

/** Of cos t (pi - |t|) / (2 pi): a triangle wave, shifted by one frequency up and down. */
function plainEigenvalue(j: number): number {
  if (j === 1) return 1 / 8;
  return j % 2 === 1 ? 0 : (1 / (j - 1) ** 2 + 1 / (j + 1) ** 2) / (2 * Math.PI ** 2);
}

/**
 * The error of the interpolant of cos 3t at so many equidistant points of the circle half way between two of them, where it
 * is greatest, as a part of cos 3t. Their Gram matrix has the eigenvector cos(3 t_i): the coefficients are these numbers
 * over its eigenvalue.
 */
function aliasedError(count: number, kernel = paddedOnCircle, ridge = 0): number {
  const nodes = Array.from({ length: count }, (_, i) => (2 * Math.PI * i) / count);
  const eigenvalue = nodes.reduce((sum, t) => sum + kernel(t) * Math.cos(3 * t), 0);
  const t = Math.PI / count;
  const found = nodes.reduce((sum, node) => sum + kernel(t - node) * Math.cos(3 * node), 0);
  return Math.abs(1 - found / ((eigenvalue + ridge) * Math.cos(3 * t)));
}

const paddedOnCircle = (t: number): number => paddedProfile(Math.cos(t) / 2);
const plainOnCircle = (t: number): number => arcCosineProfile(Math.cos(t));

function figure(): Figure {
  const frequencies = Array.from({ length: 16 }, (_, j) => j);
  const counts = [8, 12, 16, 24, 32, 48, 64, 96, 128];
  return {
    title: "Padding makes the kernel of infinitely many ReLUs universal",
    panels: [
      {
        title: "Eigenvalues on the circle",
        x: { label: "frequency j" },
        y: { label: "eigenvalue of cos jt", scale: "log" },
        series: [
          {
            name: "padded",
            mark: "dots",
            points: frequencies.map((j) => [j, circleEigenvalue(paddedOnCircle, j, steps)] as const),
          },
          {
            name: "not padded (0 for odd j ≥ 3)",
            mark: "dots",
            points: frequencies.flatMap((j) =>
              j % 2 === 0 || j === 1 ? [[j, circleEigenvalue(plainOnCircle, j, steps)] as const] : [],
            ),
          },
        ],
      },
      {
        title: "Kernel ridge regression of cos 3t, ridge 10⁻⁶",
        x: { label: "points on the circle", scale: "log" },
        y: { label: "error half way between two, as a part", scale: "log" },
        series: [
          {
            name: "padded",
            mark: "dots",
            points: counts.map((n) => [n, aliasedError(n, paddedOnCircle, 1e-6)] as const),
          },
          {
            name: "not padded",
            mark: "dots",
            points: counts.map((n) => [n, aliasedError(n, plainOnCircle, 1e-6)] as const),
          },
        ],
      },
    ],
  };
}
