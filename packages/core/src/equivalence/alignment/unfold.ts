// Weights as matrices with one row a unit: what belongs to each unit of a class, in all weights that have it.
import type { SymmetryGroup } from "../group.ts";
import { stridedBlocks } from "../transform.ts";

/** Rows are the units; the columns of all weights stand side by side. */
export interface Features {
  readonly units: number;
  readonly length: number;
  readonly data: Float64Array;
}

/** Where the numbers of a class's first unit stand in one block of a weight; those of the next are a step away. */
interface Column {
  readonly name: string;
  readonly start: number;
  readonly others: readonly { readonly size: number; readonly step: number }[];
  readonly step: number;
}

/** The blocks that have the class, together with units of other classes only where those are `known`. */
function columnsOf(
  group: SymmetryGroup,
  names: Iterable<string>,
  units: number,
  known: (units: number) => boolean,
): readonly Column[] {
  return [...names].flatMap((name) =>
    stridedBlocks(group, group.weights.get(name)!).flatMap(({ start, legs }) =>
      legs.flatMap((leg, at) => {
        const others = legs.filter((_, k) => k !== at);
        const isWanted = leg.units === units && others.every((other) => known(other.units));
        return isWanted ? [{ name, start, others, step: leg.step }] : [];
      }),
    ),
  );
}

const sizeOf = ({ others }: Column): number => others.reduce((n, { size }) => n * size, 1);

/** How many numbers each unit of the class has. */
export const featureLength = (
  group: SymmetryGroup,
  names: Iterable<string>,
  units: number,
  known: (units: number) => boolean,
): number => columnsOf(group, names, units, known).reduce((sum, column) => sum + sizeOf(column), 0);

/** What each unit of the class has in these parameters, which are named as in the group. */
export function featuresOf(
  group: SymmetryGroup,
  parameters: ReadonlyMap<string, Float64Array>,
  units: number,
  known: (units: number) => boolean = () => true,
): Features {
  const n = group.classes[units]!.size;
  const columns = columnsOf(group, parameters.keys(), units, known);
  const length = columns.reduce((sum, column) => sum + sizeOf(column), 0);
  const data = new Float64Array(n * length);
  let first = 0;
  for (const { name, start, others, step } of columns) {
    const [values, from] = [parameters.get(name)!, offsets(start, others)];
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
