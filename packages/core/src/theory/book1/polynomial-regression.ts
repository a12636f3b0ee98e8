import type { Figure, Panel } from "../../figure/figure.ts";
import { minimumNormRisk } from "../../generalization/double-descent/bias-variance.ts";
import { fitPolynomials, polynomialAt } from "../../generalization/double-descent/polynomial-regression.ts";
import { matrixOfRows } from "../../linear-algebra/rows.ts";
import type { Random } from "../../numbers/random.ts";
import { checked, equals, type Measurement } from "../claim.ts";
import { type LemmaTable, lemma, type RunContext } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

/** f*(z) = 8 z^3 + z^2 - z: the book does not say which cubic it drew. */
const target = [0, -1, 1, 8];
const sigma = 0.1;

export default lemma({
  id: "C1a-27",
  covers: ["C1a-27"],
  kind: "experiment",
  title: "Polynomial regression: the U-shaped curve, and its cure by a ridge",
  source: "Book, chapter 1, Figure 1.4",
  statement: String.raw`\min_\theta \frac1m \sum_{i=1}^m (\langle \theta, X^{(i)} \rangle - Y^{(i)})^2 + \alpha \|\theta\|_2^2, \qquad X = (1, Z, \dots, Z^d)`,
  parameters: {
    m: integer({ min: 7, max: 20, default: 20, label: "examples m" }),
    alpha: real({ min: 1e-4, max: 1, default: 1e-3, label: "ridge α" }),
    more: integer({ min: 0, max: 20, default: 20, label: "degrees beyond m - 1" }),
  },
  claims: {
    "training error from degree m - 1 on": equals("0"),
    "first degree that interpolates": equals("m - 1"),
    "first degree that interpolates, as printed": equals("m").printed({
      where: "caption of Figure 1.4, m = 20",
      printed: "drastic overfitting beyond the interpolation threshold at $d = 20$",
      corrected: String.raw`$d = 19$: the features $(1, Z, \dots, Z^d)$ are $d + 1$, and $20$ of them interpolate $20$ samples`,
    }),
    "degree from 3 on with the least expected risk": equals("3"),
    "degree 3, excess risk by fits to single labels": equals(
      String.raw`\sigma^2 \operatorname{Tr}(\Sigma^+ C)`,
    ),
    "degree 3 without noise": equals("0"),
    "ridge, gradient of the regularized risk": equals("0"),
    "fit of least norm, along the kernel of X": equals("0"),
  },
  mutants: {
    "d features instead of d + 1": { "first degree that interpolates": ({ m }) => m },
    "the noise not squared": {
      "degree 3, excess risk by fits to single labels": (_, { theory }) => theory / sigma,
    },
    "the example after the threshold": ({ m }) => ({ m: m + 1 }),
  },
  async run({ m, alpha, more }, context) {
    const { random, budget } = context;
    const { z, y } = drawn(m, random);
    const trainingError = (degree: number): number => fitPolynomials({ z, degree }, [y])[0]!.trainError;
    const { theta: wide, trainError } = fitPolynomials({ z, degree: m - 1 + more }, [y])[0]!;
    const ridge = fitPolynomials({ z, degree: 10, ridge: alpha }, [y])[0]!.theta;
    const units = Array.from(z, (_, i) => Array.from(z, (__, j) => Number(i === j)));
    const variance = (degree: number): number =>
      fitPolynomials({ z, degree }, units).reduce((sum, { theta }) => sum + meanOfSquare(theta), 0);
    const variances = Array.from({ length: m - 3 }, (_, k) => variance(k + 3));
    const design = matrixOfRows(Array.from(z, (v) => [1, v, v ** 2, v ** 3]));
    const split = await minimumNormRisk(design, {
      ...{ covariance: moments(3), target, noise: sigma ** 2 },
    });
    const clean = fitPolynomials({ z, degree: 3 }, [Array.from(z, (v) => polynomialAt(target, v))])[0]!.theta;
    const rounding = 2 ** -50 * m;
    return {
      ...(budget === "cheap" ? {} : await shown(m, alpha, context)),
      claims: {
        // The square of 2^-512 times a condition number below 1e60.
        "training error from degree m - 1 on": checked(trainError, 0, { tolerance: 1e-150 }),
        "first degree that interpolates": checked(firstInterpolating(m, trainingError), m - 1),
        "first degree that interpolates, as printed": checked(firstInterpolating(m, trainingError), m),
        "degree from 3 on with the least expected risk": checked(
          3 + variances.indexOf(Math.min(...variances)),
          3,
        ),
        "degree 3, excess risk by fits to single labels": checked(
          sigma ** 2 * variances[0]!,
          split.bias + split.variance,
          { tolerance: roundingOfVariance(split.variance, m) },
        ),
        "degree 3 without noise": checked(
          Math.max(...clean.map((c, k) => Math.abs(c - target[k]!))),
          0,
          { tolerance: 1e-9 }, // labels are rounded, and cubes of inputs that lie close together take that times 1e5
        ),
        "ridge, gradient of the regularized risk": checked(regularizedGradient(ridge, z, y, alpha), 0, {
          tolerance: rounding * (1 + alpha) * (1 + Math.max(...ridge.map(Math.abs))),
        }),
        ...(more > 0 && { "fit of least norm, along the kernel of X": alongKernel(wide, z, m) }),
      },
    };
  },
});

