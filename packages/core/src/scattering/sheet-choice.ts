// How many rows a signal of one variable is cut into: as many as make its products cheapest, by counted operations.
import type { Sheet } from "./sheet.ts";

export interface SheetUse {
  /** Outputs keep every 2^coarser-th sample. */
  readonly coarser: number;
  readonly wavelets: number;
}

/** Numbers that the weights of one product may have: a graph is also a file. */
const mostWeights = 2 ** 22;

/**
 * The sheet with the fewest operations for a transform of this length and the ways back from it.
 * @example chosenSheet(1024, [{ coarser: 0, wavelets: 8 }]).p // 32
 */
export function chosenSheet(length: number, uses: readonly SheetUse[]): Sheet {
  const deepest = Math.max(0, ...uses.map(({ coarser }) => coarser));
  let best: Sheet = { p: 1, q: length, isCut: true };
  for (let p = 2; p <= length / 2 ** deepest; p++) {
    if (length % p !== 0 || (length / p) % 2 ** deepest !== 0) continue;
    const sheet = { p, q: length / p, isCut: true };
    if (better(sheet, best, uses)) best = sheet;
  }
  return best;
}

const better = (a: Sheet, b: Sheet, uses: readonly SheetUse[]): boolean => {
  const [large, small] = [weights(a) > mostWeights, weights(b) > mostWeights];
  return large === small ? operations(a, uses) < operations(b, uses) : small;
};

const weights = ({ p, q }: Sheet): number => Math.max(4 * p * q * q, 4 * p * p);

/** Multiplications and additions for one signal. */
function operations({ p, q }: Sheet, uses: readonly SheetUse[]): number {
  const there = 4 * p * p * q + 8 * p * q * q;
  return uses.reduce((sum, { coarser, wavelets }) => {
    const few = q / 2 ** coarser;
    return sum + wavelets * (8 * p * few * few + 8 * p * p * few);
  }, there);
}
