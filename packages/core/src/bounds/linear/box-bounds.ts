// Bounds of every row of a network on a box: intervals first, then back-substitution for the rows that need it.

import { finished, type Steps } from "../../engine/steps.ts";
import { GraphError } from "../../graph/error.ts";
import { gamma } from "../../numbers/floating-point.ts";
import { BackSubstitution, type Target } from "./back-substitution.ts";
import { gapOf, rowsOf } from "./gap.ts";
import type { Layer, Network } from "./network.ts";
import { newRelaxation, openRows, relax, slotBounds } from "./relaxation.ts";
import type { Relaxation } from "./relaxation-lines.ts";
import { underflow } from "./rounding.ts";
import type { Box, BoxBounds } from "./row-bounds.ts";

/** A sound lower bound of a target as a linear form of the inputs, and its least value on the box. */
export interface LowerForm {
  readonly slopes: Float64Array;
  readonly constant: number;
  readonly least: number;
  /** How much of it is for rounding errors. */
  readonly rounding: number;
}

/** With more inputs than this the slopes of the forms alone say where to split. */
const mostReachingInputs = 64;

/** Bounds on boxes of one network; holds the scratch memory for them. */
export class BoxBounder {
  readonly network: Network;
  readonly lines: Relaxation;
  readonly substitution: BackSubstitution;
  readonly #open: Int32Array;
  readonly #slotLower: Float64Array;
  readonly #slotUpper: Float64Array;
  /** For few inputs: of each row that was tightened, how far each input moves it, from `influence`. */
  readonly #reach: Float64Array | undefined;
  /** No more back-substitution: rows keep the bounds that they have, which are sound. */
  hurried = false;
  /** The share of the rows that `bounding` has bounded. */
  share = 0;

  constructor(network: Network) {
    this.network = network;
    this.lines = newRelaxation(network);
    this.substitution = new BackSubstitution(network);
    this.#open = new Int32Array(network.layers.reduce((n, { rows }) => Math.max(n, rows), 1));
    this.#slotLower = new Float64Array(network.slots);
    this.#slotUpper = new Float64Array(network.slots);
    if (network.inputs <= mostReachingInputs) this.#reach = new Float64Array(network.rows * network.inputs);
  }

  /** Bounds of all rows on a box, from nothing. Leaves the lines for this box in `lines`. */
  bound(box: Box): BoxBounds {
    return finished(this.bounding(box));
  }

