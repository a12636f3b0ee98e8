// The inner loop: linear forms of the slots, carried back to the inputs. `rounding.ts` says why the bounds are sound.

import type { Steps } from "../../engine/steps.ts";
import type { Layer, Network } from "./network.ts";
import type { Relaxation } from "./relaxation-lines.ts";
import { formRounding, underflow } from "./rounding.ts";

/** Sizes of slots and rows on a box, for the bound on rounding errors: |slot| <= slots[k], |W| |x| + |b| <= rows[k]. */
export interface Sizes {
  readonly slots: Float64Array;
  readonly rows: Float64Array;
}

/** A linear combination of slots. */
export interface Target {
  readonly slots: ArrayLike<number>;
  readonly weights: ArrayLike<number>;
  readonly constant: number;
  /** Asked for below 0, not at 0: then a bound of exactly 0 refutes it. */
  readonly strict?: boolean;
}

/** What a constraint on a row of a layer adds to a target: factor * row, which is <= 0 wherever the constraint holds. */
export interface Multiplier {
  readonly row: number;
  readonly factor: number;
}

/** Coefficients of all forms at once take no more than this many numbers. */
const mostNumbers = 2 ** 21;

/** Lower bounds of several targets at a time: target t has coefficients[t * slots + s] at slot s. */
export class BackSubstitution {
  readonly network: Network;
  readonly capacity: number;
  readonly coefficients: Float64Array;
  /** After `lowerBound` also the rounding error is taken off: the form of the inputs plus this is a sound lower bound. */
  readonly constants: Float64Array;
  /** What `lowerBound` took off. */
  readonly roundings: Float64Array;
  /** Products so far, about. */
  work = 0;
  readonly #sizes: Float64Array;
  readonly #picked: Int32Array;
  readonly #factors: Float64Array;
  readonly #rounding: number;
  /** With a multiplier a row can meet a coefficient twice: by its unit's line, and by itself. */
  readonly #roundingHeld: number;
  #isHeld = false;
  /** Of all slots and rows that the last substitution went through. */
  #greatestSize = 0;

  constructor(network: Network) {
    this.network = network;
    const widest = network.layers.reduce((n, { rows }) => Math.max(n, rows), 1);
    this.capacity = Math.max(
      1,
      Math.min(256, Math.max(64, 2 * widest), Math.floor(mostNumbers / network.slots)),
    );
    this.coefficients = new Float64Array(this.capacity * network.slots);
    this.constants = new Float64Array(this.capacity);
    this.roundings = new Float64Array(this.capacity);
    this.#sizes = new Float64Array(this.capacity);
    this.#picked = new Int32Array(2 * widest + 1);
    this.#factors = new Float64Array(2 * widest + 1);
    this.#rounding = formRounding(network.rows, network.slots);
    this.#roundingHeld = formRounding(2 * network.rows, network.slots);
  }

  /** Target t is sign times a row of a layer. */
  takeRow(t: number, layer: Layer, row: number, sign: 1 | -1, sizes: Sizes): void {
    const { coefficients, network } = this;
    const start = t * network.slots;
    coefficients.fill(0, start, start + layer.firstSlot);
    if (layer.dense) {
      const [at, from] = [start + layer.source, row * layer.width];
      for (let k = 0; k < layer.width; k++) coefficients[at + k] = sign * layer.weights[from + k]!;
    } else
      for (let k = layer.starts[row]!; k < layer.starts[row + 1]!; k++)
        coefficients[start + layer.slots[k]!] = sign * layer.weights[k]!;
    this.constants[t] = sign * layer.constants[row]!;
    this.#sizes[t] = sizes.rows[layer.firstRow + row]!;
  }

  take(t: number, { slots, weights, constant }: Target, sizes: Sizes): void {
    const start = t * this.network.slots;
    this.coefficients.fill(0, start, start + this.network.slots);
    let size = Math.abs(constant);
    for (let k = 0; k < slots.length; k++) {
      this.coefficients[start + slots[k]!]! += weights[k]!;
      size += Math.abs(weights[k]!) * sizes.slots[slots[k]!]!;
    }
    this.constants[t] = constant;
    this.#sizes[t] = size;
  }

