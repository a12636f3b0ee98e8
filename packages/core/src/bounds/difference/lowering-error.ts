// How far a network can be from the one whose weights were not rounded when it was read (a batch norm's factor, 1/n):
// bounds of the differences, slot by slot. Two networks may hold the same double for two real numbers.

import { finished } from "../../engine/steps.ts";
import { gamma } from "../../numbers/floating-point.ts";
import { BoxBounder } from "../linear/box-bounds.ts";
import type { Layer, Network } from "../linear/network.ts";
import type { Box, BoxBounds } from "../linear/row-bounds.ts";
import { logSoftmaxUnit, product, softmaxUnit } from "../linear/surfaces.ts";
import { rowOf } from "./exact-row.ts";

/** Roundings of a weight, with one to spare; see `bounds/linear/rounding.ts`. */
const weightError = gamma(5);
/** These sums of positive numbers are rounded themselves. */
const slack = 1 + 2 ** -20;

/** |W' x' - W x| <= |W| |x' - x| + |W' - W| |x'|, for each row. */
function rowErrors(layer: Layer, { sizes }: BoxBounds, slotErrors: Float64Array): Float64Array {
  return Float64Array.from({ length: layer.rows }, (_, row) => {
    const { from, end, weights, slot } = rowOf(layer, row);
    let carried = 0;
    for (let k = from; k < end; k++)
      if (weights[k] !== 0) carried += Math.abs(weights[k]!) * slotErrors[slot(k)]!;
    return slack * (carried + weightError * sizes.rows[layer.firstRow + row]!);
  });
}

/** The error of a unit from those of its rows. */
function unitError(
  { kind, below, above, curve, surface, groups, firstRow }: Layer,
  unit: number,
  rows: Float64Array,
  { rowLower, rowUpper }: BoxBounds,
): number {
  const size = (row: number): number =>
    Math.max(Math.abs(rowLower[firstRow + row]!), Math.abs(rowUpper[firstRow + row]!));
  if (kind === "linear") return rows[unit]!;
  if (kind === "hinge") return Math.max(Math.abs(below[unit]!), Math.abs(above[unit]!)) * rows[unit]!;
  if (curve) {
    const { lower, upper } = curve.slopes(rowLower[firstRow + unit]!, rowUpper[firstRow + unit]!);
    return Math.max(Math.abs(lower), Math.abs(upper)) * rows[unit]!;
  }
  const [first, end] = [groups[unit]!, groups[unit + 1]!];
  if (surface === product)
    return size(first) * rows[first + 1]! + (size(first + 1) + rows[first + 1]!) * rows[first]!;
  // Maxima, and both kinds of softmax, move by no more than the row that moves most.
  if (kind === "max" || surface === softmaxUnit || surface === logSoftmaxUnit)
    return rows.subarray(first, end).reduce((m, e) => Math.max(m, e), 0);
  return Number.POSITIVE_INFINITY;
}

/**
 * For each output, at least the greatest difference on the box between the network and the real function of its graph;
 * 0 if no weight was rounded, infinite where no bound is known.
 */
export function loweringError(network: Network, box: Box): Float64Array {
  const outputs = new Float64Array(network.outputNames.length);
  if (network.isExact) return outputs;
  const bounder = new BoxBounder(network);
  bounder.hurried = true;
  const known = finished(bounder.bounding(box));
  const errors = new Float64Array(network.slots);
  for (const layer of network.layers) {
    const rows = rowErrors(layer, known, errors);
    for (let unit = 0; unit < layer.units; unit++) {
      const error = slack * unitError(layer, unit, rows, known);
      errors[layer.firstSlot + unit] = Number.isNaN(error) ? Number.POSITIVE_INFINITY : error; // 0 times infinity
    }
  }
  return errors.slice(network.firstOutput);
}