/**
 * The pseudoinverse errs by 2^-52 times the condition number of X, relatively, a few times over. Its square is at most
 * |X|^2 Tr(Sigma^+), where |X|^2 <= 4/3 m, and Tr(Sigma^+) <= Tr(Sigma^+ C) / 3e-4, the least eigenvalue of C being 3.5e-4.
 */
const roundingOfVariance = (variance: number, m: number): number =>
  2 ** -52 * 64 * Math.sqrt((4 / 3) * m * (variance / sigma ** 2 / 3e-4)) * variance;

/** Inputs that are uniform on [-1/2, 1/2], values of the cubic with noise. */
function drawn(m: number, random: Random) {
  const z = random.uniform(m).map((u) => u - 0.5);
  return { z, y: Array.from(z, (v) => polynomialAt(target, v) + sigma * random.normal()) };
}

const meanSquare = (theta: readonly number[], z: ArrayLike<number>, y: ArrayLike<number>): number =>
  Array.from(z).reduce((sum, v, i) => sum + (polynomialAt(theta, v) - y[i]!) ** 2, 0) / z.length;

/** Looked for among the degrees around m: with one example too many, a sum of squares of noise is left. */
const firstInterpolating = (m: number, error: (degree: number) => number): number =>
  [m - 3, m - 2, m - 1, m, m + 1].find((degree) => error(degree) < 1e-40)!;

/** E[Z^(j + k)], Z uniform on [-1/2, 1/2]. */
const moment = (power: number): number => (power % 2 === 1 ? 0 : 2 ** -power / (power + 1));
const moments = (degree: number) =>
  matrixOfRows(
    Array.from({ length: degree + 1 }, (_, j) =>
      Array.from({ length: degree + 1 }, (__, k) => moment(j + k)),
    ),
  );

/** E[p(Z)^2] by Romberg's rule, exact for degrees up to 17: no moment is used. */
function meanOfSquare(theta: readonly number[]): number {
  const trapezoids = Array.from({ length: 9 }, (_, level) => {
    const n = 2 ** level;
    let sum = 0;
    for (let k = 0; k <= n; k++)
      sum += (k === 0 || k === n ? 0.5 : 1) * polynomialAt(theta, k / n - 0.5) ** 2;
    return sum / n;
  });
  for (let order = 1; order < trapezoids.length; order++)
    for (let k = trapezoids.length - 1; k >= order; k--)
      trapezoids[k]! += (trapezoids[k]! - trapezoids[k - 1]!) / (4 ** order - 1);
  return trapezoids.at(-1)!;
}

/** The greatest entry of the gradient of (1/m) |X theta - y|^2 + alpha |theta|^2. */
function regularizedGradient(
  theta: readonly number[],
  z: ArrayLike<number>,
  y: ArrayLike<number>,
  alpha: number,
) {
  const errors = Array.from(z, (v, i) => polynomialAt(theta, v) - y[i]!);
  return Math.max(
    ...theta.map((c, k) =>
      Math.abs((2 / z.length) * errors.reduce((sum, e, i) => sum + e * z[i]! ** k, 0) + 2 * alpha * c),
    ),
  );
}

/**
 * <theta, v> / |v| for v of the kernel: the coefficients of the product of all (z - z_i), the least that vanishes there.
 * Rounded m times each, relative to the coefficients of the product of all (z + |z_i|).
 */
function alongKernel(theta: readonly number[], z: ArrayLike<number>, m: number): Measurement {
  const product = (shift: (v: number) => number): number[] => {
    let c = [1];
    for (let i = 0; i < m; i++) c = [...c, 0].map((_, k) => (c[k - 1] ?? 0) + shift(z[i]!) * (c[k] ?? 0));
    return c;
  };
  const [kernel, sizes] = [product((v) => -v), product(Math.abs)];
  const length = Math.hypot(...kernel);
  const along = kernel.reduce((sum, c, k) => sum + c * theta[k]!, 0) / length;
  const size = sizes.reduce((sum, c, k) => sum + c * Math.abs(theta[k]!), 0) / length;
  return checked(Math.abs(along), 0, { tolerance: 2 ** -52 * (2 * m + 2) * size });
}