  /** Replaces the slots of the layers before `end` by lines, from the last one back, in the first `count` targets. */
  *substituting(end: number, count: number, lines: Relaxation, sizes: Sizes): Steps<void> {
    this.#isHeld = false;
    this.#measure(end, sizes);
    for (let l = end - 1; l >= 0; l--) {
      const layer = this.network.layers[l]!;
      for (let t = 0; t < count; t++) {
        const found = this.#pickOf(layer, t, lines, sizes);
        if (found > 0) this.#add(layer, t, found);
      }
      yield;
    }
  }

  /** The same for target 0 and all layers, with what constraints on rows add to it, by layer. */
  substituteHeld(lines: Relaxation, sizes: Sizes, multipliers: readonly (readonly Multiplier[])[]): void {
    const { layers } = this.network;
    this.#isHeld = true;
    this.#measure(layers.length, sizes);
    for (let l = layers.length - 1; l >= 0; l--) {
      const layer = layers[l]!;
      let count = this.#pickOf(layer, 0, lines, sizes);
      for (const { row, factor } of multipliers[l]!) {
        this.constants[0]! += factor * layer.constants[row]!;
        this.#sizes[0]! += Math.abs(factor) * sizes.rows[layer.firstRow + row]!;
        this.#picked[count] = row;
        this.#factors[count++] = factor;
      }
      if (count > 0) this.#add(layer, 0, count);
    }
  }

