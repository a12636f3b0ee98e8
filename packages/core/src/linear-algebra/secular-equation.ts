// The roots of 1/rho + sum_j z_j^2 / (d_j - x): the eigenvalues of diag(d) + rho z z^T lie between its poles. Rational
// interpolation of the two halves of the sum (Bunch, Nielsen and Sorensen 1978; Li 1993), kept between two bounds. A root
// is found as its distance to the nearest pole, so that its distances to all poles have small relative errors.
import { memoryOf } from "./simd-memory.ts";

export interface SecularEquation {
  /** Ascending, no two the same. */
  readonly d: Float64Array;
  /** z_j^2, none of them 0. */
  readonly squares: Float64Array;
  readonly rho: number;
  /** The poles are d_j^2: differences are then computed as (d_j - d_k)(d_j + d_k). */
  readonly poles: "d" | "d^2";
}

export interface SecularRoot {
  /** The pole that the root is nearest to, but for the last root: the last pole. */
  readonly origin: number;
  /** The root minus this pole. */
  readonly tau: number;
}

/** The two halves of the sum and their slopes at a point. */
export interface Halves {
  psi: number;
  psiSlope: number;
  phi: number;
  phiSlope: number;
}

const epsilon = 2 ** -53;
const mostSteps = 80;

function sumOf(x: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < x.length; k++) sum += x[k]!;
  return sum;
}

/** Distances of all poles to one of them. */
function distancesTo({ d, poles }: SecularEquation, origin: number, into: Float64Array): void {
  const o = d[origin]!;
  if (poles === "d") for (let j = 0; j < d.length; j++) into[j] = d[j]! - o;
  else for (let j = 0; j < d.length; j++) into[j] = (d[j]! - o) * (d[j]! + o);
}

/** psi: the sum up to pole `split`; phi: the sum of the others. */
type HalvesAt = (tau: number, split: number, halves: Halves) => void;

/** From so many poles on the kernel is worth its calls. */
const worthKernel = 16;

function halvesOf(squares: Float64Array, distances: Float64Array): HalvesAt {
  const memory = squares.length >= worthKernel ? memoryOf(squares) : undefined;
  if (!memory || distances.buffer !== memory.buffer)
    return (tau, split, halves) => halvesAt(squares, distances, tau, split, halves);
  const { kernel, room } = memory;
  const [s, x, out, all] = [squares.byteOffset, distances.byteOffset, room.byteOffset, 8 * squares.length];
  return (tau, split, halves) => {
    const first = 8 * (split + 1);
    kernel.secularSums(s, x, first, tau, out);
    kernel.secularSums(s + first, x + first, all - first, tau, out + 16);
    halves.psi = room[0]!;
    halves.psiSlope = room[1]!;
    halves.phi = room[2]!;
    halves.phiSlope = room[3]!;
  };
}

function halvesAt(
  squares: Float64Array,
  distances: Float64Array,
  tau: number,
  split: number,
  halves: Halves,
): void {
  let sum = 0;
  let slope = 0;
  for (let j = 0; j <= split; j++) {
    const inverse = 1 / (distances[j]! - tau);
    const term = squares[j]! * inverse;
    sum += term;
    slope += term * inverse;
  }
  halves.psi = sum;
  halves.psiSlope = slope;
  sum = 0;
  slope = 0;
  for (let j = split + 1; j < squares.length; j++) {
    const inverse = 1 / (distances[j]! - tau);
    const term = squares[j]! * inverse;
    sum += term;
    slope += term * inverse;
  }
  halves.phi = sum;
  halves.phiSlope = slope;
}

/** The smaller or, for the last root, the greater root of c x^2 - a x + b = 0, without cancellation. */
function quadraticRoot(a: number, b: number, c: number, isLast: boolean): number {
  const root = Math.sqrt(Math.abs(a * a - 4 * b * c));
  if (isLast) return a >= 0 ? (a + root) / (2 * c) : (2 * b) / (a - root);
  return a <= 0 ? (a - root) / (2 * c) : (2 * b) / (a + root);
}

/** A first guess: the two poles around the root as they are, the others as constant as they are in the middle. */
function firstGuess(
  { squares }: SecularEquation,
  rest: number,
  gap: number,
  split: number,
  side: "left" | "right" | "last",
): number {
  const left = squares[split]!;
  const right = squares[split + 1]!;
  if (side === "left") return quadraticRoot(rest * gap + left + right, left * gap, rest, false);
  if (side === "right") return -quadraticRoot(-rest * gap + left + right, right * gap, -rest, false);
  return quadraticRoot(-rest * gap + left + right, -right * gap, rest, true);
}

