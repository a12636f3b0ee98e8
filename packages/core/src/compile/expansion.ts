// A function of one variable by polynomials of its (folded) argument, on its whole range or piece by piece, with a proven
// bound of what they miss. Their squares and products take units that grow like log(1 / error).

import type { Univariate } from "../functions/univariate.ts";
import type { Interval } from "../numbers/interval/index.ts";
import * as I from "../numbers/interval/index.ts";
import { chebyshevSeries } from "./chebyshev.ts";
import { circuitBound } from "./circuit-taylor.ts";
import type { Folding } from "./fold.ts";
import type { Arithmetic } from "./precision.ts";
import { frameOf, type LocalSeries, type ServantCircuit, servantCircuit } from "./servant-circuit.ts";

export interface Expansion {
  /** z = |... ||u - c_1| - c_2| ... |. */
  readonly folds: readonly number[];
  readonly circuit: ServantCircuit;
  /** The arguments u for which it holds. */
  readonly on: Interval;
  /** Bounds |f - polynomials| there. */
  readonly truncation: number;
}

/** The highest degree of one polynomial, and degrees that are tried with several. */
const [highestDegree, localDegrees] = [128, [4, 6, 8, 11, 15, 19, 23, 31, 47]] as const;
const mostPieces = 48;

function seriesOn(f: Univariate, piece: Interval, count: number, arithmetic: Arithmetic): number[] {
  const { scale, shift } = frameOf(piece, arithmetic);
  const { lower, upper } = piece;
  return chebyshevSeries((t) => f.value(Math.min(upper, Math.max(lower, (t - shift) / scale))), count);
}

/** The shortest beginning of a series whose rest is below delta / 4, without coefficients that hardly count. */
function shortened(c: readonly number[], delta: number): number[] | undefined {
  let [degree, tail] = [c.length - 1, 0];
  while (degree > 1 && tail + Math.abs(c[degree]!) <= delta / 4) tail += Math.abs(c[degree--]!);
  if (degree > (3 * c.length) / 4 || !Number.isFinite(tail)) return undefined;
  const negligible = delta / (8 * (degree + 1));
  return c.slice(0, degree + 1).map((a) => (Math.abs(a) < negligible ? 0 : a));
}

/** One polynomial for the whole range, if a moderate degree will do. */
export function wholeSeries(
  f: Univariate,
  range: Interval,
  delta: number,
  arithmetic: Arithmetic,
): readonly LocalSeries[] | undefined {
  for (let count = 32; count <= 2 * highestDegree; count *= 2) {
    const series = shortened(seriesOn(f, range, count, arithmetic), delta);
    if (series) return [{ ...range, series }];
  }
  return undefined;
}

/** The same with values at the ends that are those of f, so that pieces meet. */
function meeting(f: Univariate, { lower, upper, series }: LocalSeries): LocalSeries {
  const at = (sign: 1 | -1): number => series.reduce((s, a, k) => s + (k % 2 === 0 ? a : sign * a), 0);
  const [left, right] = [f.value(lower) - at(-1), f.value(upper) - at(1)];
  const [a0, a1, ...rest] = series as [number, number, ...number[]];
  return { lower, upper, series: [a0 + (left + right) / 2, a1 + (right - left) / 2, ...rest] };
}

/** Pieces as long as a polynomial of this degree allows, from the left. */
function localSeries(
  f: Univariate,
  { lower, upper }: Interval,
  degree: number,
  delta: number,
  arithmetic: Arithmetic,
): readonly LocalSeries[] | undefined {
  const attempt = (from: number, to: number): LocalSeries | undefined => {
    if (!(to > from)) return undefined;
    const piece = { lower: from, upper: to };
    const series = shortened(seriesOn(f, piece, 2 * degree + 10, arithmetic), delta / 2);
    return series && series.length <= degree + 1 ? meeting(f, { ...piece, series }) : undefined;
  };
  const pieces: LocalSeries[] = [];
  let [from, length] = [lower, (upper - lower) / 2];
  while (from < upper) {
    if (pieces.length === mostPieces) return undefined;
    const end = (l: number): number => (from + l >= upper ? upper : arithmetic.round(from + l));
    let found: LocalSeries | undefined;
    let [low, high] = [0, Number.POSITIVE_INFINITY];
    while (high > 1.03 * low && high > (upper - lower) * 2 ** -40) {
      const longer = attempt(from, end(length));
      if (longer) [found, low] = [longer, length];
      else high = length;
      if (longer && end(length) === upper) break;
      length = high === Number.POSITIVE_INFINITY ? 2 * low : low === 0 ? high / 2 : Math.sqrt(low * high);
    }
    if (!found) return undefined;
    pieces.push(found);
    length = found.upper - from;
    from = found.upper;
  }
  return pieces.length > 1 ? pieces : undefined;
}

const isWave = ({ name }: Univariate): boolean => name === "sin" || name === "cos";

/** Circuits that seem to be within delta of a curve. */
export function candidates(
  { curve, range }: Folding,
  delta: number,
  arithmetic: Arithmetic,
): readonly ServantCircuit[] {
  if (!(range.upper > range.lower)) return [];
  const whole = wholeSeries(curve, range, delta, arithmetic);
  // Folds cut waves already.
  const isSimple = whole && whole[0]!.series.length <= localDegrees[0] + 1;
  const degrees = isWave(curve) || isSimple ? [] : localDegrees;
  const local = degrees.map((degree) => localSeries(curve, range, degree, delta, arithmetic));
  const start = curve.value(range.lower);
  return [whole, ...local].flatMap((pieces) => (pieces ? [servantCircuit(pieces, start, arithmetic)] : []));
}

/** A checker cuts the range in another way: the claim leaves it some room. */
const slack = 1 + 2 ** -6;

/** The expansion with a proof, if it is one to delta. */
export function proved(
  circuit: ServantCircuit,
  { curve, range, shifts, defect }: Folding,
  on: Interval,
  delta: number,
): Expansion | undefined {
  const bound = circuitBound(curve, circuit, range, (delta - defect) / slack);
  if (bound === undefined) return undefined;
  const truncation = I.add(I.mul(I.point(bound), I.point(slack)), I.point(defect)).upper;
  return { folds: shifts, circuit, on, truncation };
}
