// Data whose outputs read few of the inputs: a graph to be found.
import type { Random } from "../../numbers/random.ts";

type Rows = readonly (readonly number[])[];

export interface Planted {
  readonly X: Rows;
  readonly Y: Rows;
  /** The inputs that each output reads, with weights 1 or -1. */
  readonly graph: readonly (readonly number[])[];
}

/** Normal inputs, outputs that read s of them each, and noise of deviation 0.1. */
export function plantedGraph(
  { n, p, s, k }: { readonly n: number; readonly p: number; readonly s: number; readonly k: number },
  random: Random,
): Planted {
  const reads = Array.from({ length: k }, () => Array.from(random.permutation(p).subarray(0, s)));
  const signs = reads.map((list) => list.map(() => (random.uniform() < 0.5 ? -1 : 1)));
  const X = Array.from({ length: n }, () => Array.from(random.normal(p)));
  const Y = X.map((row) =>
    reads.map(
      (list, o) => list.reduce((sum, j, at) => sum + signs[o]![at]! * row[j]!, 0) + 0.1 * random.normal(),
    ),
  );
  return { X, Y, graph: reads };
}