  #measure(end: number, sizes: Sizes): void {
    const last = this.network.layers[end - 1];
    const [slots, rows] = last
      ? [last.firstSlot + last.units, last.firstRow + last.rows]
      : [this.network.inputs, 0];
    this.#greatestSize = Math.max(greatestOf(sizes.slots, slots), greatestOf(sizes.rows, rows));
  }

  #pickOf(layer: Layer, t: number, lines: Relaxation, sizes: Sizes): number {
    return layer.groups.length > 0
      ? this.#pickGroups(layer, t, lines, sizes)
      : this.#pick(layer, t, lines, sizes);
  }

  /** a_k slot_k -> (a_k slope_k) row_k + a_k shift_k, for the units with a coefficient; gives how many rows there are. */
  #pick(layer: Layer, t: number, lines: Relaxation, sizes: Sizes): number {
    const { units, firstRow, firstSlot, constants: biases } = layer;
    const { lowSlope, highSlope, lowShift, highShift, order } = lines;
    const { coefficients } = this;
    const picked = this.#picked;
    const factors = this.#factors;
    const rowSizes = sizes.rows;
    const start = t * this.network.slots + firstSlot;
    let constant = this.constants[t]!;
    let size = this.#sizes[t]!;
    let count = 0;
    const straightEnd = firstSlot + lines.straight[firstSlot]!;
    for (let n = firstSlot; n < straightEnd; n++) {
      const k = order[n]!;
      const g = coefficients[start + k]! * lowSlope[firstRow + k]!;
      constant += g * biases[k]!;
      size += Math.abs(g) * rowSizes[firstRow + k]!;
      picked[count] = k;
      factors[count] = g;
      if (g !== 0) count++;
    }
    const end = firstSlot + units;
    for (let n = end - lines.bent[firstSlot]!; n < end; n++) {
      const k = order[n]!;
      const a = coefficients[start + k]!;
      const shift = a * (a > 0 ? lowShift[firstSlot + k]! : highShift[firstSlot + k]!);
      const g = a * (a > 0 ? lowSlope[firstRow + k]! : highSlope[firstRow + k]!);
      constant += shift + g * biases[k]!;
      size += Math.abs(shift) + Math.abs(g) * rowSizes[firstRow + k]!;
      picked[count] = k;
      factors[count] = g;
      if (g !== 0) count++;
    }
    this.constants[t] = constant;
    this.#sizes[t] = size;
    return count;
  }

  #pickGroups(layer: Layer, t: number, lines: Relaxation, sizes: Sizes): number {
    const { units, firstRow, firstSlot, constants: biases, groups } = layer;
    const start = t * this.network.slots + firstSlot;
    let [constant, size, count] = [this.constants[t]!, this.#sizes[t]!, 0];
    for (let unit = 0; unit < units; unit++) {
      const a = this.coefficients[start + unit]!;
      if (a === 0) continue;
      const shift = a * (a > 0 ? lines.lowShift : lines.highShift)[firstSlot + unit]!;
      constant += shift;
      size += Math.abs(shift);
      for (let k = groups[unit]!; k < groups[unit + 1]!; k++) {
        const g = a * (a > 0 ? lines.lowSlope : lines.highSlope)[firstRow + k]!;
        if (g === 0) continue;
        constant += g * biases[k]!;
        size += Math.abs(g) * sizes.rows[firstRow + k]!;
        this.#picked[count] = k;
        this.#factors[count++] = g;
      }
    }
    this.constants[t] = constant;
    this.#sizes[t] = size;
    return count;
  }

  #add(layer: Layer, t: number, count: number): void {
    const start = t * this.network.slots;
    this.work += (count * layer.weights.length) / layer.rows;
    if (layer.dense) {
      const { weights, width, source } = layer;
      addRows(this.coefficients, start + source, weights, width, this.#picked, this.#factors, count);
      return;
    }
    const { starts, slots, weights } = layer;
    for (let n = 0; n < count; n++) {
      const [row, g] = [this.#picked[n]!, this.#factors[n]!];
      for (let k = starts[row]!; k < starts[row + 1]!; k++)
        this.coefficients[start + slots[k]!]! += g * weights[k]!;
    }
  }

  /** The least value of form t on the box, rounding errors taken off; -Infinity where numbers ran over. */
  lowerBound(t: number, lower: Float64Array, upper: Float64Array): number {
    const start = t * this.network.slots;
    let [value, size] = [0, this.#sizes[t]! + Math.abs(this.constants[t]!)];
    for (let i = 0; i < this.network.inputs; i++) {
      const a = this.coefficients[start + i]!;
      value += a * (a > 0 ? lower[i]! : upper[i]!);
      size += Math.abs(a) * Math.max(Math.abs(lower[i]!), Math.abs(upper[i]!));
    }
    const rounding = this.#isHeld ? this.#roundingHeld : this.#rounding;
    this.roundings[t] = rounding * size + underflow * (1 + size + this.#greatestSize);
    this.constants[t]! -= this.roundings[t]!;
    const bound = this.constants[t]! + value;
    return bound > Number.NEGATIVE_INFINITY ? bound : Number.NEGATIVE_INFINITY;
  }
}

function greatestOf(sizes: Float64Array, count: number): number {
  let greatest = 0;
  for (let k = 0; k < count; k++) if (sizes[k]! > greatest) greatest = sizes[k]!;
  return greatest;
}

/** into[at + k] += sum over n of factors[n] * weights[picked[n] * width + k], four rows at a time. */
function addRows(
  into: Float64Array,
  at: number,
  weights: Float64Array,
  width: number,
  picked: Int32Array,
  factors: Float64Array,
  count: number,
): void {
  let n = 0;
  for (; n + 3 < count; n += 4) {
    const p = factors[n]!;
    const q = factors[n + 1]!;
    const r = factors[n + 2]!;
    const s = factors[n + 3]!;
    let first = picked[n]! * width;
    let second = picked[n + 1]! * width;
    let third = picked[n + 2]! * width;
    let fourth = picked[n + 3]! * width;
    for (let k = at; k < at + width; k++)
      into[k]! +=
        p * weights[first++]! + q * weights[second++]! + r * weights[third++]! + s * weights[fourth++]!;
  }
  for (; n < count; n++) {
    const g = factors[n]!;
    let first = picked[n]! * width;
    for (let k = at; k < at + width; k++) into[k]! += g * weights[first++]!;
  }
}
