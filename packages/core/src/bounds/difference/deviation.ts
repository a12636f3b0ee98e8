// How much the weights of paired units differ: rows of both networks over inputs and units, linear layers multiplied out.
import type { Layer, Network } from "../linear/network.ts";
import { rowOf } from "./exact-row.ts";
import type { Pairing } from "./pairing.ts";

/** Weights by slot; the constant is at slot -1. In plain floating point. */
type Row = Map<number, number>;

const constantSlot = -1;

/** Rows over inputs and the units of layers that are not linear. */
class Folded {
  readonly #linear = new Map<number, Row>();
  readonly rows: readonly (readonly Row[])[];

  constructor({ layers }: Network) {
    this.rows = layers.map((layer) => {
      const rows = Array.from({ length: layer.rows }, (_, row) => this.#fold(layer, row));
      if (layer.kind === "linear")
        rows.forEach((row, unit) => {
          this.#linear.set(layer.firstSlot + unit, row);
        });
      return rows;
    });
  }

  #fold(layer: Layer, row: number): Row {
    const { from, end, weights, slot, constant } = rowOf(layer, row);
    const folded: Row = new Map([[constantSlot, constant]]);
    const add = (at: number, weight: number): void => void folded.set(at, (folded.get(at) ?? 0) + weight);
    for (let k = from; k < end; k++) {
      if (weights[k] === 0) continue;
      const inner = this.#linear.get(slot(k));
      if (inner) for (const [at, weight] of inner) add(at, weights[k]! * weight);
      else add(slot(k), weights[k]!);
    }
    return folded;
  }
}

/**
 * The greatest change of a weight from one network to the other, relative to the greatest weight of its row; infinite
 * if a unit of the second network has no partner. Measured, not proved.
 */
export function weightDeviation(
  first: Network,
  second: Network,
  { partner, factor, offset, rowPartner }: Pairing,
  layers: readonly number[],
): number {
  const isAlone = second.layers.some(
    ({ kind, firstSlot, units }, j) =>
      kind !== "linear" &&
      j < second.layers.length - 1 &&
      partner.subarray(firstSlot, firstSlot + units).includes(-1),
  );
  if (isAlone) return Number.POSITIVE_INFINITY;
  const [a, b] = [new Folded(first), new Folded(second)];
  let deviation = 0;
  second.layers.forEach((layer, j) => {
    const isLast = j === second.layers.length - 1;
    if (layer.kind === "linear" && !isLast) return;
    const i = isLast ? first.layers.length - 1 : layers[j]!;
    const other = first.layers[i]!;
    b.rows[j]!.forEach((row, k) => {
      const rowA = isLast ? k : rowPartner[layer.firstRow + k]! - other.firstRow;
      const unit = layer.groups.length > 0 ? layer.groups.findLastIndex((g) => g <= k) : k;
      const scale = isLast ? 1 : factor[layer.firstSlot + unit]!;
      const moved: Row = new Map();
      const add = (at: number, weight: number): void => void moved.set(at, (moved.get(at) ?? 0) + weight);
      for (const [slot, weight] of row)
        if (slot === constantSlot) add(constantSlot, weight);
        else {
          add(partner[slot]!, weight * factor[slot]!);
          add(constantSlot, weight * offset[slot]!);
        }
      const size = [...moved.values()].reduce((m, w) => Math.max(m, Math.abs(w)), 0);
      for (const [slot, weight] of a.rows[i]![rowA] ?? []) add(slot, -scale * weight);
      const change = [...moved.values()].reduce((m, w) => Math.max(m, Math.abs(w)), 0);
      if (change > 0) deviation = Math.max(deviation, change / size);
    });
  });
  return deviation;
}
