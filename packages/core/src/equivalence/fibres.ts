// Fibres: units that occur only together with those of another class (a head's inner axis with the heads) may be permuted
// in one way for one unit of that class and in another way for another.
import { type Axis, type AxisClass, type Leg, representative, resolve } from "./axes/axis-class.ts";

/** Tensors with more blocks than this are not searched: their classes have no fibres. */
const mostBlocks = 4096;

/** The legs of each block of a tensor: one segment of each axis. */
export function blocksOf(axes: readonly Axis[]): readonly (readonly Leg[])[] {
  return axes.reduce<readonly (readonly Leg[])[]>(
    (blocks, axis) => blocks.flatMap((legs) => axis.map((segment) => [...legs, ...segment])),
    [[]],
  );
}

/** For each class, the classes over which it is fibred. The tensors are resolved already. */
export function fibreBases(
  tensors: readonly (readonly Axis[])[],
  whole: ReadonlySet<AxisClass>,
): ReadonlyMap<AxisClass, readonly AxisClass[]> {
  const companions = new Map<AxisClass, Set<AxisClass>>();
  const order = new Map<AxisClass, number>();
  for (const axes of tensors) {
    const isLarge = axes.reduce((n, axis) => n * axis.length, 1) > mostBlocks;
    for (const legs of isLarge ? [axes.flat(2)] : blocksOf(axes)) {
      const count = new Map<AxisClass, number>();
      for (const { units } of legs) {
        count.set(units, (count.get(units) ?? 0) + 1);
        if (!order.has(units)) order.set(units, order.size);
      }
      const single = isLarge ? [] : [...count].filter(([, n]) => n === 1).map(([units]) => units);
      for (const units of count.keys()) {
        const before = companions.get(units);
        companions.set(units, new Set(before ? single.filter((b) => before.has(b)) : single));
      }
    }
  }
  const leaves = (units: AxisClass): readonly AxisClass[] =>
    resolve([[{ units, scale: new Map() }]]).flatMap((segment) => segment.map((leg) => leg.units));
  return new Map(
    [...companions].map(([units, found]) => {
      const mixed = new Set([...units.mixes].flatMap((base) => leaves(representative(base))));
      const bases = [...found].filter((base) => {
        if (base === units || mixed.has(base) || base.size === undefined || base.size === 1) return false;
        // Two classes that always occur together: the one that was met first is the base.
        return !companions.get(base)?.has(units) || order.get(base)! < order.get(units)!;
      });
      return [units, whole.has(units) ? [] : bases];
    }),
  );
}