  *bounding(box: Box): Steps<BoxBounds> {
    const { network } = this;
    const [rowLower, rowUpper] = [new Float64Array(network.rows), new Float64Array(network.rows)];
    const sizes = { slots: new Float64Array(network.slots), rows: new Float64Array(network.rows) };
    const known = { box, rowLower, rowUpper, sizes };
    const [lower, upper] = [this.#slotLower, this.#slotUpper];
    lower.set(box.lower);
    upper.set(box.upper);
    takeSizes(lower, upper, 0, network.inputs, sizes.slots);
    for (const [l, layer] of network.layers.entries()) {
      intervalRows(layer, lower, upper, known, network.isExact);
      yield* this.#tightening(layer, l, known);
      slotBounds(layer, rowLower, rowUpper, lower, upper);
      takeSizes(lower, upper, layer.firstSlot, layer.firstSlot + layer.units, sizes.slots);
    }
    return known;
  }

  /** Bounds on a part of a box whose bounds are known: rows that do not bend there stay as they are. */
  *boundingPart(box: Box, { rowLower, rowUpper, sizes }: BoxBounds): Steps<BoxBounds> {
    const known = { box, rowLower: rowLower.slice(), rowUpper: rowUpper.slice(), sizes };
    for (const [l, layer] of this.network.layers.entries()) yield* this.#tightening(layer, l, known);
    return known;
  }

  /** Lines for a box whose rows' bounds are known, as `bound` left them. */
  relaxAll({ rowLower, rowUpper }: BoxBounds): void {
    for (const layer of this.network.layers) relax(layer, rowLower, rowUpper, this.lines);
  }

  /** Sound lower forms of targets on the box that was bounded last. */
  lowerForms(targets: readonly Target[], known: BoxBounds): LowerForm[] {
    return finished(this.forming(targets, known));
  }

  *forming(targets: readonly Target[], { box, sizes }: BoxBounds): Steps<LowerForm[]> {
    const { substitution, network, lines } = this;
    const found: LowerForm[] = [];
    for (let first = 0; first < targets.length; first += substitution.capacity) {
      const chunk = targets.slice(first, first + substitution.capacity);
      chunk.forEach((target, t) => {
        substitution.take(t, target, sizes);
      });
      yield* substitution.substituting(network.layers.length, chunk.length, lines, sizes);
      chunk.forEach((_, t) => {
        const least = substitution.lowerBound(t, box.lower, box.upper);
        const start = t * network.slots;
        const slopes = substitution.coefficients.slice(start, start + network.inputs);
        const [constant, rounding] = [substitution.constants[t]!, substitution.roundings[t]!];
        found.push({ slopes, constant, least, rounding });
      });
    }
    return found;
  }

  /** |slope| * width of each input in the forms of targets 2n and 2n + 1: the lower and the upper bound of a row. */
  #keepReach(t: number, row: number, { lower, upper }: Box): void {
    const { inputs, slots } = this.network;
    const { coefficients } = this.substitution;
    if (!this.#reach) return;
    for (let i = 0; i < inputs; i++) {
      const slopes = Math.abs(coefficients[t * slots + i]!) + Math.abs(coefficients[(t + 1) * slots + i]!);
      this.#reach[row * inputs + i] = slopes * (upper[i]! - lower[i]!);
    }
  }

  /**
   * Adds to `scores` how much of the gap between target t (of the last `lowerForms`) and its form each input is
   * responsible for: the gap of each line, times its coefficient, shared out by how far the inputs move its rows.
   * Gives the gap.
   */
  addInfluence(t: number, known: BoxBounds, scores: Float64Array): number {
    const { inputs, slots, layers } = this.network;
    const reach = this.#reach;
    if (t >= this.substitution.capacity) return Number.POSITIVE_INFINITY;
    let all = 0;
    for (const layer of layers) {
      if (layer.kind === "linear") continue;
      for (let unit = 0; unit < layer.units; unit++) {
        const a = this.substitution.coefficients[t * slots + layer.firstSlot + unit]!;
        if (a === 0) continue;
        const gap = Math.abs(a) * gapOf(layer, unit, known);
        if (gap <= 0) continue;
        all += gap;
        if (!reach || !(gap > 0)) continue;
        const [from, to] = rowsOf(layer, unit);
        const own = [layer.firstRow + from, layer.firstRow + to] as const;
        const [first, end] = (layer.surface?.watched?.(own[0]) ?? own).map((row) => row * inputs) as [
          number,
          number,
        ];
        let total = 0;
        for (let k = first; k < end; k++) total += reach[k]!;
        if (total > 0) for (let k = first; k < end; k++) scores[k % inputs]! += (gap * reach[k]!) / total;
      }
    }
    return all;
  }

  *#tightening(layer: Layer, l: number, { box, rowLower, rowUpper, sizes }: BoxBounds): Steps<void> {
    const { substitution, lines, network } = this;
    // Rows that can no longer be the greatest have no share in a gap.
    if (layer.kind === "max")
      this.#reach?.fill(0, layer.firstRow * network.inputs, (layer.firstRow + layer.rows) * network.inputs);
    const count = openRows(layer, rowLower, rowUpper, this.#open);
    const perChunk = Math.max(1, substitution.capacity >> 1);
    for (let first = 0; first < count && !this.hurried; first += perChunk) {
      this.share = (layer.firstRow + (layer.rows * first) / count) / network.rows;
      const size = Math.min(perChunk, count - first);
      for (let n = 0; n < size; n++) {
        substitution.takeRow(2 * n, layer, this.#open[first + n]!, 1, sizes);
        substitution.takeRow(2 * n + 1, layer, this.#open[first + n]!, -1, sizes);
      }
      yield* substitution.substituting(l, 2 * size, lines, sizes);
      for (let n = 0; n < size; n++) {
        const row = layer.firstRow + this.#open[first + n]!;
        const least = substitution.lowerBound(2 * n, box.lower, box.upper);
        const greatest = -substitution.lowerBound(2 * n + 1, box.lower, box.upper);
        this.#keepReach(2 * n, row, box);
        if (least > rowLower[row]!) rowLower[row] = Math.min(least, rowUpper[row]!);
        if (greatest < rowUpper[row]!) rowUpper[row] = Math.max(greatest, rowLower[row]!);
      }
    }
    relax(layer, rowLower, rowUpper, lines);
  }
}

export function takeSizes(
  lower: Float64Array,
  upper: Float64Array,
  first: number,
  end: number,
  into: Float64Array,
): void {
  for (let slot = first; slot < end; slot++)
    into[slot] = Math.max(Math.abs(lower[slot]!), Math.abs(upper[slot]!));
}

/** Interval bounds of a layer's rows from those of the slots, rounded outward, and their sizes. */
export function intervalRows(
  layer: Layer,
  lower: Float64Array,
  upper: Float64Array,
  { rowLower, rowUpper, sizes }: BoxBounds,
  isExact: boolean,
): void {
  const { rows, firstRow, dense, source, width, starts, slots, weights, constants, node } = layer;
  for (let row = 0; row < rows; row++) {
    const bias = constants[row]!;
    let [low, high, size] = [bias, bias, Math.abs(bias)];
    // A slot or its negative is not rounded: what is 0 at an end stays 0.
    let [terms, isPlain, isConstant] = [0, isExact && bias === 0, true];
    const [from, end] = dense ? [row * width, (row + 1) * width] : [starts[row]!, starts[row + 1]!];
    const offset = source - from;
    for (let k = from; k < end; k++) {
      const w = weights[k]!;
      if (w === 0) continue;
      isPlain &&= ++terms === 1 && (w === 1 || w === -1);
      const slot = dense ? k + offset : slots[k]!;
      const [l, u] = [lower[slot]!, upper[slot]!];
      low += w > 0 ? w * l : w * u;
      high += w > 0 ? w * u : w * l;
      size += Math.abs(w) * sizes.slots[slot]!;
      isConstant &&= sizes.slots[slot] === 0;
    }
    const lost = isPlain || isConstant ? 0 : underflow;
    const error = isPlain ? 0 : 2 * gamma(end - from + 8);
    size = size * (1 + error) + lost;
    if (!Number.isFinite(size))
      throw new GraphError(`${node}: its bounds on this box are beyond all doubles`);
    rowLower[firstRow + row] = low - error * size - lost;
    rowUpper[firstRow + row] = high + error * size + lost;
    sizes.rows[firstRow + row] = size;
  }
}
