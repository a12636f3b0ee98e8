// Bounds of every row of a network of operators on a box: intervals first, then back-substitution in single precision for
// the rows that bend, layer by layer, as long as that is worth its work; and of targets in double precision.
import type { Clock } from "../../engine/clock.ts";
import { TimeOver } from "../../engine/time-over.ts";
import { GraphError } from "../../graph/error.ts";
import { gamma } from "../../numbers/floating-point.ts";
import type { Target } from "../linear/back-substitution.ts";
import { intervalRows, takeSizes } from "../linear/box-bounds.ts";
import { newRelaxation, openRows, relax, slotBounds } from "../linear/relaxation.ts";
import type { Relaxation } from "../linear/relaxation-lines.ts";
import { underflow } from "../linear/rounding.ts";
import type { Box, BoxBounds } from "../linear/row-bounds.ts";
import {
  type Field,
  isOperated,
  type OperatorLayer,
  type Precision,
  type TensorLayer,
  type TensorNetwork,
} from "./operator.ts";
import { TensorSubstitution } from "./substitution.ts";
import { fieldsOf, packed } from "./windows.ts";

export interface TensorOptions {
  /** Products, about, that bounds of rows may take; default: `usualWork`. */
  readonly work?: number;
  /** Of the coefficients of rows; those of targets are double. */
  readonly precision?: Precision;
  readonly clock?: Clock;
  /** The seconds of the clock after which no more rows are bounded, so that targets have their time. */
  readonly rowsUntil?: number;
  /** No more time for anything: intervals end with a `TimeOver`. */
  readonly isOver?: () => boolean;
  readonly onProgress?: (share: number) => void;
}

/** About ten seconds on two cores. */
export const usualWork = 3e11;

/** Numbers of coefficients at a time. */
const mostNumbers = 2 ** 24;
const mostImages = 32;
/** A place of a layer costs about as much as so many products. */
const productsOfSlot = 200;

export class TensorBounder {
  readonly network: TensorNetwork;
  readonly lines: Relaxation;
  readonly #fields: readonly (Field | undefined)[];
  readonly #slotLower: Float64Array;
  readonly #slotUpper: Float64Array;
  /** Layers whose rows that bend all have back-substituted bounds, and those where time or work was over before. */
  substituted = 0;
  left = 0;

  constructor(network: TensorNetwork) {
    this.network = network;
    this.lines = newRelaxation(network);
    this.#fields = fieldsOf(network);
    this.#slotLower = new Float64Array(network.slots);
    this.#slotUpper = new Float64Array(network.slots);
  }

  /** Bounds of all rows; leaves the lines for this box in `lines`. undefined: no time for the loosest. */
  async bound(box: Box, options: TensorOptions = {}): Promise<BoxBounds> {
    const { network } = this;
    const [rowLower, rowUpper] = [new Float64Array(network.rows), new Float64Array(network.rows)];
    const sizes = { slots: new Float64Array(network.slots), rows: new Float64Array(network.rows) };
    const known = { box, rowLower, rowUpper, sizes };
    const [lower, upper] = [this.#slotLower, this.#slotUpper];
    lower.set(box.lower);
    upper.set(box.upper);
    takeSizes(lower, upper, 0, network.inputs, sizes.slots);
    let [isBent, work] = [false, options.work ?? usualWork];
    for (const [l, layer] of network.layers.entries()) {
      if (options.isOver?.()) throw new TimeOver();
      if (isOperated(layer)) await operatedRows(layer, lower, upper, known, network.isExact);
      else intervalRows(layer, lower, upper, known, network.isExact);
      if (layer.kind !== "linear") {
        const open = new Int32Array(layer.rows);
        const count = openRows(layer, rowLower, rowUpper, open);
        if (isBent && count > 0)
          work = await this.#tighten(layer, l, open.subarray(0, count), known, work, options);
        isBent ||= count > 0;
      }
      relax(layer, rowLower, rowUpper, this.lines);
      slotBounds(layer, rowLower, rowUpper, lower, upper);
      takeSizes(lower, upper, layer.firstSlot, layer.firstSlot + layer.units, sizes.slots);
      if (options.clock?.isTired) await options.clock.rest();
    }
    return known;
  }

  /** Sound lower bounds of targets on the box that was bounded last; -Infinity of those for which there was no time or work. */
  async leasts(
    targets: readonly Target[],
    { box, sizes }: BoxBounds,
    { clock, work = Number.POSITIVE_INFINITY, onProgress }: TensorOptions = {},
  ): Promise<Float64Array> {
    const { network, lines } = this;
    const perChunk = this.#imagesFor("float64", targets.length);
    const substitution = new TensorSubstitution(network, "float64", perChunk);
    const found = new Float64Array(targets.length).fill(Number.NEGATIVE_INFINITY);
    const cost = this.#costOf(network.layers.length);
    const isOver = (): boolean => clock?.isOver ?? false;
    for (let first = 0; first < targets.length && !isOver(); first += perChunk) {
      if (first * cost > work) break;
      const chunk = targets.slice(first, first + perChunk);
      substitution.clear(chunk.length, network.slots);
      chunk.forEach((target, t) => {
        substitution.addTarget(t, t, target, sizes);
      });
      const extent = { end: network.layers.length, images: chunk.length, forms: chunk.length, isOver };
      const leasts = await substitution.leasts(extent, lines, sizes, box);
      if (!leasts) break;
      found.set(leasts, first);
      onProgress?.((first + chunk.length) / targets.length);
      if (clock?.isTired) await clock.rest();
    }
    return found;
  }

  #imagesFor(precision: Precision, wanted: number): number {
    const numbers = precision === "float32" ? 2 * mostNumbers : mostNumbers;
    return Math.max(1, Math.min(mostImages, wanted, Math.floor(numbers / this.network.slots)));
  }

