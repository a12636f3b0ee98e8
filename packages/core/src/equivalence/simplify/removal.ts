// What a reduction took away, and why.

/**
 * dead: never above 0 on the box; constant: one value on the box; unused: nobody reads it; merged: a multiple of another
 * unit; active: linear on the box, said by other units or by the next layer; approximated: replaced by a constant within
 * the error allowed; folded: a node (BatchNormalization, Identity, Dropout) that its neighbour says.
 */
export type RemovalReason = "dead" | "constant" | "unused" | "merged" | "active" | "approximated" | "folded";

/** A unit (or node) of the network that the reduced one does without. */
export interface RemovedUnit {
  /** A hidden layer ("layer 2") or a node of the graph. */
  readonly layer: string;
  /** Its place there; absent for a node. */
  readonly unit?: number;
  readonly reason: RemovalReason;
  /** Proved bounds of what the activation takes (of a channel: of what comes out) on the box, where they were needed. */
  readonly bounds?: readonly [number, number];
  /** The unit of the same layer that stands for it too. */
  readonly into?: number;
}

/** One layer before and after. */
export interface LayerReduction {
  readonly layer: string;
  readonly before: number;
  readonly after: number;
  /** Linear units that were added in place of always-active ones. */
  readonly added: number;
  readonly removed: Readonly<Partial<Record<RemovalReason, number>>>;
}

/** Counts of removals by layer, in the order of `layers`. */
export function reductionsOf(
  layers: readonly { readonly layer: string; readonly before: number; readonly after: number }[],
  removed: readonly RemovedUnit[],
): readonly LayerReduction[] {
  return layers.map(({ layer, before, after }) => {
    const counts: Partial<Record<RemovalReason, number>> = {};
    let total = 0;
    for (const unit of removed) {
      if (unit.layer !== layer || unit.unit === undefined) continue;
      counts[unit.reason] = (counts[unit.reason] ?? 0) + 1;
      total++;
    }
    return { layer, before, after, added: after - before + total, removed: counts };
  });
}
