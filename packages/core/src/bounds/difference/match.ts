// Pairs units by their weights: two units whose rows agree on random values of the units before them, up to the factors
// that their function commutes with (f(c z) = c f(z) + o), stand for one another. Any pairing is sound; a good one makes differences small.

import { TimeOver } from "../../engine/time-over.ts";
import { dot } from "../../linear-algebra/dot.ts";
import type { Random } from "../../numbers/random.ts";
import { type Layer, type Network, rowValues } from "../linear/network.ts";
import type { Box } from "../linear/row-bounds.ts";
import { rowOf } from "./exact-row.ts";
import { alignLayers, type Pairing, pairUnits, sameLayerShape, unpaired } from "./pairing.ts";
import { reflectionOf } from "./reflection.ts";

/** How many random values stand for each unit. */
const points = 32;
/** Cosines below this are no sign of kinship. */
const leastLikeness = 0.9;
/** A layer is compared place by place if so many of its units are alike there. */
const mostly = 0.9;

/**
 * Random values for the units of a network, and the rows that they give: rows[row * points + n]. A unit that is closed on
 * all inputs anybody tries still has a fingerprint of its weights.
 */
class Fingerprints {
  readonly rows: Float64Array;
  readonly #slots: readonly Float64Array[];
  readonly #network: Network;

  constructor(network: Network, inputs: readonly Float64Array[]) {
    this.#network = network;
    this.rows = new Float64Array(network.rows * points);
    this.#slots = inputs.map((x) => {
      const values = new Float64Array(network.slots);
      values.set(x.subarray(0, network.inputs));
      return values;
    });
  }

  /** The rows of a layer, from the values of the slots before it. */
  read(layer: Layer): void {
    const buffer = new Float64Array(layer.rows);
    this.#slots.forEach((values, n) => {
      rowValues(layer, values, buffer);
      for (let row = 0; row < layer.rows; row++)
        this.rows[(layer.firstRow + row) * points + n] = buffer[row]!;
      if (layer.kind === "linear") values.set(buffer, layer.firstSlot);
    });
  }

  /** Values of the units of a layer that is not linear. */
  write(layer: Layer, value: (slot: number, n: number) => number): void {
    if (layer.kind === "linear") return;
    this.#slots.forEach((values, n) => {
      for (let slot = layer.firstSlot; slot < layer.firstSlot + layer.units; slot++)
        values[slot] = value(slot, n);
    });
  }

  value(slot: number, n: number): number {
    return this.#slots[n]![slot]!;
  }

  get layers(): readonly Layer[] {
    return this.#network.layers;
  }
}

/** f(c z) = c f(z) + o: which c there are for a layer's function. */
interface Commuting {
  /** Any positive c. */
  readonly scales: boolean;
  /** The offset o for c = -1, if that commutes. */
  readonly flip: number | undefined;
}

function commuting({ kind, curve }: Layer): Commuting {
  if (kind === "linear") return { scales: true, flip: 0 };
  if (kind === "hinge" || kind === "max") return { scales: true, flip: undefined };
  const reflection = curve && reflectionOf(curve.name);
  return { scales: false, flip: reflection?.sign === -1 ? reflection.constant : undefined };
}

/** The rows of a unit as one vector of unit length, and the length. */
class Directions {
  readonly vectors: readonly Float64Array[];
  readonly lengths: Float64Array;

  constructor(layer: Layer, values: Float64Array, count: number) {
    const grouped = layer.groups.length > 0;
    this.lengths = new Float64Array(layer.units);
    this.vectors = Array.from({ length: layer.units }, (_, unit) => {
      const [first, end] = grouped ? [layer.groups[unit]!, layer.groups[unit + 1]!] : [unit, unit + 1];
      // Of several rows, greatest and sum: their order may differ, and neighbouring maxima may be the same number.
      const vector = new Float64Array(grouped ? 2 * count : count);
      for (let n = 0; n < count; n++) {
        let [greatest, sum] = [Number.NEGATIVE_INFINITY, 0];
        for (let row = first; row < end; row++) {
          const value = values[(layer.firstRow + row) * count + n]!;
          greatest = Math.max(greatest, value);
          sum += value;
        }
        vector[n] = greatest;
        if (grouped) vector[count + n] = sum;
      }
      const length = Math.hypot(...vector);
      this.lengths[unit] = length;
      return length > 0 ? vector.map((v) => v / length) : vector;
    });
  }
}

