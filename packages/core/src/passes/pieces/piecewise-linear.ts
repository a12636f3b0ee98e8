// A piecewise-linear function of one variable: its knots, and its values there.
import { add, compare, div, type Exact, mul, sub } from "../../numbers/exact/rational.ts";
import type { Grid } from "./grid.ts";
import { type Element, isLines, isSameLine, type Lines, valueAt } from "./lines.ts";

/** Affine between neighbouring knots; continuous unless it has limits. */
export interface PiecewiseLinear {
  readonly knots: readonly Exact[];
  readonly values: readonly Exact[];
  /** Only of a function that jumps: its limits from the left and from the right at each knot. */
  readonly limits?: Limits;
}
export interface Limits {
  readonly left: readonly Exact[];
  readonly right: readonly Exact[];
}

/** The limits at the knots; of a continuous function they are its values. */
export const limitsOf = ({ values, limits }: PiecewiseLinear): Limits =>
  limits ?? { left: values, right: values };

/**
 * Slopes of the pieces, from left to right.
 * @example slopes(linearPieces(square(1), 0, 1)) // [0.5, 1.5]
 */
export function slopes(f: PiecewiseLinear): Exact[] {
  const { left, right } = limitsOf(f);
  return f.knots.slice(1).map((t, k) => div(sub(left[k + 1]!, right[k]!), sub(t, f.knots[k]!)));
}

/**
 * The value at a point between the first and the last knot.
 * @example evaluate(linearPieces(square(1), 0, 1), 0.75) // 0.625
 */
export function evaluate(f: PiecewiseLinear, x: Exact): Exact {
  const { knots, values } = f;
  const last = knots.length - 1;
  if (compare(x, knots[0]!) < 0 || compare(x, knots[last]!) > 0)
    throw new RangeError("a piecewise-linear function is known between its first and last knot only");
  let [low, high] = [0, last];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (compare(knots[middle]!, x) <= 0) low = middle;
    else high = middle;
  }
  if (compare(knots[low]!, x) === 0) return values[low]!;
  if (compare(knots[high]!, x) === 0) return values[high]!;
  const { left, right } = limitsOf(f);
  const weight = div(sub(x, knots[low]!), sub(knots[high]!, knots[low]!));
  return add(right[low]!, mul(weight, sub(left[high]!, right[low]!)));
}

/** One element of a tensor of functions, with knots only where it bends or jumps. */
export function piecewiseLinear(e: Element, grid: Grid): PiecewiseLinear {
  const { knots } = grid;
  if (!isLines(e)) return { knots: [knots[0]!, knots.at(-1)!], values: [e, e] };
  const places = knotPlaces(grid).filter((place) => isKnot(e, place));
  const times = places.map(({ t }) => t);
  const values = places.map(({ t, point, left, right }) => valueAt(e, point ?? right ?? left!, t));
  if (!places.some(({ point }) => point !== undefined)) return { knots: times, values };
  const limit = (cell: number | undefined, k: number) =>
    cell === undefined ? values[k]! : valueAt(e, cell, times[k]!);
  const limits = {
    left: places.map(({ left }, k) => limit(left, k)),
    right: places.map(({ right }, k) => limit(right, k)),
  };
  const jumps = (side: readonly Exact[]) => side.some((v, k) => compare(v, values[k]!) !== 0);
  return jumps(limits.left) || jumps(limits.right)
    ? { knots: times, values, limits }
    : { knots: times, values };
}

/** A knot, and the cells that end, lie and begin there. */
interface Place {
  readonly t: Exact;
  readonly left: number | undefined;
  readonly point: number | undefined;
  readonly right: number | undefined;
}

function knotPlaces({ knots, isPoint }: Grid): Place[] {
  const places: Place[] = [];
  for (let k = 0; k < knots.length; ) {
    const hasPoint = isPoint[k] === 1;
    const next = k + (hasPoint ? 2 : 1);
    places.push({
      t: knots[k]!,
      left: k === 0 ? undefined : k - 1,
      point: hasPoint ? k : undefined,
      right: next === knots.length ? undefined : next - 1,
    });
    k = next;
  }
  return places;
}

/** Does the function begin, end, bend or jump there? */
function isKnot(f: Lines, { t, left, point, right }: Place): boolean {
  if (left === undefined || right === undefined) return true;
  if (!isSameLine(f, left, right)) return true;
  return point !== undefined && compare(valueAt(f, point, t), valueAt(f, left, t)) !== 0;
}
