// The bump of degree n: a B-spline with n continuous derivatives but one, supported in [-1/2, 1/2], 1 at 0. All of its
// pieces are polynomials with rational coefficients, so that bounds of its derivatives are exact.

import { ConstructError } from "../../functions/error.ts";
import { abs, add, div, type Exact, max, mul, toNumber } from "../../numbers/exact/rational.ts";
import { roundUp } from "../../numbers/exact/rounding.ts";

export interface SplineBump {
  readonly degree: number;
  value(t: number): number;
  /** The derivative of this order, at most the degree (from the right where it jumps). */
  derivative(order: number, t: number): number;
  /** At least sup |b^(k)|, k = 0 .. degree; the first is 1. */
  readonly bounds: readonly number[];
}

const greatestDegree = 8;
const made = new Map<number, SplineBump>();

/**
 * b(t) = M((n+1)(t + 1/2)) / M((n+1)/2) with the cardinal B-spline M of degree n on [0, n+1].
 * @example splineBump(1).value(0.25) // 0.5
 */
export function splineBump(degree: number): SplineBump {
  if (!Number.isSafeInteger(degree) || degree < 1 || degree > greatestDegree)
    throw new ConstructError(`a bump has a degree from 1 to ${greatestDegree}, not ${degree}`);
  const known = made.get(degree);
  if (known) return known;
  const pieces = normalizedPieces(degree);
  const numeric = Array.from({ length: degree + 1 }, (_, order) =>
    pieces.map((piece) => derivativeOf(piece, order).map(toNumber)),
  );
  const side = degree + 1;
  const derivative = (order: number, t: number): number => {
    const s = (t + 1 / 2) * side;
    if (s < 0 || s >= side) return 0;
    const cell = Math.floor(s);
    return numeric[order]![cell]!.reduceRight((sum, c) => sum * (s - cell) + c, 0) * side ** order;
  };
  const bump = {
    degree,
    value: (t: number) => derivative(0, t),
    derivative,
    bounds: Array.from({ length: degree + 1 }, (_, order) =>
      order === 0 ? 1 : roundUp(mul(greatest(pieces, order), side ** order)),
    ),
  };
  made.set(degree, bump);
  return bump;
}

/** Coefficients of u^0, u^1, ... on each cell [j, j+1], u = x - j. */
type Piece = readonly Exact[];

/** M by the recursion n M_n(x) = x M_{n-1}(x) + (n+1-x) M_{n-1}(x-1), divided by its value in the middle. */
function normalizedPieces(degree: number): Piece[] {
  let pieces: Piece[] = [[1]];
  for (let n = 1; n <= degree; n++) {
    const before = pieces;
    pieces = Array.from({ length: n + 1 }, (_, j) =>
      addPieces(
        times([div(j, n), div(1, n)], before[j] ?? [0]),
        times([div(n + 1 - j, n), div(-1, n)], before[j - 1] ?? [0]),
      ),
    );
  }
  const middle = (degree + 1) / 2;
  const cell = Math.min(degree, Math.floor(middle));
  const top = pieces[cell]!.reduceRight((sum: Exact, c) => add(mul(sum, middle - cell), c), 0);
  return pieces.map((piece) => piece.map((c) => div(c, top)));
}

const times = (line: readonly [Exact, Exact], piece: Piece): Piece =>
  Array.from({ length: piece.length + 1 }, (_, k) =>
    add(mul(line[0], piece[k] ?? 0), mul(line[1], piece[k - 1] ?? 0)),
  );
const addPieces = (a: Piece, b: Piece): Piece =>
  Array.from({ length: Math.max(a.length, b.length) }, (_, k) => add(a[k] ?? 0, b[k] ?? 0));

function derivativeOf(piece: Piece, order: number): Piece {
  let found = piece;
  for (let k = 0; k < order; k++) found = found.slice(1).map((c, i) => mul(c, i + 1));
  return found.length > 0 ? found : [0];
}

/** At least sup |M^(order)|: a polynomial lies between its Bernstein coefficients, here on halves of halves of cells. */
const greatest = (pieces: readonly Piece[], order: number): Exact =>
  pieces.reduce(
    (most: Exact, piece) =>
      bernsteinParts(bernstein(derivativeOf(piece, order)), 3).reduce((m, c) => max(m, abs(c)), most),
    0,
  );

/** b_i = sum_{k<=i} C(i, k) / C(m, k) a_k. */
function bernstein(coefficients: Piece): Exact[] {
  const m = coefficients.length - 1;
  return coefficients.map((_, i) => {
    let [sum, ratio]: [Exact, Exact] = [0, 1];
    for (let k = 0; k <= i; k++) {
      sum = add(sum, mul(ratio, coefficients[k]!));
      ratio = div(mul(ratio, i - k), m - k || 1);
    }
    return sum;
  });
}

/** The coefficients on all parts after so many halvings (de Casteljau). */
function bernsteinParts(coefficients: readonly Exact[], halvings: number): readonly Exact[] {
  if (halvings === 0) return coefficients;
  const [left, right]: [Exact[], Exact[]] = [[], []];
  let row = [...coefficients];
  while (row.length > 0) {
    left.push(row[0]!);
    right.unshift(row.at(-1)!);
    row = row.slice(1).map((c, i) => mul(add(row[i]!, c), 1 / 2));
  }
  return [...bernsteinParts(left, halvings - 1), ...bernsteinParts(right, halvings - 1)];
}
