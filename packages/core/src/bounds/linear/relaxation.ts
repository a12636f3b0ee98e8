// Lines below and above each activation, from the bounds of its rows.

import type { Lines } from "../../functions/lines.ts";
import { GraphError } from "../../graph/error.ts";
import { unitRoundoff } from "../../numbers/floating-point.ts";
import type { IntervalArray } from "../../numbers/interval/array.ts";
import type { Layer, Network } from "./network.ts";
import type { Relaxation } from "./relaxation-lines.ts";

export const newRelaxation = ({ rows, slots }: Pick<Network, "rows" | "slots">): Relaxation => ({
  order: new Int32Array(slots),
  straight: new Int32Array(slots),
  bent: new Int32Array(slots),
  lowSlope: new Float64Array(rows),
  highSlope: new Float64Array(rows),
  lowShift: new Float64Array(slots),
  highShift: new Float64Array(slots),
});

const rounding = 8 * unitRoundoff;
/** More than the few products of a line lose below the normal range. */
const lostBelow = 2 ** -1022;
const { abs, max, min } = Math;

/** Writes the lines of a layer; lower and upper bound its rows. */
export function relax(layer: Layer, lower: Float64Array, upper: Float64Array, lines: Relaxation): void {
  if (layer.kind === "max") relaxMaxima(layer, lower, upper, lines);
  else if (layer.surface) relaxSurfaces(layer, lower, upper, lines);
  else if (layer.enclosure) relaxEnclosed(layer, lower, upper, lines);
  else {
    if (layer.kind === "hinge") relaxHinges(layer, lower, upper, lines);
    else if (layer.kind === "curve") relaxCurves(layer, lower, upper, lines);
    else {
      lines.lowSlope.fill(1, layer.firstRow, layer.firstRow + layer.rows);
      lines.highSlope.fill(1, layer.firstRow, layer.firstRow + layer.rows);
    }
    sortUnits(layer, lines);
  }
}

function sortUnits({ units, firstRow, firstSlot }: Layer, lines: Relaxation): void {
  const { lowSlope, highSlope, lowShift, highShift, order } = lines;
  let straight = 0;
  let bent = 0;
  for (let k = 0; k < units; k++) {
    const slope = lowSlope[firstRow + k]!;
    if (slope !== highSlope[firstRow + k]! || lowShift[firstSlot + k] !== 0 || highShift[firstSlot + k] !== 0)
      order[firstSlot + units - ++bent] = k;
    else if (slope !== 0) order[firstSlot + straight++] = k;
  }
  lines.straight[firstSlot] = straight;
  lines.bent[firstSlot] = bent;
}

function relaxHinges(
  { rows, firstRow, firstSlot, below, above }: Layer,
  lower: Float64Array,
  upper: Float64Array,
  { lowSlope, highSlope, lowShift, highShift }: Relaxation,
): void {
  for (let k = 0; k < rows; k++) {
    const row = firstRow + k;
    const slot = firstSlot + k;
    const l = lower[row]!;
    const u = upper[row]!;
    const b = below[k]!;
    const a = above[k]!;
    lowShift[slot] = 0;
    highShift[slot] = 0;
    if (l >= 0 || u <= 0 || a === b) {
      lowSlope[row] = l >= 0 ? a : b;
      highSlope[row] = lowSlope[row]!;
      continue;
    }
    // The chord through both ends on one side; on the other any slope between both, here the one with the smaller gap.
    const chord = (a * u - b * l) / (u - l);
    const atLow = b * l - chord * l;
    const atHigh = a * u - chord * u;
    const margin = rounding * ((abs(b) + abs(chord)) * -l + (abs(a) + abs(chord)) * u) + lostBelow;
    const free = u > -l ? a : b;
    lowSlope[row] = a > b ? free : chord;
    highSlope[row] = a > b ? chord : free;
    if (a > b) highShift[slot] = max(atLow, atHigh) + margin;
    else lowShift[slot] = min(atLow, atHigh) - margin;
  }
}

