// How far units can be from linear functions of their rows: what halving a box could gain.

import type { Layer } from "./network.ts";
import type { BoxBounds } from "./row-bounds.ts";

/** The rows that a unit reads, numbered in its layer. */
export const rowsOf = ({ groups, enclosure, rows }: Layer, unit: number): readonly [number, number] => {
  if (enclosure) return [0, rows];
  return groups.length > 0 ? [groups[unit]!, groups[unit + 1]!] : [unit, unit + 1];
};

/** How far a unit can be from a linear function of its rows, about. */
export function gapOf(layer: Layer, unit: number, known: BoxBounds): number {
  const { kind, firstRow, below, above, curve } = layer;
  const [l, u] = [known.rowLower[firstRow + unit]!, known.rowUpper[firstRow + unit]!];
  if (kind === "max") return gapOfMaximum(layer, unit, known);
  if (layer.surface) return gapOfSurface(layer, unit, known);
  if (layer.enclosure) return gapOfEnclosed(layer, known);
  if (curve) {
    const chord = (curve.value(l) + curve.value(u)) / 2;
    return Math.abs(curve.value(l / 2 + u / 2) - chord) + Math.abs(curve.slope(l) - curve.slope(u)) * (u - l);
  }
  return l < 0 && u > 0 ? (Math.abs(above[unit]! - below[unit]!) * -l * u) / (u - l) : 0;
}

function gapOfMaximum({ firstRow, groups }: Layer, unit: number, { rowLower, rowUpper }: BoxBounds): number {
  let [m, greatest] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let second = Number.NEGATIVE_INFINITY;
  for (let row = firstRow + groups[unit]!; row < firstRow + groups[unit + 1]!; row++) {
    m = Math.max(m, rowLower[row]!);
    second = Math.max(second, Math.min(greatest, rowUpper[row]!));
    greatest = Math.max(greatest, rowUpper[row]!);
  }
  return second - m;
}

/** The change of the slopes across the box, times the widths. */
function gapOfSurface(layer: Layer, unit: number, { rowLower, rowUpper }: BoxBounds): number {
  const [from, to] = rowsOf(layer, unit);
  const [first, end] = [layer.firstRow + from, layer.firstRow + to];
  if (layer.surface!.gap) return layer.surface!.gap(rowLower, rowUpper, first, end);
  let gap = 0;
  for (let row = first; row < end; row++) {
    const [low, high] = [rowLower, rowUpper].map((rows) => layer.surface!.slope(rows, first, end, row));
    gap += Math.abs(high! - low!) * (rowUpper[row]! - rowLower[row]!);
  }
  return gap;
}

/** Of a layer that is known by bounds only, the rows' widths: whatever is narrower has narrower bounds. */
function gapOfEnclosed({ firstRow, rows }: Layer, { rowLower, rowUpper }: BoxBounds): number {
  let gap = 0;
  for (let row = firstRow; row < firstRow + rows; row++) gap += rowUpper[row]! - rowLower[row]!;
  return gap;
}
