// Sorting networks of ReLU gates (Batcher's merge exchange), and order statistics that keep only what they need.

import { ConstructError } from "../../functions/error.ts";
import type { Graph } from "../../graph/graph.ts";
import type { Carrying } from "../calculus/calculus.ts";
import { gateNetwork, requireWires, type Stage } from "./gates.ts";

/**
 * Batcher's merge exchange (Knuth, The Art of Computer Programming, 5.2.2 M) for any number of wires:
 * t (t + 1) / 2 stages with t = ceil(log2 n); for n = 2^t, (t^2 - t + 4) 2^{t-2} - 1 comparators.
 * @example sortingStages(4).flat().length // 5
 */
export function sortingStages(wires: number): readonly Stage[] {
  requireWires(wires, 1);
  const top = 2 ** Math.ceil(Math.log2(wires)) / 2;
  const stages: Stage[] = [];
  for (let p = top; p >= 1; p /= 2) {
    for (let [q, r, d] = [top, 0, p]; ; [q, r, d] = [q / 2, p, q - p]) {
      stages.push(comparators(wires, p, r, d));
      if (q === p) break;
    }
  }
  return stages;
}

function comparators(wires: number, p: number, r: number, d: number): Stage {
  const starts = Array.from({ length: Math.max(0, wires - d) }, (_, i) => i).filter((i) => (i & p) === r);
  return starts.map((i) => ({ kind: "sort", low: i, high: i + d }));
}

/** The gates that the wanted wires depend on; comparators with one needed output become min or max. */
export function pruned(stages: readonly Stage[], wanted: Iterable<number>): readonly Stage[] {
  const needed = new Set(wanted);
  return stages
    .toReversed()
    .map((stage) =>
      stage.flatMap((gate) => {
        const [low, high] = [needed.has(gate.low), needed.has(gate.high)];
        if (!low && !high) return [];
        needed.add(gate.low).add(gate.high);
        return [
          { ...gate, kind: low && high ? ("sort" as const) : low ? ("min" as const) : ("max" as const) },
        ];
      }),
    )
    .filter((stage) => stage.length > 0)
    .reverse();
}

/**
 * Some of n numbers by rank, 0 the least.
 * @example complexity(orderStatistics(3, [1])).architecture // [3, 6, 5, 3, 1]
 */
export function orderStatistics(wires: number, ranks: readonly number[], options: Carrying = {}): Graph {
  const odd = ranks.find((r) => !Number.isInteger(r) || r < 0 || r >= wires);
  if (odd !== undefined || ranks.length === 0)
    throw new ConstructError(`the ranks of ${wires} numbers are 0 to ${wires - 1}, not ${odd ?? "none"}`);
  return selection(
    wires,
    ranks.map((r) => [[r, 1]]),
    { ...options, name: `order_statistics_${wires}` },
  );
}

function selection(
  wires: number,
  outputs: readonly (readonly (readonly [number, number])[])[],
  options: Carrying & { readonly name: string },
): Graph {
  const stages = pruned(
    sortingStages(wires),
    outputs.flat().map(([wire]) => wire),
  );
  return gateNetwork(wires, stages, outputs, options);
}

/**
 * n numbers in increasing order: t (t + 1) / 2 hidden layers of 2 n units, t = ceil(log2 n).
 * @example complexity(sorting(4)).architecture // [4, 8, 8, 8, 4]
 */
export const sorting = (wires: number, options: Carrying = {}): Graph =>
  orderStatistics(
    wires,
    Array.from({ length: wires }, (_, r) => r),
    options,
  );

/**
 * The median of n numbers: the middle one, or the mean of the two in the middle.
 * @example complexity(median(3)).architecture // [3, 6, 5, 3, 1]
 */
export function median(wires: number, options: Carrying = {}): Graph {
  requireWires(wires, 1);
  const [below, above] = [Math.floor((wires - 1) / 2), Math.ceil((wires - 1) / 2)];
  const outputs =
    below === above ? [[[below, 1] as const]] : [[[below, 0.5] as const, [above, 0.5] as const]];
  return selection(wires, outputs, { ...options, name: `median_${wires}` });
}
