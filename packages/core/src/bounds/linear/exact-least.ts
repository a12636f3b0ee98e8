// The least value of a target on a box by the same lines, in exact arithmetic: for targets that rounding alone keeps from
// being proved, such as one whose minimum is exactly 0. Lines of piecewise-linear layers are sound as they are stored.
import { add, type Exact, mul, sign } from "../../numbers/exact/rational.ts";
import type { Target } from "./back-substitution.ts";
import type { Layer, Network } from "./network.ts";
import type { Relaxation } from "./relaxation-lines.ts";
import type { Box } from "./row-bounds.ts";

/** Which line bounds an activation on its free side: the stored one, or the level one where that is sound. */
export type FreeSlopes = "stored" | "level";

/** Does every weight mean itself, and every line bound its activation without any rounding? */
export const hasExactLines = ({ layers, isExact }: Network): boolean =>
  isExact && layers.every(({ kind }) => kind !== "curve");

/** How many products a bound takes at most. */
export const exactWork = ({ layers }: Network): number =>
  layers.reduce((n, { weights }) => n + weights.length, 0);

interface Line {
  readonly slope: number;
  readonly shift: number;
}

/** The line that replaces a unit with this coefficient; maxima have one for each of their rows, and one shift. */
function lineOf(
  { firstRow, firstSlot, kind, below, above }: Layer,
  unit: number,
  row: number,
  isPositive: boolean,
  { lowSlope, highSlope, lowShift, highShift }: Relaxation,
  free: FreeSlopes,
): Line {
  const [slopes, shifts] = isPositive ? [lowSlope, lowShift] : [highSlope, highShift];
  if (free === "level" && kind === "hinge" && lowSlope[firstRow + row] !== highSlope[firstRow + row]) {
    const [b, a] = [below[unit]!, above[unit]!];
    const isFree = isPositive ? b <= 0 && a >= 0 : b >= 0 && a <= 0;
    if (isFree) return { slope: 0, shift: 0 };
  }
  return { slope: slopes[firstRow + row]!, shift: shifts[firstSlot + unit]! };
}

/**
 * A lower bound of the target on the box that `lines` were made for, without rounding; undefined where numbers ran over.
 * Sound only where `hasExactLines`.
 */
export function exactLeast(
  network: Network,
  lines: Relaxation,
  { slots, weights, constant }: Target,
  { lower, upper }: Box,
  free: FreeSlopes,
): Exact | undefined {
  const coefficients: Exact[] = new Array<Exact>(network.slots).fill(0);
  for (let k = 0; k < slots.length; k++) coefficients[slots[k]!] = add(coefficients[slots[k]!]!, weights[k]!);
  let sum: Exact = constant;
  const addRow = (layer: Layer, row: number, factor: Exact): void => {
    const { dense, width, source, starts, constants } = layer;
    const [from, end] = dense ? [row * width, (row + 1) * width] : [starts[row]!, starts[row + 1]!];
    for (let k = from; k < end; k++) {
      const slot = dense ? source + k - from : layer.slots[k]!;
      if (layer.weights[k] !== 0)
        coefficients[slot] = add(coefficients[slot]!, mul(factor, layer.weights[k]!));
    }
    sum = add(sum, mul(factor, constants[row]!));
  };
  for (const layer of network.layers.toReversed())
    for (let unit = 0; unit < layer.units; unit++) {
      const a = coefficients[layer.firstSlot + unit]!;
      if (sign(a) === 0) continue;
      const { groups } = layer;
      const [first, end] = groups.length > 0 ? [groups[unit]!, groups[unit + 1]!] : [unit, unit + 1];
      for (let row = first; row < end; row++) {
        const { slope, shift } = lineOf(layer, unit, row, sign(a) > 0, lines, free);
        if (!Number.isFinite(slope) || !Number.isFinite(shift)) return undefined;
        if (slope !== 0) addRow(layer, row, mul(a, slope));
        if (row === first) sum = add(sum, mul(a, shift));
      }
    }
  for (let i = 0; i < network.inputs; i++) {
    const a = coefficients[i]!;
    if (sign(a) !== 0) sum = add(sum, mul(a, sign(a) > 0 ? lower[i]! : upper[i]!));
  }
  return sum;
}
