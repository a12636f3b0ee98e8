// Weights as matrices with one row a unit: what belongs to each unit of a class, in all weights that have it.
import type { SymmetryGroup } from "../group.ts";
import { stridedBlocks } from "../transform.ts";

/** Rows are the units; the columns of all weights stand side by side. */
export interface Features {
  readonly units: number;
  readonly length: number;
  readonly data: Float64Array;
}

/**
 * What each unit of the class has in these parameters, which are named as in the group; of blocks with units of other
 * classes only where those are `known`.
 */
export function featuresOf(
  group: SymmetryGroup,
  parameters: ReadonlyMap<string, Float64Array>,
  units: number,
  known: (units: number) => boolean = () => true,
): Features {
  const n = group.classes[units]!.size;
  const columns: { readonly values: Float64Array; readonly from: Int32Array; readonly step: number }[] = [];
  for (const [name, values] of parameters) {
    for (const { start, legs } of stridedBlocks(group, group.weights.get(name)!)) {
      legs.forEach((leg, at) => {
        if (leg.units !== units) return;
        const others = legs.filter((_, k) => k !== at);
        if (others.every((other) => known(other.units)))
          columns.push({ values, from: offsets(start, others), step: leg.step });
      });
    }
  }
  const length = columns.reduce((sum, { from }) => sum + from.length, 0);
  const data = new Float64Array(n * length);
  let first = 0;
  for (const { values, from, step } of columns) {
    for (let i = 0; i < n; i++)
      for (let k = 0; k < from.length; k++) data[i * length + first + k] = values[from[k]! + i * step]!;
    first += from.length;
  }
  return { units: n, length, data };
}

/** The places of a block with these legs, the last of which moves fastest. */
function offsets(
  start: number,
  legs: readonly { readonly size: number; readonly step: number }[],
): Int32Array {
  return legs.reduce((places, { size, step }) => {
    const next = new Int32Array(places.length * size);
    places.forEach((place, k) => {
      for (let i = 0; i < size; i++) next[k * size + i] = place + i * step;
    });
    return next;
  }, Int32Array.of(start));
}