/**
 * Root i, between pole i and the next one. `distances` has room for a number for each pole.
 * @example secularRoot({ d: Float64Array.of(0), squares: Float64Array.of(1), rho: 2, poles: "d" }, 0, new Float64Array(1)).tau // 2
 */
export function secularRoot(equation: SecularEquation, i: number, distances: Float64Array): SecularRoot {
  const { squares, rho } = equation;
  const last = squares.length - 1;
  if (last === 0) return { origin: 0, tau: rho * squares[0]! };
  const isLast = i === last;
  const split = isLast ? last - 1 : i;
  const halves: Halves = { psi: 0, psiSlope: 0, phi: 0, phiSlope: 0 };
  const sums = halvesOf(squares, distances);
  distancesTo(equation, i, distances);
  const gap = isLast ? -distances[split]! : distances[i + 1]!;
  const middle = isLast ? 0.5 * rho * sumOf(squares) : 0.5 * gap;
  sums(middle, split, halves);
  const value = 1 / rho + halves.psi + halves.phi;
  const isLeft = isLast || value >= 0;
  const origin = isLeft ? i : i + 1;
  // Where the poles next to the root stand, as seen from the middle.
  const toLeft = distances[split]! - middle;
  const toRight = distances[split + 1]! - middle;
  const rest = value - squares[split]! / toLeft - squares[split + 1]! / toRight;
  if (!isLeft) distancesTo(equation, origin, distances);
  const isBeyond = isLast && value < 0;
  const low = isBeyond ? middle : isLeft ? 0 : -middle;
  const high = isBeyond ? 2 * middle : isLeft ? middle : 0;
  const side = isLast ? "last" : isLeft ? "left" : "right";
  const guess = firstGuess(equation, rest, gap, split, side);
  const tau = iterate(equation, distances, { split, isLast, isLeft, low, high, guess, halves, sums });
  return { origin, tau };
}

interface Search {
  readonly split: number;
  readonly isLast: boolean;
  readonly isLeft: boolean;
  readonly low: number;
  readonly high: number;
  readonly guess: number;
  readonly halves: Halves;
  readonly sums: HalvesAt;
}

function iterate(equation: SecularEquation, distances: Float64Array, search: Search): number {
  const { rho } = equation;
  const { split, halves, sums } = search;
  let { low, high } = search;
  let tau = search.guess > low && search.guess < high ? search.guess : 0.5 * (low + high);
  let isFixedWeight = !search.isLast;
  let before = Number.POSITIVE_INFINITY;
  for (let step = 0; step < mostSteps; step++) {
    sums(tau, split, halves);
    const { psi, psiSlope, phi, phiSlope } = halves;
    const value = 1 / rho + psi + phi;
    const rounding = 8 * (Math.abs(psi) + Math.abs(phi)) + 1 / rho + Math.abs(tau) * (psiSlope + phiSlope);
    if (Math.abs(value) <= epsilon * rounding) break;
    if (value < 0) low = tau;
    else high = tau;
    if (Math.abs(value) > 0.1 * before && !search.isLast) isFixedWeight = !isFixedWeight;
    before = Math.abs(value);
    let next = tau + newtonLike(equation, distances, tau, value, search, isFixedWeight);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (Math.abs(next - tau) <= epsilon * Math.abs(next)) return next;
    tau = next;
  }
  return tau;
}

/**
 * The step to the root of c + s/(left - x) + S/(right - x), which has the value and the slope of the sum. Its third
 * condition: each half keeps its own slope (the middle way), or the nearer pole keeps its weight.
 */
function newtonLike(
  { squares }: SecularEquation,
  distances: Float64Array,
  tau: number,
  value: number,
  { split, isLast, isLeft, halves: { psiSlope, phiSlope } }: Search,
  isFixedWeight: boolean,
): number {
  const left = distances[split]! - tau;
  const right = distances[split + 1]! - tau;
  const slope = psiSlope + phiSlope;
  let c = value - left * psiSlope - right * phiSlope;
  if (isFixedWeight && isLeft) c = value - right * slope - (left - right) * (squares[split]! / (left * left));
  else if (isFixedWeight) c = value - left * slope - (right - left) * (squares[split + 1]! / (right * right));
  if (isLast) c = Math.abs(c);
  const a = (left + right) * value - left * right * slope;
  const b = left * right * value;
  const eta = c === 0 ? b / a : quadraticRoot(a, b, c, isLast);
  return value * eta < 0 ? eta : -value / slope;
}
