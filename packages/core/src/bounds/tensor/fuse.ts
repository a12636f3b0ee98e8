// An activation that alone reads an operator's values bends the operator's own rows: one layer instead of two.
import { isOperated, type OperatorLayer, type TensorLayer } from "./operator.ts";

/** Does row k of a layer read slot k of the other, as it is, and nothing else? */
const readsAsItIs = (layer: TensorLayer, other: OperatorLayer): boolean =>
  layer.rows === other.units &&
  layer.groups.length === 0 &&
  !layer.surface &&
  !layer.enclosure &&
  !layer.dense &&
  layer.slots.length === layer.rows &&
  layer.slots.every(
    (slot, k) =>
      slot === other.firstSlot + k &&
      layer.starts[k] === k &&
      layer.weights[k] === 1 &&
      layer.constants[k] === 0,
  );

/** How often each slot is read. */
function readings(layers: readonly TensorLayer[], slots: number): Uint8Array {
  const counts = new Uint8Array(slots);
  const read = (slot: number): void => {
    if (counts[slot]! < 2) counts[slot]!++;
  };
  for (const layer of layers)
    if (isOperated(layer) || layer.dense)
      for (let j = layer.source; j < layer.source + layer.width; j++) read(j);
    else layer.slots.forEach(read);
  return counts;
}

/** The layers with activations fused, slots and rows numbered anew. */
export function fused(layers: readonly TensorLayer[], inputs: number) {
  const end = layers.reduce((most, { firstSlot, units }) => Math.max(most, firstSlot + units), inputs);
  const counts = readings(layers, end);
  const isAlone = ({ firstSlot, units }: TensorLayer): boolean => {
    for (let k = firstSlot; k < firstSlot + units; k++) if (counts[k] !== 1) return false;
    return true;
  };
  /** Where the values of old slots are now. */
  const moved = Int32Array.from({ length: end }, (_, slot) => slot);
  const kept: TensorLayer[] = [];
  const place = ({ firstSlot, units }: TensorLayer, to: number): void => {
    for (let k = 0; k < units; k++) moved[firstSlot + k] = to + k;
  };
  let [slots, rows] = [inputs, 0];
  for (const layer of layers) {
    const before = kept.at(-1);
    if (before && isOperated(before) && before.kind === "linear" && layer.kind !== "linear") {
      // `before` has its new numbers already: what the activation reads is compared by these.
      const own = { ...layer, slots: layer.slots.map((slot) => moved[slot]!) };
      const original = layers[layers.indexOf(layer) - 1]!;
      if (readsAsItIs(own, before) && isAlone(original)) {
        const { kind, below, above, curve } = layer;
        kept[kept.length - 1] = { ...before, kind, below, above, ...(curve && { curve }) };
        place(layer, before.firstSlot);
        continue;
      }
    }
    const isSourced = layer.width > 0 && (isOperated(layer) || layer.dense);
    kept.push({
      ...layer,
      slots: layer.slots.map((slot) => moved[slot]!),
      source: isSourced ? moved[layer.source]! : layer.source,
      firstSlot: slots,
      firstRow: rows,
    });
    place(layer, slots);
    slots += layer.units;
    rows += layer.rows;
  }
  return { layers: kept, slots, rows };
}
