// The difference of two networks as a network: the units of the first, and, for each unit of the second that has a
// partner, how far it is from it. Rows of differences are W2 d + (W2 - W1) x + (b2 - b1), with weights rounded once.
import type { Bending } from "../linear/activation.ts";
import { type Layer, layerOf, type Network } from "../linear/network.ts";
import { ExactRow, RowList, type RowOf, rowOf } from "./exact-row.ts";
import type { FirstUnit } from "./first-unit.ts";
import type { Pairing } from "./pairing.ts";
import { hasDifference, readsSecondRow, rowsPerUnit, unitDifference } from "./unit-difference.ts";

export interface DifferenceNetwork {
  /** Its outputs are those of the second network less those of the first. */
  readonly network: Network;
  /** Outputs whose difference is 0 for all inputs, as exact arithmetic on the weights says. */
  readonly zero: readonly boolean[];
  /** Rows of the first network that partners differ from, and slots at which they do. */
  readonly changes: readonly RowChange[];
  /** Of the units of the second network: how many there are, have a partner, and differ in nothing from it. */
  readonly units: { readonly all: number; readonly paired: number; readonly equal: number };
}

/** A row of a layer of the first network, and some of the slots of which the second network's row has more or less; none: constants differ. */
export interface RowChange {
  readonly layer: number;
  readonly row: number;
  readonly slots: readonly number[];
}

/** A unit of the second network that is not just a multiple of its partner. */
interface Moved {
  readonly unit: number;
  readonly rows: readonly ExactRow[];
  readonly unitA: number;
  readonly rowA: number;
  readonly factor: number;
}

const mostChanges = 4096;
const mostChangedSlots = 8;
const none = new Float64Array(0);
const noGroups = new Int32Array(0);

/** Where a slot of the second network is in the joint one: its value, or what it is more than its partner's; -1: nothing. */
class Joint {
  readonly layers: Layer[] = [];
  slots: number;
  rows = 0;
  readonly #first: Network;
  readonly #pairing: Pairing;
  /** Slots have names first: those of the first network their own, those of the second come after them. */
  readonly #place: Int32Array;
  readonly #rowOfFirst: Int32Array;
  /** Slots of the second network that are more than a multiple of their partner. */
  readonly #moves: Uint8Array;
  /** Partners that count: a unit may be compared only with one of the same function. */
  readonly partner: Int32Array;
  #done = 0;
  readonly changes: RowChange[] = [];
  paired = 0;
  equal = 0;

