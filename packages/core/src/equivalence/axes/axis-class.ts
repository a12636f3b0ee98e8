// Axes of tensors as sums of products of classes. Two legs of one class are the same units: permuted together.
import {
  equateScales,
  requirePositiveScale,
  requireSign,
  requireUnit,
  type Scale,
  scaleOnPart,
  scaleVariable,
  timesScale,
  unitScale,
} from "./scale.ts";

/** A set of units that is permuted as one, as far as the graph was read. */
export interface AxisClass {
  /** Undefined: not known before the run. */
  readonly size: number | undefined;
  /** Its order must stay: an input, an output, or an operator that reads it. */
  pinned: boolean;
  /** Only linear operators met it so far. */
  linear: boolean;
  /** Units may not be permuted one way for one unit of these classes and another way for another. */
  readonly mixes: Set<AxisClass>;
  /** The class that it was found to be. */
  same?: AxisClass;
  /** What it was found to be made of. */
  parts?: {
    readonly kind: "sum" | "product";
    readonly classes: readonly AxisClass[];
    /** The one part of a product that has the scale; otherwise each part has one of its own. */
    readonly carrier?: number;
  };
}

export interface Leg {
  readonly units: AxisClass;
  readonly scale: Scale;
}
/** A product, in row-major order: the last leg runs fastest. */
export type Segment = readonly Leg[];
/** A sum: segments one after another. */
export type Axis = readonly Segment[];

type Size = number | undefined;

export const axisClass = (size: Size, pinned = false): AxisClass => ({
  size,
  pinned,
  linear: true,
  mixes: new Set(),
});

/** An axis of which nothing is known yet. */
export const freshAxis = (size: Size): Axis => [
  [{ units: axisClass(size), scale: new Map([[scaleVariable(), 1]]) }],
];
/** An axis that keeps its order and its numbers. */
export const pinnedAxis = (size: Size): Axis => [[{ units: axisClass(size, true), scale: unitScale }]];
/** An axis along which a value is constant: any order will do. */
export const constantAxis = (size: Size): Axis => [[{ units: axisClass(size), scale: unitScale }]];

export function representative(units: AxisClass): AxisClass {
  let found = units;
  while (found.same) found = found.same;
  return found;
}

const product = (sizes: readonly Size[]): Size =>
  sizes.some((s) => s === undefined) ? undefined : sizes.reduce<number>((n, s) => n * s!, 1);
export const segmentSize = (segment: Segment): Size => product(segment.map((leg) => leg.units.size));
export function axisSize(axis: Axis): Size {
  const sizes = axis.map(segmentSize);
  return sizes.some((s) => s === undefined) ? undefined : sizes.reduce<number>((n, s) => n + s!, 0);
}

/** The factor of a product that carries its scale: the innermost with more than one unit. */
const carrierOf = (classes: readonly AxisClass[]): number =>
  Math.max(
    0,
    classes.findLastIndex((c) => c.size !== 1),
  );

/** The axis in terms of classes that have no parts. */
export function resolve(axis: Axis): Axis {
  return axis.flatMap(resolveSegment);
}

function resolveSegment(segment: Segment): Axis {
  const legs: Leg[] = [];
  for (let k = 0; k < segment.length; k++) {
    const units = representative(segment[k]!.units);
    const leg: Leg = { units, scale: timesScale(segment[k]!.scale, unitScale) };
    if (!units.parts) {
      legs.push(leg);
      continue;
    }
    const { kind, classes, carrier } = units.parts;
    const parts = classes.map((c, i) => ({
      units: c,
      scale: scaleOnPart(leg.scale, i, classes.length, carrier),
    }));
    const rest = segment.slice(k + 1);
    if (kind === "product") return resolveSegment([...legs, ...parts, ...rest]);
    // A sum can be drawn out of a product only where it runs slowest.
    if (legs.length === 0) return parts.flatMap((part) => resolveSegment([part, ...rest]));
    collapse(units, leg.scale);
    legs.push({ units, scale: unitScale });
  }
  return [legs];
}

