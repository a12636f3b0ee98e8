// Disjoint products for a table of values, by splitting it at one argument after the other.
import type { Cube } from "./circuit.ts";

/**
 * Products of which no two are 1 together and which are 1 where the table is: entry `word` has bit k for argument k.
 * @example disjointCover([0, 1, 1, 1]) // [{ mask: 3, value: 1 }, { mask: 2, value: 2 }]
 */
export function disjointCover(table: ArrayLike<number>): readonly Cube[] {
  const split = (from: number, size: number, bit: number): readonly Cube[] => {
    if (isConstant(table, from, size)) return table[from] ? [{ mask: 0, value: 0 }] : [];
    const half = size >> 1;
    const [low, high] = [split(from, half, bit - 1), split(from + half, half, bit - 1)];
    const upper = new Set(high.map(keyOf));
    const both = low.filter((cube) => upper.has(keyOf(cube)));
    const shared = new Set(both.map(keyOf));
    const at = 1 << (bit - 1);
    const alone = (cubes: readonly Cube[], value: number): readonly Cube[] =>
      cubes
        .filter((cube) => !shared.has(keyOf(cube)))
        .map((cube) => ({ mask: cube.mask | at, value: cube.value | value }));
    return [...both, ...alone(low, 0), ...alone(high, at)];
  };
  return split(0, table.length, Math.log2(table.length));
}

const keyOf = ({ mask, value }: Cube): string => `${mask}:${value}`;

function isConstant(table: ArrayLike<number>, from: number, size: number): boolean {
  for (let k = 1; k < size; k++) if (table[from + k] !== table[from]) return false;
  return true;
}
