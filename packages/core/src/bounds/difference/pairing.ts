// Which units of two networks stand for one another.
import type { Activation } from "../../functions/lines.ts";
import type { Layer, Network } from "../linear/network.ts";

/**
 * Slot s of the second network is compared with factor[s] * (slot partner[s] of the first) + offset[s]; partner -1: with
 * none. Rows of units that have several are paired too.
 */
export interface Pairing {
  readonly partner: Int32Array;
  readonly factor: Float64Array;
  readonly offset: Float64Array;
  readonly rowPartner: Int32Array;
}

/** Every number of an input with itself, nothing else. */
export function unpaired({ inputs, slots, rows }: Network): Pairing {
  return {
    partner: Int32Array.from({ length: slots }, (_, s) => (s < inputs ? s : -1)),
    factor: new Float64Array(slots).fill(1),
    offset: new Float64Array(slots),
    rowPartner: new Int32Array(rows).fill(-1),
  };
}

/** Names hold all parameters. */
export const sameActivation = (f: Activation, g: Activation): boolean => f.name === g.name;

/** Do layers compute the same kind of units, whatever their rows and their number? */
export function alikeLayers(a: Layer, b: Layer): boolean {
  if (a.kind !== b.kind || a.enclosure || b.enclosure) return false;
  if (a.curve || b.curve) return !!a.curve && !!b.curve && sameActivation(a.curve, b.curve);
  return a.surface === b.surface;
}

/** Which layer of the first network goes with each of the second (-1: none): a longest common subsequence, the last alone. */
export function alignLayers(first: Network, second: Network): readonly number[] {
  const [a, b] = [first.layers.slice(0, -1), second.layers.slice(0, -1)];
  const score = (i: number, j: number): number => {
    if (!alikeLayers(a[i]!, b[j]!)) return 0;
    return (a[i]!.kind === "linear" ? 1 : 4) + (a[i]!.units === b[j]!.units ? 2 : 0);
  };
  const best = Array.from({ length: a.length + 1 }, () => new Float64Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) {
      const both = score(i, j);
      best[i]![j] = Math.max(best[i + 1]![j]!, best[i]![j + 1]!, both > 0 ? both + best[i + 1]![j + 1]! : 0);
    }
  const found: number[] = b.map(() => -1);
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const both = score(i, j);
    if (both > 0 && best[i]![j] === both + best[i + 1]![j + 1]!) found[j++] = i++;
    else if (best[i]![j] === best[i + 1]![j]) i++;
    else j++;
  }
  return found;
}

/** Pairs a unit of layer b with one of layer a: its rows in the order given (default: their own). */
export function pairUnits(
  pairing: Pairing,
  [a, unitA]: readonly [Layer, number],
  [b, unitB]: readonly [Layer, number],
  factor = 1,
  offset = 0,
  order?: readonly number[],
): void {
  const slot = b.firstSlot + unitB;
  pairing.partner[slot] = a.firstSlot + unitA;
  pairing.factor[slot] = factor;
  pairing.offset[slot] = offset;
  const [rowA, rowB] = [a, b].map((layer, k) => {
    const unit = k === 0 ? unitA : unitB;
    return layer.firstRow + (layer.groups.length > 0 ? layer.groups[unit]! : unit);
  }) as [number, number];
  const count = b.groups.length > 0 ? b.groups[unitB + 1]! - b.groups[unitB]! : 1;
  for (let k = 0; k < count; k++) pairing.rowPartner[rowB + k] = rowA + (order?.[k] ?? k);
}

/** Are the shapes of two aligned layers the same, unit by unit? */
export const sameLayerShape = (a: Layer, b: Layer): boolean =>
  a.units === b.units &&
  a.rows === b.rows &&
  a.groups.every((g, k) => g === b.groups[k]) &&
  a.below.every((s, k) => s === b.below[k] && a.above[k] === b.above[k]);

/** Units with the same place in layers of the same shape. */
export function pairByPlace(first: Network, second: Network): Pairing {
  const pairing = unpaired(second);
  alignLayers(first, second).forEach((i, j) => {
    const [a, b] = [first.layers[i], second.layers[j]!];
    if (!a || !sameLayerShape(a, b)) return;
    for (let unit = 0; unit < b.units; unit++) pairUnits(pairing, [a, unit], [b, unit]);
  });
  return pairing;
}
