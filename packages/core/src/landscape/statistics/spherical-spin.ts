// The spherical p-spin model: a random polynomial on a sphere, whose critical points have an index that goes with their height.
// H(s) = n^(-(p-1)/2) sum J_(i1 ... ip) s_i1 ... s_ip on |s|^2 = n; u = H / n.
import { symmetricEigenvalues } from "../../linear-algebra/eigen.ts";
import type { Random } from "../../numbers/random.ts";
import { LandscapeError } from "../error.ts";
import { eliminated } from "./eliminate.ts";

export interface SpinModel {
  readonly n: number;
  readonly p: number;
  /** H and its derivatives in all of space. */
  energy(s: Float64Array): number;
  gradient(s: Float64Array): Float64Array;
  /** Row by row. */
  hessian(s: Float64Array): Float64Array;
}

/**
 * The model of p couplings J with one number for every choice of p coordinates, in the order of a tensor.
 * @example spinModel(2, 2, Float64Array.of(1, 0, 0, 1)).energy(Float64Array.of(1, 1)) // about 1.414
 */
export function spinModel(n: number, p: number, couplings: Float64Array): SpinModel {
  if (!(p >= 2) || couplings.length !== n ** p)
    throw new LandscapeError(`a model of ${n} spins and p = ${p} >= 2 has ${n ** p} couplings`);
  const symmetric = symmetrized(couplings, n, p);
  const scale = n ** (-(p - 1) / 2);
  /** The tensor with s put into all places but so many. */
  const contracted = (s: Float64Array, left: number): Float64Array => {
    let tensor = symmetric;
    for (let order = p; order > left; order--) {
      const next = new Float64Array(n ** (order - 1));
      for (let k = 0; k < next.length; k++)
        for (let i = 0; i < n; i++) next[k]! += s[i]! * tensor[k * n + i]!;
      tensor = next;
    }
    return tensor;
  };
  return {
    ...{ n, p },
    energy: (s) => scale * contracted(s, 0)[0]!,
    gradient: (s) => contracted(s, 1).map((v) => p * scale * v),
    hessian: (s) => contracted(s, 2).map((v) => p * (p - 1) * scale * v),
  };
}

/** The mean over all orders of the places: each pair of neighbours in turn, so often that all orders have come. */
function symmetrized(tensor: Float64Array, n: number, p: number): Float64Array {
  const orders = permutations(p);
  const place = new Int32Array(p);
  return tensor.map((_, k) => {
    for (let a = p - 1, rest = k; a >= 0; a--, rest = Math.floor(rest / n)) place[a] = rest % n;
    let sum = 0;
    for (const order of orders) sum += tensor[order.reduce((at, a) => at * n + place[a]!, 0)]!;
    return sum / orders.length;
  });
}

const permutations = (p: number): readonly (readonly number[])[] =>
  p === 0
    ? [[]]
    : permutations(p - 1).flatMap((rest) =>
        Array.from({ length: p }, (_, k) => [...rest.slice(0, k), p - 1, ...rest.slice(k)]),
      );

export interface SpinCriticalPoint {
  readonly s: Float64Array;
  /** H / n. */
  readonly u: number;
  /** |grad H - lambda s| / sqrt(n), and lambda, which is p u. */
  readonly residual: number;
  readonly multiplier: number;
  /** Negative eigenvalues of the Hessian along the sphere, P (H'' - lambda) P, of n - 1. */
  readonly index: number;
}

/**
 * The critical point that Newton's method on (grad H - lambda s, (n - |s|^2) / 2) finds from a start; undefined where it finds
 * none in so many steps.
 * @example (await spinCriticalPoint(spinModel(2, 2, Float64Array.of(1, 0, 0, 2)), Float64Array.of(1, 0.2))).index // 0
 */
export async function spinCriticalPoint(
  model: SpinModel,
  start: Float64Array,
  steps = 60,
): Promise<SpinCriticalPoint | undefined> {
  const { n, p } = model;
  const length = Math.sqrt(dot(start, start) / n);
  let s = start.map((v) => v / length);
  let multiplier = (p * model.energy(s)) / n;
  const restOf = () => model.gradient(s).map((g, i) => g - multiplier * s[i]!);
  for (let step = 0; step < steps; step++) {
    const rest = restOf();
    const off = (n - dot(s, s)) / 2;
    if (Math.sqrt(dot(rest, rest) / n) < 1e-11 && Math.abs(off) < 1e-11 * n) break;
    const hessian = model.hessian(s);
    const rows = Array.from({ length: n + 1 }, (_, i) =>
      i < n
        ? Float64Array.from({ length: n + 2 }, (__, j) =>
            j < n ? hessian[i * n + j]! - (i === j ? multiplier : 0) : j === n ? -s[i]! : -rest[i]!,
          )
        : Float64Array.from({ length: n + 2 }, (__, j) => (j < n ? -s[j]! : j === n ? 0 : -off)),
    );
    const change = eliminated(rows);
    if (!change) return undefined;
    s = s.map((v, i) => v + change[i]!);
    multiplier += change[n]!;
  }
  const rest = restOf();
  const residual = Math.sqrt(dot(rest, rest) / n);
  if (!(residual < 1e-8) || !(Math.abs(dot(s, s) / n - 1) < 1e-8)) return undefined;
  return { s, u: model.energy(s) / n, residual, multiplier, index: await indexAt(model, s, multiplier) };
}

