// Better free slopes: on the side where a kinked activation bounds itself, any slope between both of its own is sound,
// so the bound is maximized over them (alpha-CROWN: Xu et al. 2021). The bound is concave in pieces; its derivative by the
// slope of unit k is the unit's coefficient times the value of its row where the form is least.
import type { Target } from "./back-substitution.ts";
import type { BoxBounder } from "./box-bounds.ts";
import { type Layer, rowValues } from "./network.ts";
import type { BoxBounds } from "./row-bounds.ts";

const firstStep = 0.5;
const decay = 0.85;

/** The greatest lower bound of a target that `steps` steps of signed ascent find; every step's bound is sound. */
export function optimizedLeast(bounder: BoxBounder, known: BoxBounds, target: Target, steps: number): number {
  bounder.relaxAll(known);
  let best = Number.NEGATIVE_INFINITY;
  for (let step = 0; step <= steps; step++) {
    const [form] = bounder.lowerForms([target], known);
    best = Math.max(best, form!.least);
    if (step < steps) ascend(bounder, known, firstStep * decay ** step);
  }
  bounder.relaxAll(known);
  return best;
}

/** Moves every free slope by a share of its range, the way that lifts form 0 of the last substitution. */
function ascend({ network, lines, substitution }: BoxBounder, known: BoxBounds, share: number): void {
  const { coefficients } = substitution;
  const values = new Float64Array(network.slots);
  const { lower, upper } = known.box;
  for (let i = 0; i < network.inputs; i++) values[i] = coefficients[i]! > 0 ? lower[i]! : upper[i]!;
  for (const layer of network.layers) {
    const rows = new Float64Array(layer.rows);
    rowValues(layer, values, rows);
    for (let unit = 0; unit < layer.units; unit++) {
      const a = coefficients[layer.firstSlot + unit]!;
      values[layer.firstSlot + unit] = lineValue(layer, unit, rows, a > 0, lines);
      if (layer.kind === "hinge" && a !== 0) moveSlope(layer, unit, a, rows[unit]!, share, known, lines);
    }
  }
}

function moveSlope(
  { firstRow, below, above }: Layer,
  unit: number,
  a: number,
  z: number,
  share: number,
  { rowLower, rowUpper }: BoxBounds,
  { lowSlope, highSlope }: BoxBounder["lines"],
): void {
  const row = firstRow + unit;
  const [b, c] = [below[unit]!, above[unit]!];
  const isFree = rowLower[row]! < 0 && rowUpper[row]! > 0 && (a > 0 ? c > b : c < b);
  if (!isFree) return;
  const slopes = a > 0 ? lowSlope : highSlope;
  const moved = slopes[row]! + Math.sign(a * z) * share * Math.abs(c - b);
  slopes[row] = Math.min(Math.max(b, c), Math.max(Math.min(b, c), moved));
}

function lineValue(
  { firstRow, firstSlot, groups }: Layer,
  unit: number,
  rows: Float64Array,
  low: boolean,
  lines: BoxBounder["lines"],
): number {
  const slopes = low ? lines.lowSlope : lines.highSlope;
  let value = (low ? lines.lowShift : lines.highShift)[firstSlot + unit]!;
  const [from, end] = groups.length > 0 ? [groups[unit]!, groups[unit + 1]!] : [unit, unit + 1];
  for (let k = from; k < end; k++) value += slopes[firstRow + k]! * rows[k]!;
  return value;
}
