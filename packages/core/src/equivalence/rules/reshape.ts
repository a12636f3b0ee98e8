// Reshape: groups of axes with the same number of elements before and after, whose legs are dealt out anew.
import type { Dim, Shape } from "../../graph/graph.ts";
import {
  type Axis,
  axisClass,
  axisSize,
  cutProduct,
  forbidFibres,
  type Leg,
  pin,
  pinnedAxis,
  resolve,
  restrict,
  type Segment,
} from "../axes/axis-class.ts";
import { unitScale } from "../axes/scale.ts";
import type { Axes } from "./rule.ts";

/** The axis as outer times inner; undefined where its legs do not allow that. */
export function splitAxis(
  axis: Axis,
  outer: number,
): { readonly outer: Axis; readonly inner: Axis } | undefined {
  const size = axisSize(axis);
  if (size === undefined || size % outer !== 0) return undefined;
  const dealt = deal(axis, [outer, size / outer]);
  return dealt && { outer: dealt[0]!, inner: dealt[1]! };
}

/** The legs of an axis, dealt out to axes of these sizes; a class is cut where a border falls into it. */
function deal(axis: Axis, sizes: readonly number[]): Axis[] | undefined {
  for (;;) {
    const segments = resolve(axis);
    if (sizes.length === 1) return [segments];
    if (segments.length !== 1) return undefined;
    const legs = [...segments[0]!];
    const dealt: Segment[] = [];
    let isCut = false;
    for (const size of sizes) {
      const own: Leg[] = [];
      let left = size;
      while (left > 1 && !isCut) {
        const next = legs[0];
        const n = next?.units.size;
        if (n === undefined) return undefined;
        if (left % n === 0) own.push(legs.shift()!);
        else if (n % left !== 0 || !cutProduct(next!.units, left, true)) return undefined;
        else isCut = true;
        left /= n;
      }
      dealt.push(own.length > 0 ? own : [{ units: axisClass(1, true), scale: unitScale }]);
    }
    if (!isCut) return dealt.map((segment) => [segment]);
  }
}

/** Several axes as one. */
export function joinAxes(axes: readonly Axis[]): Axis | undefined {
  const many = axes.filter((axis) => axisSize(axis) !== 1);
  restrict(
    axes.filter((axis) => axisSize(axis) === 1),
    "unit",
  );
  if (many.length === 0) return pinnedAxis(1);
  const [first, ...others] = many.map(resolve);
  // A sum can be drawn out of a product only where it runs slowest.
  if (others.some((axis) => axis.length !== 1)) return undefined;
  return first!.map((segment) => [...segment, ...others.flatMap((axis) => axis[0]!)]);
}

interface Group {
  readonly from: readonly number[];
  readonly to: readonly number[];
}

/** Groups of neighbouring axes with equal products, found from the last axis on; undefined if sizes are not known. */
function groupsOf(before: Shape, after: Shape): readonly Group[] | undefined {
  const start = commonPrefix(before, after);
  const groups: Group[] = [];
  let [i, j] = [before.length, after.length];
  const known = (size: Dim): size is number => typeof size === "number" && size > 0;
  while (i > start || j > start) {
    // One size on each side that is not known, and all others agree: it is the same.
    const isLast = i === start + 1 && j === start + 1;
    if (isLast && !(known(before[start]) && known(after[start]))) {
      groups.push({ from: [start], to: [start] });
      break;
    }
    const [right, below] = [i, j];
    let [m, n] = [1, 1];
    do {
      const takesBefore = i > start && (m < n || (m === n && i === right) || j === start);
      if (!takesBefore && j === start) return undefined;
      const size = takesBefore ? before[--i] : after[--j];
      if (!known(size)) return undefined;
      if (takesBefore) m *= size;
      else n *= size;
    } while (m !== n || (i === right && i > start) || (j === below && j > start));
    groups.push({ from: places(i, right), to: places(j, below) });
  }
  return [...places(0, start).map((k) => ({ from: [k], to: [k] })), ...groups.toReversed()];
}

const places = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from }, (_, k) => from + k);

function commonPrefix(before: Shape, after: Shape): number {
  let k = 0;
  while (k < before.length && k < after.length && before[k] !== undefined && before[k] === after[k]) k++;
  return k;
}

/** The axes of a tensor of one shape that is read in another. */
export function reshapeAxes(axes: Axes, before: Shape, after: Shape): Axes | undefined {
  const groups = groupsOf(before, after);
  if (!groups) return undefined;
  const result: Axis[] = [];
  for (const { from, to } of groups) {
    const own = from.map((k) => axes[k]!);
    if (from.length === 1 && to.length === 1) {
      result.push(resolve(own[0]!));
      continue;
    }
    const joined = joinAxes(own);
    const dealt =
      joined &&
      deal(
        joined,
        to.map((k) => after[k] as number),
      );
    if (!dealt) {
      for (const axis of own) pin(axis);
      forbidFibres(axes, own);
      for (const k of to) result.push(pinnedAxis(after[k] as number));
    } else result.push(...dealt);
  }
  return result;
}
