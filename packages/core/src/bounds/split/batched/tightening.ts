// Better bounds of the rows that bend, each with slopes of its own: many rows at a time on ONNX Runtime, and each bound once
// more, rounded outward, with the slopes that were found.
import type { Clock } from "../../../engine/clock.ts";
import type { Box } from "../../linear/row-bounds.ts";
import type { Alternative } from "../attack.ts";
import type { Held, NeuronBounder } from "../neuron-bounds.ts";
import type { BentRows, DualBatch, DualTask, Floats } from "./dual-batch.ts";

/** Where the bends are among the units of the bent layers. */
export function placesOf(batch: DualBatch, { bends }: NeuronBounder): Int32Array {
  const firsts = new Map(batch.layers.map(({ layer, first }) => [layer, first]));
  return Int32Array.from(bends, ({ layer, unit }) => firsts.get(layer)! + unit);
}

/** The bounds of the bends' rows as they are now, where a batch reads them. */
export function takeRows(neurons: NeuronBounder, places: Int32Array, rows: BentRows): void {
  for (let k = 0; k < places.length; k++) {
    const [lower, upper] = neurons.rangeOf(k);
    rows.lower[places[k]!] = lower;
    rows.upper[places[k]!] = upper;
  }
}

interface Row {
  readonly bend: number;
  readonly sign: 1 | -1;
}

/** All rows that bend, layer by layer, until the time is over. `slopes` are those to begin with, of all units. */
export async function tightenRows(
  batch: DualBatch,
  neurons: NeuronBounder,
  places: Int32Array,
  rows: BentRows,
  box: Box,
  slopes: ArrayLike<number>,
  steps: number,
  clock: Clock,
): Promise<void> {
  for (const [n, { layer, first, units }] of batch.layers.entries()) {
    // The rows of the first layer are forms of the inputs: there is nothing to choose.
    if (n === 0) continue;
    const open: Row[] = [...neurons.bends.keys()]
      .filter((k) => neurons.bends[k]!.layer === layer && isOpen(neurons, k))
      .flatMap((bend) => [
        { bend, sign: 1 },
        { bend, sign: -1 },
      ]);
    const side = new Uint8Array(first);
    const start = Float64Array.from({ length: first }, (_, k) => slopes[k]!);
    for (let from = 0; from < open.length; from += batch.count) {
      const chunk = open.slice(from, from + batch.count);
      const tasks = chunk.map(({ bend, sign }): DualTask => {
        const seed = new Float64Array(units);
        seed[places[bend]! - first] = sign;
        return { seed, shift: 0, box, rows, side, dual: start };
      });
      const found = await batch.ascend(tasks, steps, n, () => clock.isOver);
      neurons.release();
      for (const [k, { bend, sign }] of chunk.entries()) {
        neurons.boundRow(bend, sign, slopesOf(places, found[k]!.dual));
        if (!clock.isTired) continue;
        await clock.rest();
        if (clock.isOver) return;
        // Others may have bounded meanwhile.
        neurons.release();
      }
    }
    takeRows(neurons, places, rows);
  }
}

/** Does the unit still bend on the whole box? */
function isOpen(neurons: NeuronBounder, bend: number): boolean {
  const [lower, upper] = neurons.rangeOf(bend);
  return lower < 0 && upper > 0;
}

/** Of all bends, those of units beyond the array are not read. */
export const slopesOf = (places: Int32Array, dual: Floats): Float32Array =>
  Float32Array.from(places, (place) => dual[place] ?? 0);

/** Of a row's width, what a bound has to gain to be computed once more, rounded outward. */
const leastGain = 0.02;

export interface Within {
  readonly targets: Alternative;
  readonly seed: Float64Array;
  readonly shift: number;
  readonly shares: Float64Array;
  readonly box: Box;
  readonly held: readonly Held[];
  /** Of each bend: its slope, or the multiplier of one that is held. */
  readonly dual: ArrayLike<number>;
  /** What the targets' combination is not below, about. */
  readonly bound: number;
}

/**
 * Better bounds of some bends' rows for points where units are held so and all targets are <= 0. false: no such point is left.
 */
export async function tightenWithin(
  batch: DualBatch,
  neurons: NeuronBounder,
  places: Int32Array,
  rows: BentRows,
  bends: readonly number[],
  { targets, seed, shift, shares, box, held, dual, bound }: Within,
  steps: number,
  clock: Clock,
): Promise<boolean> {
  const [side, start] = [new Float32Array(batch.units), new Float32Array(batch.units)];
  for (let k = 0; k < places.length; k++) start[places[k]!] = dual[k]!;
  for (const { bend, side: way } of held) side[places[bend]!] = way;
  const isHeld = new Set(held.map(({ bend }) => bend));
  const open: Row[] = bends
    .filter((k) => isOpen(neurons, k) && !isHeld.has(k))
    .flatMap((bend) => [
      { bend, sign: 1 },
      { bend, sign: -1 },
    ]);
  for (let from = 0; from < open.length; from += batch.count) {
    const chunk = open.slice(from, from + batch.count);
    const tasks = chunk.map(({ bend, sign }): DualTask => {
      const [lower, upper] = neurons.rangeOf(bend);
      const pullReach = (0.5 * (upper - lower)) / (Math.abs(bound) + 1e-9);
      return { seed, shift, box, rows, side, dual: start, row: { place: places[bend]!, sign, pullReach } };
    });
    const found = await batch.ascend(tasks, steps, "outputs", () => clock.isOver);
    for (const [k, { bend, sign }] of chunk.entries()) {
      const { bound: least, dual: best, pull } = found[k]!;
      const [lower, upper] = neurons.rangeOf(bend);
      if (!((sign > 0 ? least - lower : upper + least) > leastGain * (upper - lower))) continue;
      const slopes = slopesOf(places, best);
      const multipliers = Float32Array.from(held, (own) => slopes[own.bend]!);
      const from = { slopes, multipliers, shares };
      if (!neurons.boundRowWithin(bend, sign, targets, box, held, from, pull)) return false;
      if (!clock.isTired) continue;
      await clock.rest();
      if (clock.isOver) return true;
    }
    takeRows(neurons, places, rows);
  }
  return true;
}