/**
 * max z_i >= the z_i of the greatest lower bound m; max z_i <= m + sum of (z_i - m)_+ <= m + the chords of these, or
 * the greatest upper bound, whichever is less in the middle.
 */
function relaxMaxima(layer: Layer, lower: Float64Array, upper: Float64Array, lines: Relaxation): void {
  const { units, firstRow, firstSlot, groups } = layer;
  const { lowSlope, highSlope, lowShift, highShift } = lines;
  for (let unit = 0; unit < units; unit++) {
    const slot = firstSlot + unit;
    const [first, end] = [firstRow + groups[unit]!, firstRow + groups[unit + 1]!];
    let best = first;
    for (let row = first; row < end; row++) if (lower[row]! > lower[best]!) best = row;
    const m = lower[best]!;
    let [greatest, beyond, others] = [upper[best]!, 0, Number.NEGATIVE_INFINITY];
    for (let row = first; row < end; row++) {
      lowSlope[row] = 0;
      highSlope[row] = 0;
      greatest = max(greatest, upper[row]!);
      beyond += max(0, upper[row]! - m);
      if (row !== best) others = max(others, upper[row]!);
    }
    lowSlope[best] = 1;
    lowShift[slot] = 0;
    highShift[slot] = 0;
    if (others <= m) highSlope[best] = 1;
    else if (beyond / 2 >= greatest - m) highShift[slot] = greatest;
    else highShift[slot] = chordsAbove(first, end, m, lower, upper, highSlope);
  }
}

/** Writes the slopes of m + sum of chords of (z_i - m)_+ and gives the shift, rounded up. */
function chordsAbove(
  first: number,
  end: number,
  m: number,
  lower: Float64Array,
  upper: Float64Array,
  slopes: Float64Array,
): number {
  let [shift, size] = [m, abs(m)];
  for (let row = first; row < end; row++) {
    const [l, u] = [lower[row]!, upper[row]!];
    if (u <= m) continue;
    const slope = min(1, (u - m) / (u - l));
    slopes[row] = slope;
    shift += max(-slope * l, u - m - slope * u);
    size += abs(l) + 2 * abs(u) + abs(m);
  }
  return shift + (end - first + 1) * (rounding * size + lostBelow);
}

const around: Lines = { lowSlope: 0, lowShift: 0, highSlope: 0, highShift: 0 };

function relaxCurves(layer: Layer, lower: Float64Array, upper: Float64Array, lines: Relaxation): void {
  const { rows, firstRow, firstSlot, curve } = layer;
  for (let k = 0; k < rows; k++) {
    const row = firstRow + k;
    within(layer, () => curve!.lines(lower[row]!, upper[row]!, around));
    lines.lowSlope[firstRow + k] = around.lowSlope;
    lines.highSlope[firstRow + k] = around.highSlope;
    lines.lowShift[firstSlot + k] = around.lowShift;
    lines.highShift[firstSlot + k] = around.highShift;
  }
}

/** What a function that is not defined everywhere says of a box, as an error that names the node. */
function within<T>({ node }: Layer, ask: () => T): T {
  try {
    return ask();
  } catch (error) {
    if (error instanceof RangeError) throw new GraphError(`${node}: ${error.message}`);
    throw error;
  }
}

function relaxSurfaces(layer: Layer, lower: Float64Array, upper: Float64Array, lines: Relaxation): void {
  const { units, firstRow, firstSlot, groups, surface } = layer;
  for (let unit = 0; unit < units; unit++) {
    const [first, end] = [firstRow + groups[unit]!, firstRow + groups[unit + 1]!];
    surface!.lines(lower, upper, first, end, lines, firstSlot + unit);
  }
}

function relaxEnclosed(layer: Layer, lower: Float64Array, upper: Float64Array, lines: Relaxation): void {
  const bounds = enclosed(layer, lower, upper);
  lines.lowShift.set(bounds.lower, layer.firstSlot);
  lines.highShift.set(bounds.upper, layer.firstSlot);
}

