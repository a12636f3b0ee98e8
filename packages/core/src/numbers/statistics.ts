// Distribution functions and their inverses, to nearly full f64 precision, also far in the tails (relative error).
import { NumberError } from "./error.ts";
import { mean, sum } from "./sum.ts";

const converged = 2e-16;
const largestLog = 709; // e^709 is still a number
const maxIterations = 1_000_000;

function demand(condition: boolean, what: string): void {
  if (!condition) throw new NumberError(what);
}

/**
 * P(X >= k) for X binomial: n trials, each a success with probability p. It is I_p(k, n - k + 1).
 * @example binomialTail(2, 0.5, 1) // 0.75
 */
export function binomialTail(n: number, p: number, k: number): number {
  demand(Number.isSafeInteger(n) && n >= 0, `binomialTail: n = ${n} is not a number of trials`);
  demand(p >= 0 && p <= 1, `binomialTail: p = ${p} is not a probability`);
  demand(!Number.isNaN(k), "binomialTail: k is not a number");
  const least = Math.ceil(k);
  if (least <= 0) return 1;
  return least > n ? 0 : incompleteBeta(least, n - least + 1, p, 1 - p);
}

/**
 * P(X >= k) for X the number of successes in independent trials with these probabilities. Exact up to rounding:
 * a recursion over the trials that only adds positive terms.
 * @example poissonBinomialTail([0.5, 0.1], 2) // 0.05
 */
export function poissonBinomialTail(probabilities: ArrayLike<number>, k: number): number {
  const n = probabilities.length;
  for (let trial = 0; trial < n; trial++) {
    const p = probabilities[trial]!;
    demand(p >= 0 && p <= 1, `poissonBinomialTail: probability ${trial} is ${p}`);
  }
  demand(!Number.isNaN(k), "poissonBinomialTail: k is not a number");
  const least = Math.ceil(k);
  if (least <= 0) return 1;
  if (least > n) return 0;
  return least <= n - least
    ? reachSuccesses(probabilities, least)
    : stayWithinFailures(probabilities, n - least);
}

/** mass[j] = P(j successes so far); whoever reaches `least` stays there. */
function reachSuccesses(probabilities: ArrayLike<number>, least: number): number {
  const mass = new Float64Array(least + 1);
  mass[0] = 1;
  for (let trial = 0; trial < probabilities.length; trial++) {
    const p = probabilities[trial]!;
    mass[least]! += mass[least - 1]! * p;
    for (let j = least - 1; j > 0; j--) mass[j] = mass[j]! * (1 - p) + mass[j - 1]! * p;
    mass[0]! *= 1 - p;
  }
  return Math.min(1, mass[least]!);
}

/** mass[j] = P(j failures so far), for at most `most` failures. */
function stayWithinFailures(probabilities: ArrayLike<number>, most: number): number {
  const mass = new Float64Array(most + 1);
  mass[0] = 1;
  for (let trial = 0; trial < probabilities.length; trial++) {
    const p = probabilities[trial]!;
    for (let j = most; j > 0; j--) mass[j] = mass[j]! * p + mass[j - 1]! * (1 - p);
    mass[0]! *= p;
  }
  return Math.min(
    1,
    mass.reduce((sum, each) => sum + each, 0),
  );
}

/**
 * The regularized incomplete beta function I_x(a, b).
 * @example regularizedBeta(0.5, 2, 2) // 0.5
 */
export function regularizedBeta(x: number, a: number, b: number): number {
  demand(x >= 0 && x <= 1, `regularizedBeta: x = ${x} is not in [0, 1]`);
  demand(a > 0 && b > 0 && a + b < Infinity, `regularizedBeta: a = ${a} and b = ${b} must be positive`);
  return incompleteBeta(a, b, x, 1 - x);
}

/** I_x(a, b), with y = 1 - x given by itself so that an x near 1 loses nothing. */
function incompleteBeta(a: number, b: number, x: number, y: number): number {
  if (x <= 0) return 0;
  if (y <= 0) return 1;
  const swap = x > (a + 1) / (a + b + 2); // the fraction converges fast below the mean
  const part = swap ? betaFraction(b, a, y, x) : betaFraction(a, b, x, y);
  return swap ? 1 - part : part;
}

/** I_x(a, b) by its continued fraction (DLMF 8.17.22), evaluated by Lentz's method. */
function betaFraction(a: number, b: number, x: number, y: number): number {
  const smallest = 1e-300;
  const nonzero = (value: number): number => (Math.abs(value) < smallest ? smallest : value);
  let c = 1;
  let d = 1 / nonzero(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m < maxIterations; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / nonzero(1 + even * d);
    c = nonzero(1 + even / c);
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonzero(1 + odd * d);
    c = nonzero(1 + odd / c);
    fraction *= d * c;
    if (Math.abs(d * c - 1) <= converged) break;
  }
  return Math.min(1, (betaPower(a, b, x, y) / a) * fraction);
}

