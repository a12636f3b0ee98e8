// Points where a change of weights can show: the unit that it reads, the unit that it changes and a way from there to an
// output must be open.
import type { Random } from "../../numbers/random.ts";
import type { Target } from "../linear/back-substitution.ts";
import type { Layer, Network } from "../linear/network.ts";
import { rowOf } from "./exact-row.ts";
import type { RowChange } from "./network.ts";

/** A row of a layer, numbered within it. */
interface RowPlace {
  readonly layer: number;
  readonly row: number;
}

/** A row as a target: its value is what the hinge of its unit sees. */
function rowTarget({ layers }: Network, { layer, row }: RowPlace): Target {
  const { from, end, weights, slot, constant } = rowOf(layers[layer]!, row);
  return {
    slots: Array.from({ length: end - from }, (_, k) => slot(from + k)),
    weights: weights.slice(from, end),
    constant,
  };
}

/** |weight| of a row at a slot. */
function weightAt(layer: Layer, row: number, slot: number): number {
  const { from, end, weights, slot: at } = rowOf(layer, row);
  if (layer.dense) {
    const k = slot - layer.source;
    return k >= 0 && k < layer.width ? Math.abs(weights[from + k]!) : 0;
  }
  let sum = 0;
  for (let k = from; k < end; k++) if (at(k) === slot) sum += Math.abs(weights[k]!);
  return sum;
}

/** A row after `layer` that reads the slot, in the first layer that has any; those with great weights more often. */
function drawReader({ layers }: Network, slot: number, layer: number, random: Random): RowPlace | undefined {
  for (let l = layer + 1; l < layers.length; l++) {
    let [all, chosen]: [number, RowPlace | undefined] = [0, undefined];
    for (let row = 0; row < layers[l]!.rows; row++) {
      const size = weightAt(layers[l]!, row, slot);
      all += size;
      if (size > 0 && random.uniform() * all < size) chosen = { layer: l, row };
    }
    if (chosen) return chosen;
  }
  return undefined;
}

const unitOf = ({ layers }: Network, { layer, row }: RowPlace): number => {
  const { groups, firstSlot } = layers[layer]!;
  return firstSlot + (groups.length > 0 ? groups.findLastIndex((g) => g <= row) : row);
};

/** Rows of hinges from a row on, along a random way to an output. */
function wayOut(network: Network, start: RowPlace, random: Random): readonly Target[] {
  const gates: Target[] = [];
  let place: RowPlace | undefined = start;
  while (place && place.layer < network.layers.length - 1) {
    if (network.layers[place.layer]!.kind === "hinge") gates.push(rowTarget(network, place));
    place = drawReader(network, unitOf(network, place), place.layer, random);
  }
  return gates;
}

/** Rows of hinges that should be above 0 for one of the changes, drawn at random, to be seen. */
export function drawGates(
  network: Network,
  changes: readonly RowChange[],
  random: Random,
): readonly Target[] {
  const { layer, row, slots } = changes[random.integer(0, changes.length - 1)]!;
  const gates = wayOut(network, { layer, row }, random);
  if (slots.length === 0) return gates;
  const slot = slots[random.integer(0, slots.length - 1)]!;
  const source = network.layers.findIndex(
    ({ firstSlot, units }) => slot >= firstSlot && slot < firstSlot + units,
  );
  if (source < 0 || network.layers[source]!.kind !== "hinge") return gates;
  return [rowTarget(network, { layer: source, row: slot - network.layers[source]!.firstSlot }), ...gates];
}