const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, v, k) => sum + v * b[k]!, 0);

/** The radius itself is lifted above all eigenvalues, so that it is not counted. */
async function indexAt(model: SpinModel, s: Float64Array, multiplier: number): Promise<number> {
  const { n } = model;
  const hessian = model.hessian(s);
  const across = (i: number, j: number): number => (i === j ? 1 : 0) - (s[i]! * s[j]!) / n;
  const entries = new Float64Array(n * n);
  const half = new Float64Array(n * n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++)
      for (let k = 0; k < n; k++)
        half[i * n + j]! += across(i, k) * (hessian[k * n + j]! - (k === j ? multiplier : 0));
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) {
      let sum = (s[i]! * s[j]!) / n;
      for (let k = 0; k < n; k++) sum += half[i * n + k]! * across(k, j);
      entries[i * n + j] = sum;
    }
  for (let i = 0; i < n; i++)
    for (let j = 0; j < i; j++)
      entries[i * n + j] = entries[j * n + i] = (entries[i * n + j]! + entries[j * n + i]!) / 2;
  const values = await symmetricEigenvalues({ rows: n, columns: n, entries });
  return values.filter((v) => v < 0).length;
}

/**
 * A start on the sphere whose height is about u: along the gradient from a random point.
 * @example spinStart(spinModel(3, 2, new Float64Array(9)), 0, createRandom(1)).length // 3
 */
export function spinStart(model: SpinModel, u: number, random: Random): Float64Array {
  const { n } = model;
  let s = random.sphere(n).map((v) => v * Math.sqrt(n));
  const height = () => model.energy(s) / n;
  const way = Math.sign(u - height());
  for (let step = 0; step < 400 && way * (u - height()) > 0; step++) {
    const pull = model.gradient(s);
    const moved = s.map((v, i) => v + way * 0.02 * pull[i]!);
    const length = Math.sqrt(dot(moved, moved) / n);
    s = moved.map((v) => v / length);
  }
  return s;
}

/**
 * E_infinity = 2 sqrt((p - 1) / p): at heights below -E_infinity all but finitely many eigenvalues are positive.
 * @example spinThreshold(4) // about 1.732
 */
export const spinThreshold = (p: number): number => 2 * Math.sqrt((p - 1) / p);

/**
 * The fraction of negative eigenvalues at height u, in the limit of many spins: a semicircle of radius 2 sqrt(p (p - 1)) about -p u.
 * @example spinIndexFraction(3, 0) // 0.5
 */
export function spinIndexFraction(p: number, u: number): number {
  const v = Math.min(1, Math.max(-1, u / spinThreshold(p)));
  return 0.5 + (v * Math.sqrt(1 - v * v) + Math.asin(v)) / Math.PI;
}

/**
 * Theta_k(u) for u <= -E_infinity: e^(n Theta) critical points of index k are expected below n u (Auffinger, Ben Arous, Cerny).
 * @example spinComplexity(2, 0, -spinThreshold(2)) // 0
 */
export function spinComplexity(p: number, k: number, u: number): number {
  return Math.log(p - 1) / 2 - ((p - 2) / (4 * (p - 1))) * u * u - (k + 1) * spinRate(p, u);
}

/**
 * I_1(u) = 2 / E_infinity^2 times the integral of sqrt(z^2 - E_infinity^2) from E_infinity to -u.
 * @example spinRate(3, -spinThreshold(3)) // 0
 */
export function spinRate(p: number, u: number): number {
  const least = spinThreshold(p);
  const root = Math.sqrt(Math.max(0, u * u - least * least));
  return (-u / least ** 2) * root - Math.log(-u + root) + Math.log(least);
}

/**
 * E_k: below -n E_k no critical points of index k or more are expected; the zero of Theta_k.
 * @example spinLevel(3, 0) // about 1.657
 */
export function spinLevel(p: number, k: number): number {
  let [low, high] = [spinThreshold(p), 2 * Math.sqrt(p) + 2];
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2;
    if (spinComplexity(p, k, -middle) > 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