  /** What one image of coefficients costs from layer l back. */
  #costOf(l: number): number {
    const { layers } = this.network;
    let cost = 0;
    for (const layer of layers.slice(0, l + 1))
      cost += isOperated(layer)
        ? layer.operator.products + productsOfSlot * layer.units
        : productsOfSlot * layer.units;
    return cost;
  }

  /** Better bounds of open rows of a layer while there is work left; gives what is left of it. */
  async #tighten(
    layer: TensorLayer,
    l: number,
    open: Int32Array,
    { box, rowLower, rowUpper, sizes }: BoxBounds,
    work: number,
    { precision = "float32", clock, rowsUntil = Number.POSITIVE_INFINITY, onProgress }: TensorOptions,
  ): Promise<number> {
    const { network, lines } = this;
    const cost = 2 * this.#costOf(l);
    let left = work;
    const isOver = (): boolean => (clock?.seconds ?? 0) > rowsUntil || (clock?.isOver ?? false);
    if (left < cost || isOver()) {
      this.left++;
      return left;
    }
    const { groups, ownersOf } = packed(network, this.#fields, l, [...open]);
    const perChunk = this.#imagesFor(precision, groups.length);
    const mostForms = groups.reduce((most, { length }) => Math.max(most, length), 1) * perChunk;
    const substitution = new TensorSubstitution(network, precision, perChunk, mostForms);
    for (let first = 0; first < groups.length; first += perChunk) {
      const chunk = groups.slice(first, Math.min(groups.length, first + perChunk));
      left -= cost * chunk.length;
      if (left < 0) {
        this.left++;
        return Math.max(0, left);
      }
      const rows = chunk.flat();
      const owners = ownersOf(chunk);
      for (const sign of [1, -1] as const) {
        substitution.clear(chunk.length, layer.firstSlot + layer.units);
        let form = 0;
        chunk.forEach((own, image) => {
          for (const row of own) substitution.addRow(form++, image, l, row, sign, sizes);
        });
        const own = isOperated(layer) ? { end: l + 1, rowsOf: l } : { end: l };
        const extent = { ...own, images: chunk.length, forms: rows.length, owners };
        const leasts = await substitution.leasts({ ...extent, isOver }, lines, sizes, box);
        if (!leasts) {
          this.left++;
          return 0;
        }
        rows.forEach((own, t) => {
          const [row, least] = [layer.firstRow + own, leasts[t]!];
          if (sign > 0 && least > rowLower[row]!) rowLower[row] = Math.min(least, rowUpper[row]!);
          if (sign < 0 && -least < rowUpper[row]!) rowUpper[row] = Math.max(-least, rowLower[row]!);
        });
      }
      onProgress?.((l + first / groups.length) / network.layers.length);
      if (clock?.isTired) await clock.rest();
    }
    this.substituted++;
    return left;
  }
}

/** Interval bounds of an operator's rows from those of the slots, by middles and radii, rounded outward; and their sizes. */
async function operatedRows(
  layer: OperatorLayer,
  lower: Float64Array,
  upper: Float64Array,
  { rowLower, rowUpper, sizes }: BoxBounds,
  isExact: boolean,
): Promise<void> {
  const { operator, source, rows, firstRow, constants, constantSizes, node } = layer;
  const { inputs } = operator;
  const middles = new Float64Array(inputs);
  const all = new Float64Array(3 * inputs);
  for (let j = 0; j < inputs; j++) {
    const [l, u] = [lower[source + j]!, upper[source + j]!];
    const middle = l / 2 + u / 2;
    middles[j] = middle;
    all[j] = Math.max(u - middle, middle - l);
    all[inputs + j] = sizes.slots[source + j]!;
    all[2 * inputs + j] = sizes.slots[source + j] === 0 ? 0 : 1;
  }
  const centres = await operator.forward(middles, 1, false);
  const widths = await operator.forward(all, 3, true);
  const error = gamma(operator.terms + 16);
  for (let k = 0; k < rows; k++) {
    if (widths[2 * rows + k] === 0) {
      // What reads nothing but zeros is a number, and stays one: its lines are then its value.
      const off = isExact ? 0 : error * constantSizes[k]!;
      rowLower[firstRow + k] = constants[k]! - off;
      rowUpper[firstRow + k] = constants[k]! + off;
      sizes.rows[firstRow + k] = constantSizes[k]! * (1 + error);
      continue;
    }
    const size = (widths[rows + k]! + constantSizes[k]!) * (1 + 2 * error) + underflow;
    if (!Number.isFinite(size))
      throw new GraphError(`${node}: its bounds on this box are beyond all doubles`);
    // |middle| and radius are at most the slot's size: each of the three sums is off by at most gamma times theirs.
    const radius = widths[k]! + 4 * error * size + underflow;
    const centre = centres[k]! + constants[k]!;
    rowLower[firstRow + k] = centre - radius;
    rowUpper[firstRow + k] = centre + radius;
    sizes.rows[firstRow + k] = size;
  }
}