/** A class whose parts cannot be told apart here: all of it keeps its order. */
function collapse(units: AxisClass, scale: Scale): void {
  for (const part of units.parts!.classes) pin([[{ units: part, scale: unitScale }]]);
  units.parts!.classes.forEach((_, i, all) => {
    requireUnit(scaleOnPart(scale, i, all.length, undefined));
  });
  requireUnit(scale);
  units.pinned = true;
  units.linear = false;
  delete units.parts;
}

const legsOf = (axis: Axis): readonly Leg[] => resolve(axis).flat();

/** The order of these units, and their numbers, must stay. */
export function pin(axis: Axis): void {
  for (const { units, scale } of legsOf(axis)) {
    units.pinned = true;
    requireUnit(scale);
  }
}

/** Only the order must stay. */
export function pinOrder(axis: Axis): void {
  for (const { units } of legsOf(axis)) [units.pinned, units.linear] = [true, false];
}

/** An operator that is not linear met these axes: only what the given relation allows is left of their scales. */
export function restrict(axes: readonly Axis[], to: "positive" | "sign" | "unit"): void {
  const require = { positive: requirePositiveScale, sign: requireSign, unit: requireUnit }[to];
  for (const { units, scale } of axes.flatMap(legsOf)) {
    units.linear = false;
    require(scale);
  }
}

/** `others` may not be permuted differently for different units of `mixed`. */
export function forbidFibres(others: readonly Axis[], mixed: readonly Axis[]): void {
  const bases = mixed.flatMap(legsOf).map((leg) => leg.units);
  for (const { units } of others.flatMap(legsOf)) for (const base of bases) units.mixes.add(base);
}

function cut(units: AxisClass, kind: "sum" | "product", sizes: readonly number[], isCarried = false): void {
  const classes = sizes.map(
    (size): AxisClass => ({
      ...axisClass(size, units.pinned),
      linear: units.linear,
      mixes: new Set(units.mixes),
    }),
  );
  units.parts = { kind, classes, ...(isCarried && { carrier: carrierOf(classes) }) };
}

/** Cuts the axis after `at` units; false where that is not between two blocks. */
export function cutSum(axis: Axis, at: number): boolean {
  let start = 0;
  for (const segment of resolve(axis)) {
    const size = segmentSize(segment);
    if (size === undefined) return false;
    if (at === start) return true;
    if (at > start && at < start + size) {
      const block = size / segment[0]!.units.size!;
      if ((at - start) % block !== 0) return false;
      const first = (at - start) / block;
      cut(segment[0]!.units, "sum", [first, segment[0]!.units.size! - first]);
      return true;
    }
    start += size;
  }
  return at === start;
}

/**
 * Cuts a class into outer times inner. Where nothing is known of the parts, the inner one carries the scale; where they
 * are to be matched with legs that have scales, both get one.
 */
export function cutProduct(units: AxisClass, outer: number, isCarried: boolean): boolean {
  if (units.size === undefined || outer === 0 || units.size % outer !== 0) return false;
  cut(units, "product", [outer, units.size / outer], isCarried);
  return true;
}

/** Cuts what is larger at the first place where two axes differ in form; "done" when they do not, "never" if it cannot be. */
function refine(a: Axis, b: Axis): "again" | "done" | "never" {
  const attempt = (ok: boolean) => (ok ? "again" : "never");
  let start = 0;
  for (let k = 0; k < Math.max(a.length, b.length); k++) {
    const [p, q] = [a[k], b[k]];
    if (!p || !q) return "never";
    const [m, n] = [segmentSize(p), segmentSize(q)];
    if (m === undefined || n === undefined) return "never";
    // ONNX Runtime lets nothing stand beside something: what is empty has no units to share.
    if (m !== n && m * n === 0) return "never";
    if (m !== n) return attempt(m > n ? cutSum(a, start + n) : cutSum(b, start + m));
    for (let l = 0; l < Math.max(p.length, q.length); l++) {
      const [u, v] = [p[l]?.units, q[l]?.units];
      if (!u || !v) return "never";
      if (u.size === v.size) continue;
      return attempt(u.size! > v.size! ? cutProduct(u, v.size!, false) : cutProduct(v, u.size!, false));
    }
    start += m;
  }
  return "done";
}

