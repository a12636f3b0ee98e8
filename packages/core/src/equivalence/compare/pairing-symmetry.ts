// A pairing of units as a symmetry: permutations, factors and flips, layer by layer.

import type { Pairing } from "../../bounds/difference/pairing.ts";
import type { Network } from "../../bounds/linear/network.ts";

/** Unit k of this layer of the second network is `factor[k]` times unit `from[k]` of the first (-1: of none), plus offset. */
export interface LayerSymmetry {
  readonly node: string;
  readonly from: readonly number[];
  /** Left out where all are 1. */
  readonly factor?: readonly number[];
  /** Left out where all are 0. */
  readonly offset?: readonly number[];
}

/** The layers whose units are not each for itself. */
export function symmetryOf(
  first: Network,
  second: Network,
  { partner, factor, offset }: Pairing,
  layers: readonly number[],
): readonly LayerSymmetry[] {
  return second.layers.slice(0, -1).flatMap(({ firstSlot, units, node, kind }, j) => {
    const a = first.layers[layers[j]!];
    if (!a || kind === "linear") return [];
    const part = (values: Float64Array): readonly number[] => [
      ...values.subarray(firstSlot, firstSlot + units),
    ];
    const from = [...partner.subarray(firstSlot, firstSlot + units)].map((s) =>
      s < 0 ? -1 : s - a.firstSlot,
    );
    const [factors, offsets] = [part(factor), part(offset)];
    const isPlain = from.every((s, k) => s === k) && factors.every((c) => c === 1);
    if (isPlain && a.units === units) return [];
    return [
      {
        node,
        from,
        ...(factors.some((c) => c !== 1) && { factor: factors }),
        ...(offsets.some((o) => o !== 0) && { offset: offsets }),
      },
    ];
  });
}
