// The difference of a piecewise-linear function and another function, as one polynomial for each piece.

import { GraphError } from "../../graph/error.ts";
import { compare, type Exact, mul, neg, sub } from "../../numbers/exact/rational.ts";
import { ExactPolynomial, type Polynomial } from "../../numbers/polynomial/polynomial.ts";
import { evaluate, limitsOf, type PiecewiseLinear, slopes } from "../pieces.ts";

/** f - g on one piece. */
export interface GapPiece {
  readonly from: Exact;
  readonly to: Exact;
  readonly polynomial: ExactPolynomial;
}

export interface Gap {
  /** From left to right; made as they are asked for, since there may be many. */
  readonly pieces: () => Iterable<GapPiece>;
  /** Values of f - g at single points, where one of them jumps. */
  readonly points: readonly Exact[];
}

const isPolynomial = (g: PiecewiseLinear | Polynomial): g is Polynomial => Array.isArray(g);

/** The line of each piece, as a polynomial. */
const lineOf = (from: Exact, value: Exact, slope: Exact): readonly [Exact, Exact] => [
  sub(value, mul(slope, from)),
  slope,
];

/** f - g on the interval of f's knots, which must be that of g's as well. */
export function gapBetween(f: PiecewiseLinear, g: PiecewiseLinear | Polynomial): Gap {
  return isPolynomial(g) ? gapToPolynomial(f, g) : gapToPiecewiseLinear(f, g);
}

function gapToPolynomial(f: PiecewiseLinear, g: Polynomial): Gap {
  const { knots, values, limits } = f;
  const { right } = limitsOf(f);
  const [g0 = 0, g1 = 0, ...higher] = g;
  const rest = higher.map(neg);
  const slope = slopes(f);
  function* pieces(): Iterable<GapPiece> {
    for (let k = 0; k < slope.length; k++) {
      const [c, a] = lineOf(knots[k]!, right[k]!, slope[k]!);
      const polynomial = new ExactPolynomial([sub(c, g0), sub(a, g1), ...rest]);
      yield { from: knots[k]!, to: knots[k + 1]!, polynomial };
    }
  }
  const polynomial = new ExactPolynomial(g);
  const points = limits ? knots.map((t, k) => sub(values[k]!, polynomial.at(t))) : [];
  return { pieces, points };
}

function gapToPiecewiseLinear(f: PiecewiseLinear, g: PiecewiseLinear): Gap {
  if (compare(f.knots[0]!, g.knots[0]!) !== 0 || compare(f.knots.at(-1)!, g.knots.at(-1)!) !== 0)
    throw new GraphError("a distance needs two functions on the same interval");
  const [slopesOfF, slopesOfG] = [slopes(f), slopes(g)];
  const [rightOfF, rightOfG] = [limitsOf(f).right, limitsOf(g).right];
  function* pieces(): Iterable<GapPiece> {
    for (let i = 0, j = 0, from = f.knots[0]!; i < slopesOfF.length; ) {
      const order = compare(f.knots[i + 1]!, g.knots[j + 1]!);
      const to = order <= 0 ? f.knots[i + 1]! : g.knots[j + 1]!;
      const [c, a] = lineOf(f.knots[i]!, rightOfF[i]!, slopesOfF[i]!);
      const [d, b] = lineOf(g.knots[j]!, rightOfG[j]!, slopesOfG[j]!);
      yield { from, to, polynomial: new ExactPolynomial([sub(c, d), sub(a, b)]) };
      from = to;
      if (order <= 0) i++;
      if (order >= 0) j++;
    }
  }
  const jumps = [...(f.limits ? f.knots : []), ...(g.limits ? g.knots : [])];
  return { pieces, points: jumps.map((t) => sub(evaluate(f, t), evaluate(g, t))) };
}