/** x^a y^b / B(a, b), by Loader's saddle point expansion: no difference of large logarithms. */
function betaPower(a: number, b: number, x: number, y: number): number {
  const n = a + b;
  const exponent =
    stirlingError(n) - stirlingError(a) - stirlingError(b) - deviance(a, n * x) - deviance(b, n * y);
  return Math.exp(exponent) * Math.sqrt((a * b) / (2 * Math.PI * n));
}

/** ln Γ(z + 1) - ln(sqrt(2 π z) (z / e)^z): Stirling's series where z is large, and a recursion to get there. */
function stirlingError(z: number): number {
  let shifted = 0;
  let w = z;
  for (; w < 16; w++) shifted += (w + 0.5) * Math.log1p(1 / w) - 1;
  const u = 1 / (w * w);
  return (
    shifted +
    (1 / 12 - u * (1 / 360 - u * (1 / 1260 - u * (1 / 1680 - u * (1 / 1188 - (u * 691) / 360360))))) / w
  );
}

/** x ln(x / mean) + mean - x, without cancellation where x is near the mean. */
function deviance(x: number, mean: number): number {
  if (Math.abs(x - mean) >= 0.1 * (x + mean)) return x * Math.log(x / mean) + mean - x;
  const v = (x - mean) / (x + mean);
  let sum = (x - mean) * v;
  let power = 2 * x * v;
  for (let n = 3; ; n += 2) {
    power *= v * v;
    const next = sum + power / n;
    if (next === sum) return sum;
    sum = next;
  }
}

/** The share of a symmetric distribution between 0 and t > 0, that beyond t, and the density times t. */
interface Shares {
  readonly centre: number;
  readonly tail: number;
  readonly slope: number;
}

function normalShares(t: number): Shares {
  const density = Math.exp(-0.5 * t * t) / Math.sqrt(2 * Math.PI);
  if (t > 2.5) {
    const tail = density * millsRatio(t);
    return { centre: 0.5 - tail, tail, slope: t * density };
  }
  let sum = t; // t + t^3 / 3 + t^5 / (3 * 5) + ...
  for (let term = t, n = 3; term > converged * sum; n += 2) {
    term *= (t * t) / n;
    sum += term;
  }
  return { centre: density * sum, tail: 0.5 - density * sum, slope: t * density };
}

/** The tail over the density: 1 / (t + 1 / (t + 2 / (t + 3 / ...))). */
function millsRatio(t: number): number {
  let fraction = t;
  for (let n = Math.ceil(20 + 400 / (t * t)); n > 0; n--) fraction = t + n / fraction;
  return 1 / fraction;
}

function studentShares(dof: number, t: number): Shares {
  if (t > 1e150) {
    const far = studentShares(dof, 1e150); // beyond, the tail is a power law, and t * t would overflow
    const factor = (t / 1e150) ** -dof;
    return { centre: 0.5, tail: far.tail * factor, slope: far.slope * factor };
  }
  const x = dof / (dof + t * t);
  const y = (t * t) / (dof + t * t);
  return {
    centre: 0.5 * incompleteBeta(0.5, dof / 2, y, x),
    tail: 0.5 * incompleteBeta(dof / 2, 0.5, x, y),
    slope: betaPower(dof / 2, 0.5, x, y),
  };
}

function cdf(t: number, shares: (t: number) => Shares): number {
  demand(!Number.isNaN(t), "a distribution function needs a number, not NaN");
  if (t === 0) return 0.5;
  if (!Number.isFinite(t)) return t > 0 ? 1 : 0;
  if (t < 0) return shares(-t).tail;
  return 0.5 + shares(t).centre;
}

/** The t > 0 with this tail (or this centre, where that is the smaller one): Newton's method in log-log scale. */
function solveTail(tail: number, start: number, shares: (t: number) => Shares): number {
  let logT = Math.log(start);
  for (let step = 0; step < 100; step++) {
    const at = shares(Math.exp(logT));
    if (at.tail === 0 || at.centre === 0) break; // below the smallest number: no better answer
    const move =
      tail < 0.25
        ? (Math.log(at.tail / tail) * at.tail) / at.slope
        : (-Math.log(at.centre / (0.5 - tail)) * at.centre) / at.slope;
    logT = Math.min(largestLog, logT + Math.max(-2, move));
    if (Math.abs(move) < converged) break;
  }
  return logT === largestLog ? Infinity : Math.exp(logT);
}