function merge(a: AxisClass, b: AxisClass): void {
  const [from, into] = [representative(a), representative(b)];
  if (from === into) return;
  into.pinned ||= from.pinned;
  into.linear &&= from.linear;
  for (const base of from.mixes) into.mixes.add(base);
  from.same = into;
}

/** Brings two axes to one form and makes their units the same; undefined (and both are pinned) if they have none in common. */
export function align(a: Axis, b: Axis): readonly [Axis, Axis] | undefined {
  for (;;) {
    const [p, q] = [resolve(a), resolve(b)];
    const state = refine(p, q);
    if (state === "again") continue;
    if (state === "never") {
      pin(a);
      pin(b);
      return undefined;
    }
    p.forEach((segment, k) => {
      segment.forEach((leg, l) => {
        merge(leg.units, q[k]![l]!.units);
      });
    });
    return [resolve(p), resolve(q)];
  }
}

/** Pairs the legs of two aligned axes. */
export function zipLegs(a: Axis, b: Axis, pair: (p: Leg, q: Leg) => Leg): Axis {
  return a.map((segment, k) => segment.map((leg, l) => pair(leg, b[k]![l]!)));
}

/** The same units with the same scales. */
export function equate(a: Axis, b: Axis): void {
  const aligned = align(a, b);
  if (aligned)
    zipLegs(...aligned, (p, q) => {
      equateScales(p.scale, q.scale);
      return p;
    });
}

/** The same units; what one is multiplied by, the other is divided by: their contraction does not change. */
export function contract(a: Axis, b: Axis): void {
  const aligned = align(a, b);
  if (aligned)
    zipLegs(...aligned, (p, q) => {
      requireUnit(timesScale(p.scale, q.scale));
      return p;
    });
}

/** The same units, multiplied (q = 1) or divided (q = -1) one by one: the scale is that of a times that of b^q. */
export function pointwise(a: Axis, b: Axis, q: 1 | -1 = 1): Axis {
  const aligned = align(a, b);
  if (!aligned) return pinnedAxis(axisSize(a) ?? axisSize(b));
  return aligned[0].map((segment, k) => {
    const last = carrierOf(segment.map((leg) => leg.units));
    return segment.map((x, l) => {
      const y = aligned[1][k]![l]!;
      representative(x.units).linear = false;
      // Of the legs of a product one carries a new scale: two would say the same thing twice.
      if (l !== last && timesScale(x.scale, unitScale).size === 0) requireUnit(y.scale);
      return { units: x.units, scale: scaleOfProduct(x.scale, y.scale, q) };
    });
  });
}

/** A free factor is what the product, which is then free instead, needs it to be: more can be said of it later. */
function scaleOfProduct(a: Scale, b: Scale, q: 1 | -1): Scale {
  const [factor, ...others] = [...timesScale(b, unitScale)];
  const isFree =
    factor && others.length === 0 && Math.abs(factor[1]) === 1 && factor[0].magnitude && factor[0].sign;
  if (!isFree) return timesScale(a, b, 1, q);
  const product: Scale = new Map([[scaleVariable(), 1]]);
  equateScales(b, timesScale(product, a, q, -q));
  return timesScale(product, unitScale);
}

/** The same units with scales to the power p. */
export const powerAxis = (axis: Axis, p: number): Axis =>
  resolve(axis).map((segment) =>
    segment.map((leg) => ({ units: leg.units, scale: timesScale(leg.scale, unitScale, p) })),
  );

/** The same units without a scale. */
export const withoutScale = (axis: Axis): Axis => powerAxis(axis, 0);
