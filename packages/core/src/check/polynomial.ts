// A curve by a sum of servants: is it within a claimed distance on a range? And powers that are made of squares and products.

import type { Exact } from "../numbers/exact/rational.ts";
import type { Interval } from "../numbers/interval/index.ts";
import * as I from "../numbers/interval/index.ts";
import type { CertificateNode } from "./certificate.ts";
import { taylorOf } from "./functions.ts";
import { roundedDown } from "./linear.ts";
import type { ServantSum } from "./servants.ts";
import type { Curve } from "./spline.ts";

const order = 12;

/** f - p and its derivatives over k!, up to an order, at places of a cell. */
function difference(
  { f, sign }: Curve,
  p: ServantSum,
  x: Interval,
  n: number,
  cell: Interval,
): readonly Interval[] {
  const own = p.taylor(x, n, cell);
  return taylorOf(f, x, n).map((c, k) => {
    const value = sign === 1 ? c : I.neg(c);
    return own[k] ? I.sub(value, own[k]) : value;
  });
}

/** A bound of |f - p| on a cell: the Taylor polynomial of f - p at its middle, and the remainder. */
function cellBound(curve: Curve, p: ServantSum, from: number, to: number): number {
  const middle = from + (to - from) / 2;
  const cell = { lower: from, upper: to };
  const reach = I.point(Math.max(I.addUp(to, -middle), I.addUp(middle, -from)));
  try {
    let sum = I.abs(difference(curve, p, cell, order, cell)[order]!);
    const here = difference(curve, p, I.point(middle), order - 1, cell);
    for (let j = order - 1; j >= 0; j--) sum = I.add(I.mul(sum, reach), I.abs(here[j]!));
    return sum.upper;
  } catch (error) {
    if (error instanceof RangeError) return Number.POSITIVE_INFINITY; // too wide a cell
    throw error;
  }
}

const [deepest, mostCells] = [24, 20_000];

/** Is |curve - p| at most `allowed` for all z in the range? Cells are halved until they show it. */
export function isPolynomialNear(
  curve: Curve,
  p: ServantSum,
  { lower, upper }: Interval,
  allowed: Exact,
): boolean {
  const bound = roundedDown(allowed);
  let cells = 0;
  const isNear = (from: number, to: number, depth: number): boolean => {
    if (cellBound(curve, p, from, to) <= bound) return true;
    const middle = from + (to - from) / 2;
    if (depth === deepest || ++cells > mostCells || !(middle > from && middle < to)) return false;
    return isNear(from, middle, depth + 1) && isNear(middle, to, depth + 1);
  };
  const ends = [lower, ...p.bends.filter((x) => x > lower && x < upper), upper];
  return ends.slice(1).every((to, k) => isNear(ends[k]!, to, 0));
}

const highestPower = 4096;

/** n if a node is the n-th power of the argument, by squares and products of such powers, none of them a servant. */
export function exponentOf(nodes: readonly CertificateNode[], argument: number, id: number): number {
  const known = new Map([[argument, 1]]);
  const exponent = (k: number): number => {
    const { op, args, servant } = nodes[k]!;
    const factors =
      servant !== undefined ? [] : op === "square" ? [args[0]!, args[0]!] : op === "product" ? args : [];
    const found =
      known.get(k) ?? (factors.length === 0 ? Number.NaN : factors.reduce((n, a) => n + exponent(a), 0));
    known.set(k, found <= highestPower ? found : Number.NaN);
    return known.get(k)!;
  };
  return exponent(id);
}