  constructor(first: Network, second: Network, pairing: Pairing) {
    this.#first = first;
    this.#pairing = pairing;
    this.slots = first.inputs;
    this.#place = Int32Array.from({ length: first.slots + second.slots }, (_, s) =>
      s < first.inputs ? s : -1,
    );
    this.#rowOfFirst = new Int32Array(first.rows).fill(-1);
    this.#moves = new Uint8Array(second.slots);
    this.partner = pairing.partner.slice();
  }

  #push(
    rows: RowList,
    units: number,
    { node }: Layer,
    kind: Layer["kind"],
    more: { readonly below?: Float64Array; readonly above?: Float64Array; readonly groups?: Int32Array } = {},
    bending: Bending = {},
  ): void {
    const { below = none, above = none, groups = noGroups } = more;
    const stage = { node, rows: rows.rows(), units, firstSlot: this.slots, below, above, groups };
    this.layers.push(layerOf(stage, kind, this.rows, bending));
    this.slots += units;
    this.rows += rows.count;
  }

  /** Layers of the first network, up to this one. */
  takeFirst(end: number): void {
    for (; this.#done <= end; this.#done++) {
      const layer = this.#first.layers[this.#done]!;
      const rows = new RowList();
      for (let row = 0; row < layer.rows; row++) {
        this.#rowOfFirst[layer.firstRow + row] = this.rows + row;
        rows.plain(rowOf(layer, row), this.#place);
      }
      for (let unit = 0; unit < layer.units; unit++) this.#place[layer.firstSlot + unit] = this.slots + unit;
      const { curve, surface, enclosure } = layer;
      this.#push(rows, layer.units, layer, layer.kind, layer, { curve, surface, enclosure } as Bending);
    }
  }

  /** A row of the second network over the slots of the joint one. */
  #addSecond(row: RowOf, into: ExactRow): void {
    const { factor, offset } = this.#pairing;
    into.shift(row.constant, 1);
    for (let k = row.from; k < row.end; k++) {
      const [slot, weight] = [row.slot(k), row.weights[k]!];
      if (weight === 0) continue;
      const partner = this.partner[slot]!;
      if (partner >= 0) {
        into.add(partner, weight, factor[slot]!);
        into.shift(weight, offset[slot]!);
      }
      if (this.#moves[slot]) into.add(this.#first.slots + slot, weight, 1);
    }
  }

  #less(row: RowOf, factor: number, into: ExactRow): void {
    into.shift(row.constant, -factor);
    for (let k = row.from; k < row.end; k++)
      if (row.weights[k]! !== 0) into.add(row.slot(k), row.weights[k]!, -factor);
  }

  /** Row of the second less factor * a row of the first. */
  #difference(b: Layer, rowB: number, a: Layer, rowA: number, factor: number): ExactRow {
    const difference = new ExactRow();
    this.#addSecond(rowOf(b, rowB), difference);
    this.#less(rowOf(a, rowA), factor, difference);
    return difference;
  }

  /** A layer of the second network beside one of the first: differences of paired units, the others as they are. */
  takeSecond(b: Layer, a: Layer | undefined, end: number): void {
    const own: number[] = [];
    const moved: Moved[] = [];
    for (let unit = 0; unit < b.units; unit++) {
      const rows = a && this.#rowsOfDifference(b, unit, a);
      if (!rows) {
        this.partner[b.firstSlot + unit] = -1;
        own.push(unit);
        continue;
      }
      this.paired++;
      if (rows.rows.every((row) => row.isZero)) this.equal++;
      else {
        moved.push({ unit, ...rows });
        this.#note(a, rows.rowA, rows.rows);
      }
    }
    // What both networks share needs no bounds.
    if (moved.length > 0 || own.length > 0) this.takeFirst(end);
    if (moved.length > 0) this.#takeMoved(b, a!, moved);
    if (own.length > 0) this.#takeOwn(b, own);
  }

  #note(a: Layer, rowA: number, rows: readonly ExactRow[]): void {
    if (this.changes.length >= mostChanges) return;
    const slots = rows.flatMap((row) => row.slotsBefore(this.#first.slots)).slice(0, mostChangedSlots);
    if (slots.length > 0 || rows.some((row) => row.constant !== 0))
      this.changes.push({ layer: this.#first.layers.indexOf(a), row: rowA - a.firstRow, slots });
  }

  /** Undefined if the unit has no partner in layer a that is the same function of its rows. */
  #rowsOfDifference(b: Layer, unit: number, a: Layer) {
    const { factor, rowPartner } = this.#pairing;
    const slot = b.firstSlot + unit;
    const unitA = this.partner[slot]! - a.firstSlot;
    if (!(unitA >= 0 && unitA < a.units)) return undefined;
    if (a.kind !== "linear" && !hasDifference(a)) return undefined;
    if (a.kind === "hinge" && (a.below[unitA] !== b.below[unit] || a.above[unitA] !== b.above[unit]))
      return undefined;
    const count = rowsPerUnit(b, unit);
    if (count !== rowsPerUnit(a, unitA)) return undefined;
    const [rowA, rowB] = [a.groups[unitA] ?? unitA, b.groups[unit] ?? unit];
    const rows: ExactRow[] = [];
    for (let k = 0; k < count; k++) {
      const place = rowPartner[b.firstRow + rowB + k]! - a.firstRow - rowA;
      if (!(place >= 0 && place < count)) return undefined;
      rows[place] = this.#difference(b, rowB + k, a, rowA + place, factor[slot]!);
    }
    // Rows of linear layers may hold weights that were rounded: their differences would not be right to a part of themselves.
    if (a.kind === "linear" && !rows.every((row) => row.isOver((s) => s >= this.#first.slots)))
      return undefined;
    return { rows, unitA, rowA: a.firstRow + rowA, factor: factor[slot]! };
  }

  #takeMoved(b: Layer, a: Layer, moved: readonly Moved[]): void {
    const rows = new RowList();
    const groups = [0];
    const ofRow = new Map<number, FirstUnit>();
    moved.forEach(({ unit, rows: own, unitA, rowA, factor }, k) => {
      ofRow.set(this.rows + rows.count, { unit: unitA, firstRow: this.#rowOfFirst[rowA]!, factor });
      for (const row of own) rows.exact(row, this.#place);
      if (readsSecondRow(a)) rows.exact(this.#secondRow(b, unit), this.#place);
      groups.push(rows.count);
      this.#enter(b.firstSlot + unit, this.slots + k);
    });
    if (a.kind === "linear") this.#push(rows, moved.length, b, "linear");
    else {
      const surface = unitDifference(a, (first) => ofRow.get(first)!);
      this.#push(rows, moved.length, b, "curve", { groups: Int32Array.from(groups) }, { surface });
    }
  }

  #enter(slot: number, place: number): void {
    this.#moves[slot] = 1;
    this.#place[this.#first.slots + slot] = place;
  }

  #secondRow(b: Layer, row: number): ExactRow {
    const joint = new ExactRow();
    this.#addSecond(rowOf(b, row), joint);
    return joint;
  }

  #takeOwn(b: Layer, units: readonly number[]): void {
    const rows = new RowList();
    const groups = [0];
    const isWhole = b.enclosure !== undefined;
    const take = (row: number): void => rows.exact(this.#secondRow(b, row), this.#place);
    if (isWhole) for (let row = 0; row < b.rows; row++) take(row);
    units.forEach((unit, k) => {
      const first = b.groups[unit] ?? unit;
      if (!isWhole) for (let row = first; row < first + rowsPerUnit(b, unit); row++) take(row);
      groups.push(rows.count);
      this.#enter(b.firstSlot + unit, this.slots + k);
    });
    const some = (values: Float64Array) =>
      values.length > 0 ? Float64Array.from(units, (u) => values[u]!) : values;
    const { curve, surface, enclosure } = b;
    this.#push(
      rows,
      units.length,
      b,
      b.kind,
      {
        below: some(b.below),
        above: some(b.above),
        groups: b.groups.length > 0 ? Int32Array.from(groups) : noGroups,
      },
      { curve, surface, enclosure } as Bending,
    );
  }

  /** Outputs of the second network less those of the first; which of them are 0. */
  outputs(a: Layer, b: Layer): readonly boolean[] {
    const rows = new RowList();
    const differences = Array.from({ length: b.rows }, (_, row) => this.#difference(b, row, a, row, 1));
    differences.forEach((row, k) => {
      this.#note(a, a.firstRow + k, [row]);
    });
    const last = differences.reduce((most, row) => Math.max(most, row.lastBefore(this.#first.slots)), -1);
    this.takeFirst(this.#first.layers.findLastIndex(({ firstSlot }) => firstSlot <= last));
    for (const row of differences) rows.exact(row, this.#place);
    this.#push(rows, b.units, b, "linear");
    return differences.map(({ isZero }) => isZero);
  }
}

/**
 * Second less first, as a network on the inputs that both share. `layerPartner[j]` is the layer of the first network that
 * the units of layer j of the second may have partners in, or -1.
 */
export function differenceNetwork(
  first: Network,
  second: Network,
  pairing: Pairing,
  layerPartner: readonly number[],
): DifferenceNetwork {
  const joint = new Joint(first, second, pairing);
  second.layers.slice(0, -1).forEach((layer, j) => {
    const i = layerPartner[j]!;
    joint.takeSecond(layer, first.layers[i], i);
  });
  const zero = joint.outputs(first.layers.at(-1)!, second.layers.at(-1)!);
  const { layers, slots, rows, paired, equal, changes } = joint;
  return {
    network: {
      inputs: first.inputs,
      slots,
      rows,
      layers,
      firstOutput: slots - zero.length,
      outputNames: first.outputNames,
      isWritten: true,
      isExact: first.isExact && second.isExact,
    },
    zero,
    changes,
    units: { all: second.firstOutput - second.inputs, paired, equal },
  };
}