function quantile(
  probability: number,
  start: (tail: number) => number,
  shares: (t: number) => Shares,
): number {
  demand(probability >= 0 && probability <= 1, `${probability} is not a probability`);
  if (probability === 0.5) return 0;
  if (probability === 0 || probability === 1) return probability === 0 ? -Infinity : Infinity;
  const tail = Math.min(probability, 1 - probability);
  return Math.sign(probability - 0.5) * solveTail(tail, start(tail), shares);
}

/** P(Z <= x) for Z standard normal. `normalCdf(0)` is 0.5. */
export const normalCdf = (x: number): number => cdf(x, normalShares);

/** The x with P(Z <= x) = probability, Z standard normal. `normalQuantile(0.975)` is 1.959964 */
export const normalQuantile = (probability: number): number =>
  quantile(probability, normalStart, normalShares);

/** A first guess: the leading terms of the tail, or of the centre. */
function normalStart(tail: number): number {
  if (tail >= 0.25) return Math.max(1e-300, (0.5 - tail) * Math.sqrt(2 * Math.PI));
  const t = Math.sqrt(-2 * Math.log(tail));
  return t - (2.30753 + 0.27061 * t) / (1 + 0.99229 * t + 0.04481 * t * t); // Abramowitz and Stegun 26.2.22
}

/** P(T <= t) for T of Student's distribution with `dof` degrees of freedom. `studentTCdf(1, 1)` is 0.75. */
export function studentTCdf(dof: number, t: number): number {
  demand(dof > 0, `studentTCdf: ${dof} degrees of freedom`);
  return dof === Infinity ? normalCdf(t) : cdf(t, (each) => studentShares(dof, each));
}

/** The t with P(T <= t) = probability, T of Student's distribution. `studentTQuantile(1, 0.75)` is 1. */
export function studentTQuantile(dof: number, probability: number): number {
  demand(dof > 0, `studentTQuantile: ${dof} degrees of freedom`);
  if (dof === Infinity) return normalQuantile(probability);
  return quantile(probability, normalStart, (t) => studentShares(dof, t));
}

export interface PowerLawFit {
  /** The alpha of y = prefactor * x^alpha. */
  readonly exponent: number;
  readonly prefactor: number;
  /** Of the exponent. */
  readonly standardError: number;
  readonly degreesOfFreedom: number;
  /** The interval that holds the exponent with this confidence, if the errors of ln y are normal and alike. */
  interval(confidence: number): { readonly lower: number; readonly upper: number };
}

/**
 * The power law through points with positive coordinates: least squares of ln y on ln x.
 * @example fitPowerLaw([1, 2, 4], [3, 12, 48]).exponent // 2
 */
export function fitPowerLaw(xs: ArrayLike<number>, ys: ArrayLike<number>): PowerLawFit {
  const n = xs.length;
  demand(ys.length === n, `fitPowerLaw: ${n} xs but ${ys.length} ys`);
  demand(n >= 3, `fitPowerLaw: ${n} points have no error to estimate, at least 3 do`);
  const logXs = Array.from(xs, (x, k) => logOfPositive(x, `x[${k}]`));
  const logYs = Array.from(ys, (y, k) => logOfPositive(y, `y[${k}]`));
  const [meanX, meanY] = [mean(logXs), mean(logYs)];
  const spread = sum(logXs.map((x) => (x - meanX) ** 2));
  demand(spread > 0, "fitPowerLaw: all xs are equal");
  const exponent = sum(logXs.map((x, k) => (x - meanX) * (logYs[k]! - meanY))) / spread;
  const residual = sum(logXs.map((x, k) => (logYs[k]! - meanY - exponent * (x - meanX)) ** 2));
  const degreesOfFreedom = n - 2;
  const standardError = Math.sqrt(residual / degreesOfFreedom / spread);
  return {
    exponent,
    prefactor: Math.exp(meanY - exponent * meanX),
    standardError,
    degreesOfFreedom,
    interval(confidence) {
      demand(confidence > 0 && confidence < 1, `a confidence of ${confidence} is not between 0 and 1`);
      const halfWidth = -studentTQuantile(degreesOfFreedom, (1 - confidence) / 2) * standardError;
      return { lower: exponent - halfWidth, upper: exponent + halfWidth };
    },
  };
}

function logOfPositive(value: number, name: string): number {
  demand(value > 0 && value < Infinity, `fitPowerLaw: ${name} = ${value} is not a positive number`);
  return Math.log(value);
}