/** Bounds of the slots of a layer that is known by bounds only. */
function enclosed(layer: Layer, lower: Float64Array, upper: Float64Array): IntervalArray {
  const [first, end] = [layer.firstRow, layer.firstRow + layer.rows];
  return within(layer, () => layer.enclosure!(lower.subarray(first, end), upper.subarray(first, end)));
}

/** Bounds of a layer's slots from those of its rows. */
export function slotBounds(
  layer: Layer,
  rowLower: Float64Array,
  rowUpper: Float64Array,
  lower: Float64Array,
  upper: Float64Array,
): void {
  const { units, firstSlot } = layer;
  if (layer.enclosure) {
    const bounds = enclosed(layer, rowLower, rowUpper);
    lower.set(bounds.lower, firstSlot);
    upper.set(bounds.upper, firstSlot);
  } else
    for (let unit = 0; unit < units; unit++)
      [lower[firstSlot + unit], upper[firstSlot + unit]] = unitRange(layer, unit, rowLower, rowUpper);
}

function unitRange(
  layer: Layer,
  unit: number,
  rowLower: Float64Array,
  rowUpper: Float64Array,
): [number, number] {
  const { kind, firstRow, below, above, groups, curve, surface } = layer;
  const [low, high] = [rowLower[firstRow + unit]!, rowUpper[firstRow + unit]!];
  if (kind === "hinge") return hingeRange(low, high, below[unit]!, above[unit]!);
  if (kind === "linear") return [low, high];
  if (curve) {
    const { lower, upper } = within(layer, () => curve.range(low, high));
    return [lower, upper];
  }
  const [first, end] = [firstRow + groups[unit]!, firstRow + groups[unit + 1]!];
  if (surface) {
    const { lower, upper } = surface.range(rowLower, rowUpper, first, end);
    return [lower, upper];
  }
  let [l, u] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let row = first; row < end; row++) {
    l = max(l, rowLower[row]!);
    u = max(u, rowUpper[row]!);
  }
  return [l, u];
}

const isUnit = (slope: number): boolean => slope === 0 || abs(slope) === 1;

function hingeRange(l: number, u: number, below: number, above: number): [number, number] {
  const [atLow, atHigh] = [l * (l > 0 ? above : below), u * (u > 0 ? above : below)];
  let [least, greatest] = [min(atLow, atHigh), max(atLow, atHigh)];
  if (l < 0 && u > 0) [least, greatest] = [min(least, 0), max(greatest, 0)];
  const lost = isUnit(below) && isUnit(above) ? 0 : lostBelow; // with these slopes nothing is rounded
  return [least - rounding * abs(least) - lost, greatest + rounding * abs(greatest) + lost];
}

/** Which rows gain from tighter bounds: those of activations that are not affine on the bounds so far. */
export function openRows(layer: Layer, lower: Float64Array, upper: Float64Array, into: Int32Array): number {
  const { kind, rows, units, firstRow, groups, below, above } = layer;
  let count = 0;
  if (kind === "hinge")
    for (let k = 0; k < rows; k++) {
      if (lower[firstRow + k]! < 0 && upper[firstRow + k]! > 0 && below[k] !== above[k]) into[count++] = k;
    }
  else if (layer.surface?.bends)
    for (let unit = 0; unit < units; unit++) {
      const [first, end] = [groups[unit]!, groups[unit + 1]!];
      if (layer.surface.bends(lower, upper, firstRow + first, firstRow + end))
        for (let k = first; k < end; k++) into[count++] = k;
    }
  else if (kind === "curve") for (let k = 0; k < rows; k++) into[count++] = k;
  else if (kind === "max")
    for (let unit = 0; unit < units; unit++) {
      let m = Number.NEGATIVE_INFINITY;
      for (let k = groups[unit]!; k < groups[unit + 1]!; k++) m = max(m, lower[firstRow + k]!);
      let candidates = 0;
      for (let k = groups[unit]!; k < groups[unit + 1]!; k++) if (upper[firstRow + k]! > m) candidates++;
      if (candidates < 2) continue;
      for (let k = groups[unit]!; k < groups[unit + 1]!; k++) if (upper[firstRow + k]! > m) into[count++] = k;
    }
  return count;
}
