// Functions on a grid: one line, intercept + slope t, for each cell.

import {
  add,
  compare,
  div,
  type Exact,
  fraction,
  isSafeProduct,
  mul,
  neg,
  productError,
  reduce,
} from "../../numbers/exact/rational.ts";
import {
  combinations,
  type ExactVector,
  entry,
  integerPair,
  isEqualAt,
  isZeroAt,
  lengthOf,
  take,
} from "../../numbers/exact/vector.ts";
import type { Grid } from "./grid.ts";

/** The intercepts of all cells, then their slopes: with dyadic weights these stay dyadic, unlike values at knots. */
export interface Lines {
  readonly coefficients: ExactVector;
}
/** An element of a tensor of functions: a constant, or a line for each cell. */
export type Element = Exact | Lines;

export const isLines = (e: Element): e is Lines => typeof e === "object" && "coefficients" in e;

const cellsOf = ({ coefficients }: Lines): number => lengthOf(coefficients) / 2;

/** The function t, moved and stretched, on every cell. */
export const lines = (coefficients: ExactVector): Lines => ({ coefficients });

/** A constant as lines of slope zero. */
export const constantLines = (value: Exact, cells: number): Lines =>
  lines(combinations([], 2 * cells, cells)([], [], value));

export const asLines = (e: Element, cells: number): Lines => (isLines(e) ? e : constantLines(e, cells));

/** The positions of the intercepts and slopes of some cells. */
export function coefficientPositions(source: Int32Array, cells: number): Int32Array {
  const positions = new Int32Array(2 * source.length);
  for (let k = 0; k < source.length; k++) {
    positions[k] = source[k]!;
    positions[source.length + k] = cells + source[k]!;
  }
  return positions;
}

/** The same function on a finer grid. */
export const refined = (e: Element, positions: Int32Array | undefined): Element =>
  positions && isLines(e) ? lines(take(e.coefficients, positions)) : e;

/** The value of cell k's line at t. */
export function valueAt(f: Lines, k: number, t: Exact): Exact {
  const { coefficients } = f;
  const slope = cellsOf(f) + k;
  if (coefficients instanceof Float64Array) return add(coefficients[k]!, mul(coefficients[slope]!, t));
  const [a, c] = [coefficients.integers[slope]!, coefficients.integers[k]!];
  const { numerator, denominator } = fraction(t);
  return reduce(
    a * numerator + c * denominator,
    (coefficients.odd * denominator) << BigInt(coefficients.shift),
  );
}

/** The sign of cell k's line at t. */
export function signAt(f: Lines, k: number, t: Exact): number {
  const { coefficients } = f;
  const slope = cellsOf(f) + k;
  if (typeof t === "number" && coefficients instanceof Float64Array) {
    const [a, c] = [coefficients[slope]!, coefficients[k]!];
    const product = a * t;
    // A rounded sum has the sign of the exact one.
    if (a === 0 || t === 0) return Math.sign(c);
    if (isSafeProduct(product) && productError(a, t, product) === 0) return Math.sign(product + c);
  }
  const [a, c] = integerPair(coefficients, slope, k);
  const { numerator, denominator } = fraction(t);
  const value = a * numerator + c * denominator;
  return value > 0n ? 1 : value < 0n ? -1 : 0;
}

/** Where cell k's line meets a level; its slope is not zero. */
export function crossing(f: Lines, k: number, level: Exact = 0): Exact {
  const { coefficients } = f;
  const slope = cellsOf(f) + k;
  if (level !== 0) return div(add(level, neg(entry(coefficients, k))), entry(coefficients, slope));
  if (coefficients instanceof Float64Array) return div(0 - coefficients[k]!, coefficients[slope]!);
  return reduce(-coefficients.integers[k]!, coefficients.integers[slope]!);
}

export const isFlat = (f: Lines, k: number): boolean => isZeroAt(f.coefficients, cellsOf(f) + k);

/** Do two cells have the same line? */
export const isSameLine = (f: Lines, k: number, l: number): boolean =>
  isEqualAt(f.coefficients, k, l) && isEqualAt(f.coefficients, cellsOf(f) + k, cellsOf(f) + l);

/** The sign inside each cell, when no line changes sign inside one. */
export function cellSigns(f: Lines, { knots, isPoint }: Grid): Int8Array {
  const signs = new Int8Array(isPoint.length);
  for (let k = 0; k < signs.length; k++)
    signs[k] = signAt(f, k, knots[k]!) || (isPoint[k] ? 0 : signAt(f, k, knots[k + 1]!));
  return signs;
}

/** Where the functions change sign inside cells, and the knots where one is zero but not on both sides. */
export function zeros(
  functions: readonly Lines[],
  { knots, isPoint }: Grid,
): { readonly inside: Map<number, Exact[]>; readonly touched: Uint8Array } {
  const inside = new Map<number, Exact[]>();
  const touched = new Uint8Array(knots.length);
  for (const f of functions) {
    for (let k = 0; k < isPoint.length; k++) {
      if (isPoint[k] || isFlat(f, k)) continue;
      const [from, to] = [signAt(f, k, knots[k]!), signAt(f, k, knots[k + 1]!)];
      if (from === 0) touched[k] = 1;
      if (to === 0) touched[k + 1] = 1;
      if (from * to < 0) addTime(inside, k, crossing(f, k));
    }
  }
  for (const [k, times] of inside) if (times.length > 1) inside.set(k, ordered(times));
  return { inside, touched };
}

export function addTime(inside: Map<number, Exact[]>, cell: number, t: Exact): void {
  const times = inside.get(cell);
  if (times) times.push(t);
  else inside.set(cell, [t]);
}

/** In order, each time once. */
export function ordered(times: Exact[]): Exact[] {
  times.sort(compare);
  return times.filter((t, n) => n === 0 || compare(t, times[n - 1]!) > 0);
}