interface Likeness {
  readonly a: number;
  readonly b: number;
  readonly cosine: number;
}

/** Units in the same place that are alike. */
function alikeInPlace(a: Directions, b: Directions): number {
  let alike = 0;
  b.vectors.forEach((vector, k) => {
    const far = Math.abs(b.lengths[k]! - a.lengths[k]!) > 0.1 * a.lengths[k]!;
    if ((a.lengths[k] === 0 && b.lengths[k] === 0) || (!far && dot(vector, a.vectors[k]!) > leastLikeness))
      alike++;
  });
  return alike;
}

/** Beyond so many pairs of units only those are compared that one projection of them puts side by side. */
const mostPairs = 4e6;
const neighbours = 64;

/** For each unit of b, the units of a to compare it with. */
function nearby(a: Directions, b: Directions, flips: boolean): (unit: number) => Iterable<number> {
  if (a.vectors.length * b.vectors.length <= mostPairs) return () => a.vectors.keys();
  // Any fixed direction that is not special.
  const direction = Float64Array.from(a.vectors[0]!, (_, k) => Math.sin(1 + k * k));
  const project = (vector: Float64Array): number => {
    const p = dot(direction, vector);
    return flips ? Math.abs(p) : p;
  };
  const sorted = a.vectors.map((vector, unit) => ({ unit, at: project(vector) })).sort((p, q) => p.at - q.at);
  return (unit) => {
    const at = project(b.vectors[unit]!);
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle]!.at < at) low = middle + 1;
      else high = middle;
    }
    return sorted.slice(Math.max(0, low - neighbours), low + neighbours).map((p) => p.unit);
  };
}

/** The best partners first; each unit has at most one. */
function assignment(a: Directions, b: Directions, flips: boolean): readonly Likeness[] {
  const candidates: Likeness[] = [];
  const kept = 4;
  const near = nearby(a, b, flips);
  b.vectors.forEach((vector, j) => {
    const best: Likeness[] = [];
    for (const i of near(j)) {
      const found = dot(vector, a.vectors[i]!);
      const cosine = flips ? Math.abs(found) : found;
      if (cosine < leastLikeness || (best.length === kept && cosine <= best.at(-1)!.cosine)) continue;
      best.push({ a: i, b: j, cosine });
      best.sort((p, q) => q.cosine - p.cosine);
      if (best.length > kept) best.pop();
    }
    candidates.push(...best);
  });
  candidates.sort((p, q) => q.cosine - p.cosine || Math.abs(p.a - p.b) - Math.abs(q.a - q.b));
  const [usedA, usedB] = [new Set<number>(), new Set<number>()];
  return candidates.filter(({ a: i, b: j }) => {
    if (usedA.has(i) || usedB.has(j)) return false;
    usedA.add(i);
    usedB.add(j);
    return true;
  });
}

/** The factor by which the weights of a row of b, written over the units of a, exceed those of a row of a. */
function factorOf(a: Layer, rowA: number, b: Layer, rowB: number, { partner, factor }: Pairing): number {
  const first = rowOf(a, rowA);
  let [greatest, at] = [0, -1];
  for (let k = first.from; k < first.end; k++)
    if (Math.abs(first.weights[k]!) > greatest) [greatest, at] = [Math.abs(first.weights[k]!), k];
  if (at < 0) return Number.NaN;
  const slot = first.slot(at);
  const second = rowOf(b, rowB);
  let weight = 0;
  for (let k = second.from; k < second.end; k++) {
    const s = second.slot(k);
    if (partner[s] === slot) weight += second.weights[k]! * factor[s]!;
  }
  return weight / first.weights[at]!;
}

class Matching {
  readonly pairing: Pairing;
  readonly #first: Fingerprints;
  readonly #second: Fingerprints;
  readonly #random: Random;

  constructor(first: Network, second: Network, random: Random) {
    this.#random = random;
    const inputs = Array.from({ length: points }, () => random.normal(first.inputs));
    this.#first = new Fingerprints(first, inputs);
    this.#second = new Fingerprints(second, inputs);
    for (const layer of first.layers) {
      this.#first.read(layer);
      this.#first.write(layer, () => random.normal());
    }
    this.pairing = unpaired(second);
  }

