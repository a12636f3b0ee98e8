// Better bounds of the rows that bend, each with slopes of its own: many rows at a time on ONNX Runtime, and each bound once
// more, rounded outward, with the slopes that were found.
import type { Clock } from "../../../engine/clock.ts";
import type { Box } from "../../linear/row-bounds.ts";
import type { Alternative } from "../attack.ts";
import type { Held } from "../held.ts";
import type { NeuronBounder } from "../neuron-bounds.ts";
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

const stepsOfRowPart = 8;

interface Row {
  readonly bend: number;
  readonly sign: 1 | -1;
}

/** A part of the whole box for one row's bound. */
interface RowPart {
  readonly held: readonly Held[];
  readonly dual: Floats;
  readonly bound: number;
  /** The unit whose two sides would be most different, by its place; below 0: none. */
  readonly next: number;
}

const nextOf = (scores: Floats): number => {
  let best = -1;
  for (let k = 0; k < scores.length; k++) if (scores[k]! > (best < 0 ? 0 : scores[best]!)) best = k;
  return best;
};

/**
 * All rows that bend, layer by layer, until the time is over. `slopes` are those to begin with, of all units; of each row the
 * part with the least bound is split so many times.
 */
export async function tightenRows(
  batch: DualBatch,
  neurons: NeuronBounder,
  places: Int32Array,
  rows: BentRows,
  box: Box,
  slopes: ArrayLike<number>,
  steps: number,
  splits: number,
  clock: Clock,
): Promise<void> {
  const bendAt = new Map(Array.from(places, (place, k) => [place, k]));
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
      const seeds = chunk.map(({ bend, sign }) => {
        const seed = new Float64Array(units);
        seed[places[bend]! - first] = sign;
        return seed;
      });
      const tasks = seeds.map((seed): DualTask => ({ seed, shift: 0, box, rows, side, dual: start }));
      const found = await batch.ascend(tasks, steps, n, () => clock.isOver);
      const parts = found.map(({ bound, dual, scores }): RowPart[] => [
        { held: [], dual, bound, next: nextOf(scores) },
      ]);
      for (let split = 0; split < splits && !clock.isOver; split++) {
        const children = parts.flatMap((own, k) => {
          const worst = own.reduce((p, q) => (q.bound < p.bound ? q : p));
          if (worst.next < 0 || worst.bound >= 0) return [];
          own.splice(own.indexOf(worst), 1);
          return ([1, -1] as const).map((way) => {
            const held: readonly Held[] = [...worst.held, { bend: bendAt.get(worst.next)!, side: way }];
            const [inner, dual] = [new Int8Array(first), Float64Array.from(worst.dual)];
            for (const h of held) inner[places[h.bend]!] = h.side;
            dual[worst.next] = 0;
            return { k, held, task: { seed: seeds[k]!, shift: 0, box, rows, side: inner, dual } };
          });
        });
        for (let at = 0; at < children.length; at += batch.count) {
          const own = children.slice(at, at + batch.count);
          const results = await batch.ascend(
            own.map(({ task }) => task),
            stepsOfRowPart,
            n,
            () => clock.isOver,
          );
          own.forEach(({ k, held }, c) => {
            const { bound, dual, scores } = results[c]!;
            parts[k]!.push({ held, dual, bound, next: nextOf(scores) });
          });
        }
      }
      for (const [k, { bend, sign }] of chunk.entries()) {
        if (clock.isOver) return;
        if (parts[k]!.length === 1) {
          neurons.release();
          neurons.boundRow(bend, sign, slopesOf(places, found[k]!.dual));
        } else {
          const own = parts[k]!.map(({ held, dual }) => ({ held, slopes: slopesOf(places, dual) }));
          neurons.boundRowByParts(bend, sign, own);
        }
        if (clock.isTired) await clock.rest();
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
