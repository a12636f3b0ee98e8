// A network in which units that are multiples of others are written as such: relaxation bounds a unit and its copy by
// themselves and does not see that they move together; a linear copy does. The function is the same, exactly.

import { RowList, rowOf } from "../../bounds/difference/exact-row.ts";
import { type Layer, layerOf, type Network } from "../../bounds/linear/network.ts";

/** Unit `unit` of a layer is factor * (unit `of`) + offset. */
interface Copy {
  readonly unit: number;
  readonly of: number;
  readonly factor: number;
  readonly offset: number;
}

/** f(c z) = c f(z) + offset: every positive c, or c = -1 with this offset, or neither. */
function commuting({ kind, curve }: Layer): {
  readonly scales: boolean;
  readonly flip?: number;
} {
  if (kind === "hinge") return { scales: true };
  if (curve?.name === "Sigmoid") return { scales: false, flip: 1 };
  const odd = ["Tanh", "Atan", "Softsign", "Erf", "Sin"];
  return curve && odd.includes(curve.name) ? { scales: false, flip: 0 } : { scales: false };
}

/** The units of a layer whose rows are those of an earlier one times a power of two, or negated where f allows. */
function copiesIn(layer: Layer): readonly Copy[] {
  if ((layer.kind !== "hinge" && !layer.curve) || layer.groups.length > 0) return [];
  const { scales, flip } = commuting(layer);
  const seen = new Map<string, { readonly unit: number; readonly factor: number }>();
  const copies: Copy[] = [];
  for (let unit = 0; unit < layer.units; unit++) {
    const { from, end, weights, slot, constant } = rowOf(layer, unit);
    let [greatest, sign] = [0, 1];
    for (let k = from; k < end; k++) {
      if (greatest === 0 && weights[k]! < 0 && flip !== undefined) sign = -1;
      greatest = Math.max(greatest, Math.abs(weights[k]!));
    }
    if (greatest === 0) continue;
    const factor = sign * (scales ? 2 ** Math.floor(Math.log2(greatest)) : 1);
    // Hinges with other slopes are other functions.
    let shape = `${layer.below[unit]} ${layer.above[unit]} ${constant / factor}`;
    let isLost = (constant / factor) * factor !== constant;
    for (let k = from; k < end; k++) {
      if (weights[k] !== 0) shape += ` ${slot(k)}:${weights[k]! / factor}`;
      isLost ||= (weights[k]! / factor) * factor !== weights[k];
    }
    // Below the least normal number a quotient by a power of two is rounded.
    if (isLost) continue;
    const first = seen.get(shape);
    if (!first) seen.set(shape, { unit, factor });
    else {
      const ratio = factor / first.factor;
      copies.push({ unit, of: first.unit, factor: ratio, offset: ratio < 0 ? (flip ?? 0) : 0 });
    }
  }
  return copies;
}

export interface CopiedNetwork {
  readonly network: Network;
  /** Where a unit of a layer is now: its layer and place there. A copy is where its original is. */
  place(
    layer: number,
    unit: number,
  ): { readonly layer: Layer; readonly unit: number; readonly isCopy: boolean };
}

const none = new Float64Array(0);
const noGroups = new Int32Array(0);

/** The same network with copies in linear layers of their own. */
export function withCopies(source: Network): CopiedNetwork {
  const layers: Layer[] = [];
  const slotOf = Int32Array.from({ length: source.slots }, (_, s) => s);
  const homes: {
    readonly layer: Layer;
    readonly places: Int32Array;
    readonly copied: ReadonlySet<number>;
  }[] = [];
  let [slots, rows] = [source.inputs, 0];
  const push = (list: RowList, units: number, like: Layer, kind: Layer["kind"], kept?: readonly number[]) => {
    const some = (values: Float64Array): Float64Array =>
      kept && values.length > 0 ? Float64Array.from(kept, (k) => values[k]!) : values;
    const { curve, surface, enclosure } = like;
    const isSame = kind === like.kind;
    const stage = {
      node: like.node,
      rows: list.rows(),
      units,
      firstSlot: slots,
      below: isSame ? some(like.below) : none,
      above: isSame ? some(like.above) : none,
      groups: isSame ? like.groups : noGroups,
    };
    const bending = isSame ? ({ curve, surface, enclosure } as Parameters<typeof layerOf>[3]) : {};
    const layer = layerOf(stage, kind, rows, bending);
    layers.push(layer);
    slots += units;
    rows += list.count;
    return layer;
  };
  for (const layer of source.layers) {
    const copies = source.isExact ? copiesIn(layer) : [];
    const copied = new Set(copies.map(({ unit }) => unit));
    const kept = Array.from({ length: layer.units }, (_, k) => k).filter((k) => !copied.has(k));
    const own = new RowList();
    const isGrouped = copies.length === 0;
    for (const row of isGrouped ? Array.from({ length: layer.rows }, (_, k) => k) : kept)
      own.plain(rowOf(layer, row), slotOf);
    kept.forEach((unit, k) => {
      slotOf[layer.firstSlot + unit] = slots + k;
    });
    const main = push(own, kept.length, layer, layer.kind, isGrouped ? undefined : kept);
    const places = new Int32Array(layer.units).fill(-1);
    kept.forEach((unit, k) => {
      places[unit] = k;
    });
    homes.push({ layer: main, places, copied });
    if (copies.length === 0) continue;
    const list = new RowList();
    for (const { of, factor, offset } of copies) {
      const at = slotOf[layer.firstSlot + of]!;
      list.plain(
        { from: 0, end: 1, weights: Float64Array.of(factor), slot: () => at, constant: offset },
        Int32Array.from({ length: slots }, (_, s) => s),
      );
    }
    copies.forEach(({ unit, of }, k) => {
      slotOf[layer.firstSlot + unit] = slots + k;
      places[unit] = places[of]!;
    });
    push(list, copies.length, layer, "linear");
  }
  const { inputs, outputNames, isExact } = source;
  return {
    network: {
      ...{ isWritten: true, inputs, slots, rows, layers },
      ...{ firstOutput: slots - outputNames.length, outputNames, isExact },
    },
    place: (at, unit) => {
      const { layer, places, copied } = homes[at]!;
      return { layer, unit: places[unit]!, isCopy: copied.has(unit) };
    },
  };
}