const quantile = (values: readonly number[], q: number): number =>
  values.toSorted((a, b) => a - b)[Math.round(q * (values.length - 1))]!;

interface Curve {
  readonly name: string;
  readonly ridge: number;
  readonly rows: readonly { degree: number; test: readonly number[]; train: readonly number[] }[];
}

async function shown(
  m: number,
  alpha: number,
  { random, scale, progress }: RunContext,
): Promise<{ figure: Figure; table: LemmaTable }> {
  const runs = Math.max(5, scale(10));
  const degrees = [1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 18, 19, 20, 22, 25, 30, 35, 40];
  const data = Array.from({ length: runs }, () => drawn(m, random));
  const tests = drawn(200, random);
  const curves: Curve[] = [];
  for (const [name, ridge] of [
    ["least squares", 0],
    [`ridge ${alpha}`, alpha],
  ] as const) {
    const rows: Curve["rows"][number][] = [];
    for (const degree of degrees) {
      const fits = data.map(({ z, y }) => fitPolynomials({ z, degree, ridge }, [y])[0]!);
      rows.push({
        degree,
        test: fits.map(({ theta }) => meanSquare(theta, tests.z, tests.y)),
        train: fits.map((fit) => fit.trainError),
      });
      await progress((degree / 40 + (ridge > 0 ? 1 : 0)) / 2);
    }
    curves.push({ name, ridge, rows });
  }
  return {
    figure: {
      title: `Figure 1.4: ${m} examples of a cubic, ${runs} runs (printed: 10)`,
      panels: [...curves.map((curve) => curvePanel(curve, m)), examples(data[0]!, alpha)],
    },
    table: {
      title: `Medians over ${runs} runs; noise of variance ${Number((sigma ** 2).toPrecision(3))} is in every test error. The book prints no numbers.`,
      columns: ["degree", ...curves.flatMap(({ name }) => [`${name}: test`, `${name}: training`])],
      rows: degrees.map((degree, k) => [
        degree,
        ...curves.flatMap(({ rows }) => [quantile(rows[k]!.test, 0.5), quantile(rows[k]!.train, 0.5)]),
      ]),
    },
  };
}

/** The book's sweet spot is ours, its threshold is one degree too late; a ridge has neither. */
const curveTitle = ({ name, ridge }: Curve, m: number): string =>
  ridge > 0 ? `${name}: no U, no threshold` : `${name}: interpolates from d = ${m - 1} (printed: ${m})`;

const floor = 1e-6;
const curvePanel = (curve: Curve, m: number): Panel => ({
  title: curveTitle(curve, m),
  x: { label: "degree d" },
  y: { label: curve.ridge > 0 ? "squared error" : "squared error, no less than 1e-6", scale: "log" },
  series: [
    ...([0.25, 0.75] as const).map((q) => ({
      ...{ name: `test, quartile ${q === 0.25 ? 1 : 3}`, mark: "line" as const, role: "theory" as const },
      points: curve.rows.map((r) => [r.degree, Math.max(floor, quantile(r.test, q))] as const),
    })),
    {
      name: "test, median",
      mark: "line",
      points: curve.rows.map((r) => [r.degree, Math.max(floor, quantile(r.test, 0.5))]),
    },
    {
      ...{ name: "training, median", mark: "line" },
      points: curve.rows.map((r) => [r.degree, Math.max(floor, quantile(r.train, 0.5))]),
    },
  ],
});

function examples({ z, y }: ReturnType<typeof drawn>, alpha: number): Panel {
  const grid = Array.from({ length: 161 }, (_, k) => k / 160 - 0.5);
  const fit = (name: string, degree: number, ridge: number) => {
    const { theta } = fitPolynomials({ z, degree, ridge }, [y])[0]!;
    const points = grid.map((v) => [v, Math.max(-2, Math.min(2, polynomialAt(theta, v)))] as const);
    return { name, mark: "line" as const, points };
  };
  return {
    title: "Fits, cut off at ±2",
    x: { label: "z" },
    y: { label: "value" },
    series: [
      { name: "examples", mark: "dots", points: y.map((v, i) => [z[i]!, v]) },
      { name: "f*", mark: "line", role: "theory", points: grid.map((v) => [v, polynomialAt(target, v)]) },
      fit("degree 3", 3, 0),
      fit("degree 40", 40, 0),
      fit(`degree 40, ridge ${alpha}`, 40, alpha),
    ],
  };
}
