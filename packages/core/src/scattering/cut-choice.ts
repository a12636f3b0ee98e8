// Into how many rows an axis is cut: as many as make its products cheapest, by counted operations.
import type { Cut } from "./cut.ts";

export interface CutUse {
  /** Outputs keep every 2^coarser-th sample. */
  readonly coarser: number;
  readonly wavelets: number;
}

/** Numbers that the weights of one product may have: a graph is also a file. */
const mostWeights = 2 ** 21;
/** What a product costs besides its operations, a sample: it is read, packed and written. */
const passing = 300;

/**
 * The cut with the fewest operations for a transform of this length and the ways back from it.
 * @example chosenCut(1024, [{ coarser: 0, wavelets: 8 }]).p // 32
 */
export function chosenCut(length: number, uses: readonly CutUse[]): Cut {
  const deepest = Math.max(0, ...uses.map(({ coarser }) => coarser));
  const cuts: Cut[] = [];
  for (let p = 1; p <= length / 2 ** deepest; p++)
    if (length % p === 0 && (length / p) % 2 ** deepest === 0) cuts.push({ p, q: length / p });
  const small = cuts.filter((cut) => weights(cut) <= mostWeights);
  const best = (some: readonly Cut[], cost: (cut: Cut) => number): Cut =>
    some.reduce((a, b) => (cost(b) < cost(a) ? b : a));
  return small.length > 0 ? best(small, (cut) => operations(cut, uses)) : best(cuts, weights);
}

const weights = ({ p, q }: Cut): number => Math.max(q === 1 ? 0 : 4 * p * q * q, 4 * p * p);

/** Multiplications and additions for one signal. */
function operations({ p, q }: Cut, uses: readonly CutUse[]): number {
  const products = (rows: number, columns: number): number =>
    rows * columns * (8 * rows + passing + (columns === 1 ? 0 : 8 * columns + passing));
  return uses.reduce(
    (sum, { coarser, wavelets }) => sum + wavelets * products(p, q / 2 ** coarser),
    products(p, q),
  );
}
