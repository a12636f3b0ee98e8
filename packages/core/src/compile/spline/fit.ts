// The best continuous piecewise-linear approximation of a function of one variable, for a given error: between
// inflections every piece is as long as it may be. On a convex part the knots lie delta below the function and the
// middles of the pieces delta above it, so that a piece of length h errs by h^2 f'' / 16.
import { CompileError } from "../../formula/error.ts";
import type { Univariate } from "../../functions/univariate.ts";

/** Only what a fit reads. */
export type Curve = Pick<Univariate, "value" | "derivative" | "second" | "inflections">;

export interface Polygon {
  readonly knots: readonly number[];
  readonly values: readonly number[];
}

/** Room for the rounding of the fit itself. */
const slack = 1 - 1e-7;
export const mostPieces = 200_000;

/** Every one of them will be a knot. */
function inflectionsOf(f: Curve, from: number, to: number): readonly number[] {
  try {
    return f.inflections(from, to);
  } catch (error) {
    throw error instanceof RangeError ? new CompileError(error.message) : error;
  }
}

/**
 * Knots and values of a piecewise-linear function within delta of f on [from, to], of at most `mostPieces`; an error says why there is none.
 * @example fitPolygon(univariateFunction("exp"), 0, 1, 1e-3).knots.length - 1 // 11
 */
export function fitPolygon(f: Curve, from: number, to: number, delta: number): Polygon {
  if (!(to > from)) return { knots: [from], values: [f.value(from)] };
  const target = delta * slack;
  const ends = [from, ...inflectionsOf(f, from, to), to];
  const parts = ends.slice(1).map((end, k) => {
    const start = ends[k]!;
    const [free, fixed] = k === 0 ? [start, end] : [end, start];
    const isInner = ends.length > 2;
    // Parts are walked from their inflection outward; there the polygon meets f.
    return fitPart(f, isInner ? fixed : start, isInner ? free : end, target, {
      startsOnCurve: isInner,
      endsOnCurve: k > 0 && k < ends.length - 2,
    });
  });
  const points = new Map<number, number>();
  for (const part of parts) for (const [x, y] of part) points.set(x, y);
  const sorted = [...points].sort((a, b) => a[0] - b[0]);
  return { knots: sorted.map(([x]) => x), values: sorted.map(([, y]) => y) };
}

interface PartEnds {
  readonly startsOnCurve: boolean;
  readonly endsOnCurve: boolean;
}

/**
 * The sign of f'' on a part without inflections, 0 only for a line. In a flat tail f'' is smaller than all doubles, and
 * at the edge of a domain infinite: where the middle does not tell, points ever nearer to the two ends are asked.
 */
function bendOf(f: Curve, start: number, end: number): number {
  for (let t = 0.5; t >= 2 ** -1000; t /= 2) {
    for (const x of [start * (1 - t) + end * t, end * (1 - t) + start * t]) {
      const bend = Math.sign(f.second(x));
      if (bend === 1 || bend === -1) return bend;
    }
  }
  return 0;
}

/** One part without inflections, walked from `start` to `end`, in either direction. */
function fitPart(
  f: Curve,
  start: number,
  end: number,
  delta: number,
  { startsOnCurve, endsOnCurve }: PartEnds,
): [number, number][] {
  const bend = bendOf(f, start, end);
  if (!startsOnCurve) {
    // Where the chord will do, it is moved half of the way only.
    const half = excess(f, start, f.value(start), [end, f.value(end)], bend) / 2;
    if (bend === 0 || half <= delta)
      return [start, end].map((x) => [x, f.value(x) - (bend === 0 ? 0 : bend * Math.max(0, half))]);
  }
  const lowered = (x: number): number => f.value(x) - bend * delta;
  const points: [number, number][] = [[start, startsOnCurve ? f.value(start) : lowered(start)]];
  const direction = Math.sign(end - start);
  let length = Math.abs(end - start);
  for (;;) {
    const [x, y] = points.at(-1)!;
    const last: [number, number] = [end, endsOnCurve ? f.value(end) : lowered(end)];
    if (bend === 0 || excess(f, x, y, last, bend) <= delta) return [...points, last];
    const gap = (h: number): number => {
      const to = x + direction * h;
      return excess(f, x, y, [to, lowered(to)], bend);
    };
    length = longest(gap, length, Math.abs(end - x), delta);
    const next = x + direction * length;
    if (next === x) throw new CompileError(`no piece is short enough at ${x}, where it is too steep`);
    if (points.length > mostPieces)
      throw new CompileError(`it needs a spline of more than ${mostPieces} pieces`);
    points.push([next, lowered(next)]);
  }
}

/** How far the line from (x, y) to a point rises above f, in the direction to which f is open; greatest where f' is its slope. */
function excess(f: Curve, x: number, y: number, [toX, toY]: readonly [number, number], bend: number): number {
  const slope = (toY - y) / (toX - x);
  const at = tangency(f, slope, Math.min(x, toX), Math.max(x, toX), bend);
  return bend * (y + slope * (at - x) - f.value(at));
}

/** The point where f' is the slope: Newton's method inside a bracket. */
export function tangency(f: Curve, slope: number, from: number, to: number, bend: number): number {
  let [low, high] = [from, to];
  let x = (low + high) / 2;
  for (let step = 0; step < 50; step++) {
    const gap = f.derivative(x) - slope;
    if (gap * bend < 0) low = x;
    else high = x;
    const newton = x - gap / f.second(x);
    const next = newton > low && newton < high ? newton : (low + high) / 2;
    if (Math.abs(next - x) <= 1e-9 * (to - from)) return next;
    x = next;
  }
  return x;
}

/**
 * The greatest h <= most with gap(h) <= delta, nearly. The gap is about c h^2 - delta; next to a singular end it is not,
 * and h may be smaller than `most` by hundreds of powers of ten: then orders of magnitude are bisected.
 */
function longest(gap: (h: number) => number, guess: number, most: number, delta: number): number {
  let [low, high] = [0, most];
  let h = Math.min(guess, most);
  for (let step = 0; step < 100 && high - low > 1e-12 * high; step++) {
    const g = gap(h);
    // No number: the step is too short for a slope.
    if (!(g <= delta)) high = h;
    else {
      low = h;
      if (g > delta * 0.9999) break;
    }
    const next = h * Math.min(8, Math.sqrt((2 * delta) / (g + delta))) * (g > delta ? 0.99999 : 1);
    if (low === 0 && step >= 8) h = Math.min(next > 0 ? next : h, h / 2 ** (step - 7));
    else if (high > 16 * low && step > 8) h = Math.sqrt(low) * Math.sqrt(high);
    else h = next > low && next < high ? next : (low + high) / 2;
  }
  return low;
}
