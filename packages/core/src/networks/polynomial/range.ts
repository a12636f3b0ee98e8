// Where a polynomial lies on a box: a proved enclosure by subdivision, in exact arithmetic.
import { abs, add, compare, type Exact, max, min, mul, neg, sub } from "../../numbers/exact/rational.ts";
import { degree } from "../monomial.ts";
import { absoluteSum, changeVariables, type PolynomialTerms, valueAt } from "./terms.ts";

export interface Enclosure {
  /** Proved: lower <= p <= upper on the box. */
  readonly lower: Exact;
  readonly upper: Exact;
}

/**
 * An enclosure of a polynomial's values on [-1, 1]^d or a part of it, `tolerance` from values that it takes unless
 * `most` pieces are not enough. On a piece p lies within c_0 -+ sum |c_alpha| of its expansion about the middle.
 * @example polynomialRange(univariate([1, 0, 1]), [[-1, 1]], 1e-3).lower // 0.99951171875
 */
export function polynomialRange(
  p: PolynomialTerms,
  box: readonly (readonly [number, number])[],
  tolerance: number,
  most = 4096,
): Enclosure {
  const middle = box.map(([a, b]) => (a + b) / 2);
  let [least, greatest] = [valueAt(p, middle), valueAt(p, middle)]; // values that are taken
  let pieces: readonly (typeof box)[] = [box];
  let [lower, upper]: [Exact, Exact] = [least, greatest];
  for (let count = 1; pieces.length > 0; ) {
    const next: (typeof box)[] = [];
    for (const piece of pieces) {
      const bounds = boundsOn(p, piece);
      least = min(least, bounds.middle);
      greatest = max(greatest, bounds.middle);
      const settled =
        compare(bounds.lower, sub(least, tolerance)) >= 0 &&
        compare(bounds.upper, add(greatest, tolerance)) <= 0;
      if (settled || count >= most) {
        lower = min(lower, bounds.lower);
        upper = max(upper, bounds.upper);
      } else {
        next.push(...halves(piece));
        count++;
      }
    }
    pieces = next;
  }
  return { lower, upper };
}

function boundsOn(p: PolynomialTerms, piece: readonly (readonly [number, number])[]) {
  // Powers of two near the half widths keep the arithmetic in doubles where it can be.
  const changes = piece.map(([a, b]) => {
    let scale = 2 ** -Math.ceil(Math.log2((b - a) / 2));
    const middle = (a + b) / 2;
    const isInside = (x: number) => compare(mul(scale, abs(sub(x, middle))), 1) <= 0;
    while (!isInside(a) || !isInside(b)) scale /= 2;
    return { scale, shift: -scale * middle };
  });
  const local = changeVariables(p, changes);
  const constant = local.find((term) => degree(term.exponents) === 0)?.coefficient ?? 0;
  const spread = absoluteSum(local.filter((term) => degree(term.exponents) > 0));
  return { middle: constant, lower: add(constant, neg(spread)), upper: add(constant, spread) };
}

/** The piece cut across its longest side. */
function halves(piece: readonly (readonly [number, number])[]): (readonly (readonly [number, number])[])[] {
  const lengths = piece.map(([a, b]) => b - a);
  const longest = lengths.indexOf(Math.max(...lengths));
  const [a, b] = piece[longest]!;
  const middle = a + (b - a) / 2;
  const replaced = (part: readonly [number, number]) => piece.map((old, k) => (k === longest ? part : old));
  return [replaced([a, middle]), replaced([middle, b])];
}
