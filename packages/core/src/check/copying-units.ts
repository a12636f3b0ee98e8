// Where a unit of a stochastic network does something else than copy the unit above it, for certain or nearly so: on a few
// subcubes of the states of the layer before, which a search over its weights finds, the largest first.
import type { StochasticLayer } from "./stochastic-layers.ts";

/** The states in which these columns have these bits. */
export interface Subcube {
  readonly columns: readonly number[];
  readonly bits: readonly number[];
}

/** bias + sum of weights[k] over the columns that are on. */
export interface UnitRow {
  readonly bias: number;
  readonly columns: readonly number[];
  readonly weights: readonly number[];
  /** Bounds what rounding does to the sum, here and in a run. */
  readonly slack: number;
}

export interface CopyingUnit {
  /** Outside of these it is wrong with probability `wrong` at most. */
  readonly exceptions: readonly Subcube[];
  readonly wrong: number;
}

/** Of sums of n numbers, in any order, and as much again for the runtime's. */
const unitRoundoff = 2 ** -52;
/** Subcubes of one unit that are looked at. */
const mostNodes = 2 ** 12;

const sigma = (z: number): number => {
  const e = Math.exp(-Math.abs(z));
  return z >= 0 ? 1 / (1 + e) : e / (1 + e);
};

/** The rows of a layer, which is stored by columns. */
export function unitRows({ bias, starts, units, weights }: StochasticLayer): readonly UnitRow[] {
  const reads: { columns: number[]; weights: number[] }[] = Array.from(bias, () => ({
    columns: [],
    weights: [],
  }));
  for (let column = 0; column + 1 < starts.length; column++)
    for (let k = starts[column]!; k < starts[column + 1]!; k++) {
      const row = reads[units[k]!]!;
      row.columns.push(column);
      row.weights.push(weights[k]!);
    }
  return reads.map((row, unit) => {
    const size = row.weights.reduce((sum, w) => sum + Math.abs(w), Math.abs(bias[unit]!));
    return { bias: bias[unit]!, ...row, slack: 2 * (1 + row.columns.length) * unitRoundoff * size };
  });
}

/** What the search goes through: columns but the unit's own, and what those from k on can add. */
interface Search {
  readonly columns: readonly number[];
  readonly weights: readonly number[];
  readonly more: readonly number[];
  readonly less: readonly number[];
}

function searchOf({ columns, weights }: UnitRow, unit: number): Search {
  const others = columns.flatMap((column, k) => (column === unit ? [] : [[column, weights[k]!] as const]));
  others.sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
  const more = [0];
  const less = [0];
  for (const [, w] of others.toReversed()) {
    more.push(more.at(-1)! + Math.max(0, w));
    less.push(less.at(-1)! + Math.min(0, w));
  }
  more.reverse();
  less.reverse();
  return { columns: others.map(([c]) => c), weights: others.map(([, w]) => w), more, less };
}

/**
 * The unit as one that copies column `unit`, but for subcubes where it may be wrong with more than `settled`; undefined where
 * these are too many.
 */
export function copyingUnit(row: UnitRow, unit: number, settled: number): CopyingUnit | undefined {
  const search = searchOf(row, unit);
  const own = row.columns.reduce((sum, column, k) => (column === unit ? sum + row.weights[k]! : sum), 0);
  const exceptions: Subcube[] = [];
  let [wrong, nodes] = [0, 0];
  const look = (bit: number, k: number, z: number, bits: readonly number[]): boolean => {
    if (++nodes > mostNodes) return false;
    const sign = bit === 1 ? -1 : 1;
    // The greatest and least of what is wrong to be on (or, if the bit is 1, off).
    const [greatest, least] = [
      bit === 1 ? -(z + search.less[k]!) : z + search.more[k]!,
      sign * z + (bit === 1 ? -search.more[k]! : search.less[k]!),
    ];
    const most = sigma(greatest + row.slack);
    if (most <= settled) {
      wrong = Math.max(wrong, most);
      return true;
    }
    if (sigma(least - row.slack) > settled || k === search.columns.length) {
      exceptions.push({
        columns: [unit, ...search.columns.slice(0, k)],
        bits: [bit, ...bits],
      });
      return true;
    }
    return look(bit, k + 1, z, [...bits, 0]) && look(bit, k + 1, z + search.weights[k]!, [...bits, 1]);
  };
  const isDone = look(0, 0, row.bias, []) && look(1, 0, row.bias + own, []);
  return isDone ? { exceptions, wrong } : undefined;
}
