// A gradient that also sees through closed hinges, for searches that have to open them.
import type { Target } from "../linear/back-substitution.ts";
import type { Evaluation } from "../linear/evaluate.ts";
import { type Layer, rowValues } from "../linear/network.ts";
import { rowOf } from "./exact-row.ts";

/** Closed hinges count as if they had this share of their open slope. */
const leak = 0.1;

function slopeOf({ kind, below, above, curve }: Layer, unit: number, z: number): number {
  if (kind === "hinge") {
    const [open, closed] = z > 0 ? [above[unit]!, below[unit]!] : [below[unit]!, above[unit]!];
    return open === 0 ? leak * closed : open;
  }
  return curve ? curve.slope(z) : 1;
}

/** The row that a unit reads; of a maximum the greatest. */
function chosenRow({ groups }: Layer, unit: number, rows: Float64Array): number {
  if (groups.length === 0) return unit;
  let best = groups[unit]!;
  for (let row = best + 1; row < groups[unit + 1]!; row++) if (rows[row]! > rows[best]!) best = row;
  return best;
}

/** By the inputs, at the point that was evaluated last; layers of several rows other than maxima count as constants. */
export function leakyGradient({ network, slots }: Evaluation, target: Target): Float64Array {
  const adjoint = new Float64Array(network.slots);
  for (let k = 0; k < target.slots.length; k++) adjoint[target.slots[k]!]! += target.weights[k]!;
  for (const layer of network.layers.toReversed()) {
    if (layer.surface || layer.enclosure) continue;
    const own = adjoint.subarray(layer.firstSlot, layer.firstSlot + layer.units);
    if (own.every((a) => a === 0)) continue;
    const rows = new Float64Array(layer.rows);
    rowValues(layer, slots, rows);
    for (let unit = 0; unit < layer.units; unit++) {
      if (own[unit] === 0) continue;
      const row = chosenRow(layer, unit, rows);
      const g = own[unit]! * slopeOf(layer, unit, rows[row]!);
      const { from, end, weights, slot } = rowOf(layer, row);
      for (let k = from; k < end; k++) adjoint[slot(k)]! += g * weights[k]!;
    }
  }
  return adjoint.slice(0, network.inputs);
}