  /** Layer j of the second network with layer i of the first, or with none; layers of the second in their order. */
  take(i: number, j: number): void {
    const b = this.#second.layers[j]!;
    this.#second.read(b);
    if (i >= 0) this.#pair(this.#first.layers[i]!, b);
    const { partner, factor, offset } = this.pairing;
    this.#second.write(b, (slot, n) =>
      partner[slot]! < 0
        ? this.#random.normal()
        : factor[slot]! * this.#first.value(partner[slot]!, n) + offset[slot]!,
    );
  }

  #pair(a: Layer, b: Layer): void {
    const [left, right] = [
      new Directions(a, this.#first.rows, points),
      new Directions(b, this.#second.rows, points),
    ];
    const isSame = sameLayerShape(a, b);
    if (isSame && (alikeInPlace(left, right) >= mostly * b.units || a.surface)) {
      for (let unit = 0; unit < b.units; unit++) pairUnits(this.pairing, [a, unit], [b, unit]);
      return;
    }
    if (a.surface || b.surface) return;
    const { scales, flip } = commuting(a);
    for (const found of assignment(left, right, flip !== undefined)) {
      const sign = dot(left.vectors[found.a]!, right.vectors[found.b]!) < 0 ? -1 : 1;
      const factor = scales ? this.#factor(a, b, found, sign, left, right) : sign;
      const order = a.groups.length > 0 ? this.#rowOrder(a, found.a, b, found.b, factor) : undefined;
      if (a.groups.length > 0 && !order) continue;
      pairUnits(this.pairing, [a, found.a], [b, found.b], factor, factor < 0 ? (flip ?? 0) : 0, order);
    }
  }

  /** From the weights, which know it exactly; else from the values. */
  #factor(a: Layer, b: Layer, found: Likeness, sign: number, left: Directions, right: Directions): number {
    const [rowA, rowB] = [a.groups[found.a] ?? found.a, b.groups[found.b] ?? found.b];
    const seen = (sign * right.lengths[found.b]!) / left.lengths[found.a]!;
    const exact = a.groups.length > 0 ? Number.NaN : factorOf(a, rowA, b, rowB, this.pairing);
    // In single precision, so that products with single-precision weights are doubles.
    if (Math.abs(exact - seen) <= 0.01 * Math.abs(seen)) return Math.fround(exact);
    const power = sign * 2 ** Math.round(Math.log2(Math.abs(seen)));
    return Math.abs(power - seen) <= 1e-6 * Math.abs(seen) ? power : Math.fround(seen);
  }

  /** Which row of the unit of a each row of the unit of b is. */
  #rowOrder(a: Layer, unitA: number, b: Layer, unitB: number, factor: number): readonly number[] | undefined {
    const [firstA, firstB] = [a.groups[unitA]!, b.groups[unitB]!];
    const size = a.groups[unitA + 1]! - firstA;
    if (b.groups[unitB + 1]! - firstB !== size) return undefined;
    const value = (side: Fingerprints, layer: Layer, row: number, n: number): number =>
      side.rows[(layer.firstRow + row) * points + n]!;
    const free = new Set(Array.from({ length: size }, (_, k) => k));
    return Array.from({ length: size }, (_, k) => {
      let [best, least] = [-1, Number.POSITIVE_INFINITY];
      for (const place of free) {
        let distance = 0;
        for (let n = 0; n < points; n++)
          distance += Math.abs(
            value(this.#second, b, firstB + k, n) - factor * value(this.#first, a, firstA + place, n),
          );
        if (distance < least) [best, least] = [place, distance];
      }
      free.delete(best);
      return best;
    });
  }
}

/** Random points of a box. */
export function samplePoints({ lower, upper }: Box, random: Random, count: number): readonly Float64Array[] {
  return Array.from({ length: count }, () =>
    lower.map((l, i) => Math.min(upper[i]!, Math.max(l, l + random.uniform() * (upper[i]! - l)))),
  );
}

/** A pairing of the second network's units with the first one's, and of their layers. */
export function matchUnits(
  first: Network,
  second: Network,
  random: Random,
  isOver: () => boolean = () => false,
): { readonly pairing: Pairing; readonly layers: readonly number[] } {
  const layers = alignLayers(first, second);
  const matching = new Matching(first, second, random);
  layers.forEach((i, j) => {
    if (isOver()) throw new TimeOver();
    matching.take(i, j);
  });
  return { pairing: matching.pairing, layers };
}
