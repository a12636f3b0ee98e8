// Small networks that start at 0, all of whose weights are trained until the labels are fitted or no step helps any more.

import type { Random } from "../../numbers/random.ts";
import { networkValue, type Signal, type SmallNetwork } from "./small-network.ts";

export interface Examples {
  readonly x: readonly Signal[];
  readonly y: readonly number[];
}

/** Steps of a training at most; it ends before that when the errors are 0, or one step saves less than a share of 1e-5. */
const most = 60;
const [fitsBelow, tiny] = [1e-10, 1e-5];

/** The outer weights have this deviation over the root of the width: so large that the features move little (lazy training). */
const outer = 5;

export interface FittedNetwork {
  /** theta_0 and theta. */
  readonly start: SmallNetwork;
  readonly network: SmallNetwork;
  /** Phi(x, theta) - Phi(x, theta_0) */
  readonly value: (x: Signal) => number;
  /** The mean of the squared errors on the examples. */
  readonly error: number;
}

/**
 * Phi(x, theta) - Phi(x, theta_0) of a network inputs - width - tanh - 1 with normal weights theta_0, where theta minimizes
 * sum_i (error_i)^2 + decay |theta - theta_0|^2 near theta_0 (Levenberg and Marquardt).
 * @example fitNetwork(3, { x: [[1], [2]], y: [1, 0] }, createRandom(1)).error < 1e-9 // true
 */
export function fitNetwork(width: number, { x, y }: Examples, random: Random, decay = 0): FittedNetwork {
  const start = drawNetwork(width, x[0]!.length, random);
  const targets = x.map((v, i) => y[i]! + networkValue(start, v));
  const rows = x.map(() => new Float64Array(start.weights.length));
  const errors = (network: SmallNetwork): Float64Array =>
    Float64Array.from(x, (v, i) => networkValue(network, v, rows[i]) - targets[i]!);
  const away = ({ weights }: SmallNetwork): Float64Array => weights.map((w, p) => w - start.weights[p]!);
  const objective = (network: SmallNetwork): number => {
    const r = Float64Array.from(x, (v, i) => networkValue(network, v) - targets[i]!);
    return square(r) + (decay > 0 ? decay * square(away(network)) : 0);
  };
  let [network, least, damping] = [start, objective(start), 1e-2];
  for (let k = 0; k < most && least > fitsBelow * x.length; k++) {
    const by = dampedStep(rows, errors(network), away(network), decay, damping);
    const tried = { ...network, weights: network.weights.map((w, p) => w + by[p]!) };
    const found = objective(tried);
    const saved = 1 - found / least;
    if (saved > 0) [network, least, damping] = [tried, found, damping / 8];
    else damping *= 4;
    if (saved > 0 && saved < tiny) break;
  }
  return {
    ...{ start, network },
    value: (v) => networkValue(network, v) - networkValue(start, v),
    error: x.reduce((sum, v, i) => sum + (networkValue(network, v) - targets[i]!) ** 2, 0) / x.length,
  };
}

const square = (v: Float64Array): number => v.reduce((sum, e) => sum + e * e, 0);

function drawNetwork(width: number, inputs: number, random: Random): SmallNetwork {
  const W = random.normal(width * inputs).map((v) => v / Math.sqrt(inputs));
  const b = random.normal(width).map((v) => v / 2);
  const a = random.normal(width).map((v) => (outer * v) / Math.sqrt(width));
  return { inputs, width, weights: Float64Array.of(...W, ...b, ...a, 0) };
}

/**
 * h that minimizes |J h + r|^2 + decay |h + s|^2 + damping |h|^2, by the smaller of two systems: with mu = decay + damping
 * and q = decay s, (J^T J + mu I) h = -(J^T r + q), or h = J^T v - q / mu, (J J^T + mu I) v = J q / mu - r.
 */
function dampedStep(
  J: readonly Float64Array[],
  r: Float64Array,
  s: Float64Array,
  decay: number,
  damping: number,
): Float64Array {
  const [m, size, mu] = [J.length, s.length, decay + damping];
  if (m < size) {
    const q = s.map((v) => (decay * v) / mu);
    const gram = J.map((a, i) =>
      Float64Array.from({ length: i + 1 }, (_, k) => inner(a, J[k]!) + (i === k ? mu : 0)),
    );
    const v = solved(
      gram,
      r.map((e, i) => inner(J[i]!, q) - e),
    );
    const h = q.map((e) => -e);
    J.forEach((row, i) => {
      for (let p = 0; p < size; p++) h[p]! += v[i]! * row[p]!;
    });
    return h;
  }
  const right = s.map((v) => -decay * v);
  const normal = Array.from({ length: size }, (_, p) => new Float64Array(p + 1));
  J.forEach((row, i) => {
    for (let p = 0; p < size; p++) {
      right[p]! -= row[p]! * r[i]!;
      for (let q = 0; q <= p; q++) normal[p]![q]! += row[p]! * row[q]!;
    }
  });
  normal.forEach((row, p) => {
    row[p]! += mu;
  });
  return solved(normal, right);
}

const inner = (a: Float64Array, b: Float64Array): number => {
  let sum = 0;
  for (let p = 0; p < a.length; p++) sum += a[p]! * b[p]!;
  return sum;
};

/** A x = b by Cholesky's factors, over the lower triangle of A, which they replace. */
function solved(A: readonly Float64Array[], b: Float64Array): Float64Array {
  const x = Float64Array.from(b);
  A.forEach((row, i) => {
    for (let j = 0; j <= i; j++) {
      let sum = row[j]!;
      for (let k = 0; k < j; k++) sum -= row[k]! * A[j]![k]!;
      row[j] = i === j ? Math.sqrt(Math.max(sum, Number.MIN_VALUE)) : sum / A[j]![j]!;
    }
    for (let k = 0; k < i; k++) x[i]! -= row[k]! * x[k]!;
    x[i]! /= row[i]!;
  });
  for (let i = A.length - 1; i >= 0; i--) {
    for (let k = i + 1; k < A.length; k++) x[i]! -= A[k]![i]! * x[k]!;
    x[i]! /= A[i]![i]!;
  }
  return x;
}
