// How far a piecewise-linear function is from a quadratic, exactly.
import { abs, add, compare, div, type Exact, max, min, mul, sub } from "../engine/exact.ts";
import { type PiecewiseLinear, slopes } from "./pieces.ts";

/** c0 + c1 x + c2 x^2. */
export type Quadratic = readonly [Exact, Exact, Exact];

export interface Distance {
  /** Extremes of f - q, and of |f - q|. */
  readonly least: Exact;
  readonly greatest: Exact;
  readonly sup: Exact;
  /** The integral of (f - q)^2. */
  readonly squaredL2: Exact;
  /** The essential supremum of |f' - q'|. */
  readonly slope: Exact;
}

const at = ([c0, c1, c2]: Quadratic, x: Exact): Exact => add(c0, mul(x, add(c1, mul(x, c2))));

/**
 * Exact distances between a piecewise-linear function and a quadratic.
 * @example distanceToQuadratic(linearPieces(square(1), 0, 1), [0, 0, 1]).sup // 1/16
 */
export function distanceToQuadratic(f: PiecewiseLinear, q: Quadratic): Distance {
  const slope = slopes(f);
  const gap = (k: number, x: Exact): Exact =>
    sub(add(f.values[k]!, mul(slope[k]!, sub(x, f.knots[k]!))), at(q, x));
  let [least, greatest] = [gap(0, f.knots[0]!), gap(0, f.knots[0]!)];
  let steepest: Exact = 0;
  let integral: Exact = 0;
  slope.forEach((m, k) => {
    const [from, to] = [f.knots[k]!, f.knots[k + 1]!];
    const candidates = [from, to];
    // f - q is stationary where m = c1 + 2 c2 x.
    const stationary = compare(q[2], 0) === 0 ? from : div(sub(m, q[1]), mul(2, q[2]));
    if (compare(stationary, from) > 0 && compare(stationary, to) < 0) candidates.push(stationary);
    for (const x of candidates) {
      least = min(least, gap(k, x));
      greatest = max(greatest, gap(k, x));
    }
    for (const x of [from, to]) {
      steepest = max(steepest, abs(sub(m, add(q[1], mul(mul(2, q[2]), x)))));
    }
    integral = add(
      integral,
      booleSquare((x) => gap(k, x), from, to),
    );
  });
  return {
    least,
    greatest,
    sup: max(abs(least), abs(greatest)),
    squaredL2: div(integral, 90),
    slope: steepest,
  };
}

/** 90 times the integral of g^2: Boole's rule is exact for polynomials of degree five, g^2 has four. */
function booleSquare(g: (x: Exact) => Exact, from: Exact, to: Exact): Exact {
  const step = div(sub(to, from), 4);
  const total = [7, 32, 12, 32, 7].reduce((sum: Exact, weight, k) => {
    const value = g(add(from, mul(k, step)));
    return add(sum, mul(weight, mul(value, value)));
  }, 0);
  return mul(sub(to, from), total);
}
