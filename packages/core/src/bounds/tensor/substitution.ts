// Linear forms of the slots carried back to the inputs, many images of coefficients at a time. `rounding.ts` says why the
// bounds are sound. Forms whose coefficients never meet share an image (`windows.ts`).
import type { Sizes, Target } from "../linear/back-substitution.ts";
import type { Relaxation } from "../linear/relaxation-lines.ts";
import type { Box } from "../linear/row-bounds.ts";
import {
  type Floats,
  floatsOf,
  isOperated,
  type OperatorLayer,
  type Precision,
  type TensorLayer,
  type TensorNetwork,
} from "./operator.ts";
import { type Losses, lossesOf } from "./rounding.ts";

/** Which form owns a slot of a layer (the inputs: layer -1), by its place in the picture; of image `image`. */
export type OwnersOf = (layer: number, image: number) => Owners;

/** One form for a whole image, or one for each place of pictures with so many places. */
export interface Owners {
  readonly area: number;
  readonly forms: Int32Array;
}

/** Which layers, images and forms a substitution is about. */
export interface Extent {
  readonly end: number;
  readonly rowsOf?: number;
  readonly images: number;
  readonly forms: number;
  readonly owners?: OwnersOf;
  readonly isOver?: () => boolean;
}

/** One form an image. */
export const alone: OwnersOf = (_, image) => ({ area: 1, forms: Int32Array.of(image) });

export class TensorSubstitution {
  readonly network: TensorNetwork;
  readonly images: number;
  readonly precision: Precision;
  readonly #coefficients: Floats;
  readonly #losses: Losses;
  readonly #constants: Float64Array;
  readonly #errors: Float64Array;
  readonly #values: Float64Array;
  #packed: Floats | undefined;

  /** For so many images, and so many forms in all of them. */
  constructor(network: TensorNetwork, precision: Precision, images: number, forms = images) {
    this.network = network;
    this.images = images;
    this.precision = precision;
    this.#coefficients = floatsOf(precision, images * network.slots);
    this.#losses = lossesOf(network, precision);
    this.#constants = new Float64Array(forms);
    this.#errors = new Float64Array(forms);
    this.#values = new Float64Array(forms);
  }

  /** Empties the images, for forms of the slots before `end`. */
  clear(images: number, end: number): void {
    const { slots } = this.network;
    for (let n = 0; n < images; n++) this.#coefficients.fill(0, n * slots, n * slots + end);
    this.#constants.fill(0);
    this.#errors.fill(0);
  }

  /**
   * Adds sign times a row of layer l to an image: written out, or, of an operator, where its slot would be; `leasts` is then
   * told to take these for rows.
   */
  addRow(form: number, image: number, l: number, row: number, sign: 1 | -1, sizes: Sizes): void {
    const layer = this.network.layers[l]!;
    const start = image * this.network.slots;
    if (isOperated(layer)) {
      this.#coefficients[start + layer.firstSlot + row] = sign;
      return;
    }
    const [from, end] = layer.dense
      ? [row * layer.width, (row + 1) * layer.width]
      : [layer.starts[row]!, layer.starts[row + 1]!];
    for (let k = from; k < end; k++) {
      const slot = layer.dense ? layer.source + k - from : layer.slots[k]!;
      this.#coefficients[start + slot]! += sign * layer.weights[k]!;
    }
    this.#constants[form]! += sign * layer.constants[row]!;
    this.#errors[form]! += this.#losses.ofRows[l]! * sizes.rows[layer.firstRow + row]!;
  }

  addTarget(form: number, image: number, { slots, weights, constant }: Target, sizes: Sizes): void {
    const start = image * this.network.slots;
    let size = 0;
    for (let k = 0; k < slots.length; k++) {
      this.#coefficients[start + slots[k]!]! += weights[k]!;
      size += Math.abs(weights[k]!) * sizes.slots[slots[k]!]!;
    }
    this.#constants[form]! += constant;
    this.#errors[form]! +=
      Math.max(...this.#losses.ofRows) * size + this.#losses.ofConstants * Math.abs(constant);
  }

  /**
   * Lower bounds of all forms: the slots of the layers before `end` are replaced by lines, from the last one back; those of an
   * operator at `rowsOf` are its rows. undefined where `isOver` says so between two layers.
   */
  async leasts(
    { end, rowsOf, images, forms, owners = alone, isOver = () => false }: Extent,
    lines: Relaxation,
    sizes: Sizes,
    { lower, upper }: Box,
  ): Promise<Float64Array | undefined> {
    const { layers } = this.network;
    for (let l = end - 1; l >= 0; l--) {
      const layer = layers[l]!;
      if (isOver()) return undefined;
      if (isOperated(layer))
        await this.#operate(layer, l, images, l === rowsOf ? undefined : lines, sizes, owners);
      else
        for (let image = 0; image < images; image++)
          this.#substitute(layer, l, image, lines, sizes, owners(l, image));
    }
    this.#values.fill(0);
    for (let image = 0; image < images; image++) this.#evaluate(image, lower, upper, owners(-1, image));
    const lost =
      this.#losses.underflow *
      (1 + sizeOf(sizes.slots, layers[end]?.firstSlot) + sizeOf(sizes.rows, layers[end]?.firstRow));
    return Float64Array.from({ length: forms }, (_, t) => {
      const [constant, value, error] = [this.#constants[t]!, this.#values[t]!, this.#errors[t]!];
      const rounding = this.#losses.ofInputs * (Math.abs(constant) + Math.abs(value));
      const bound = constant + value - 2 * (error + rounding) - lost * (1 + error);
      return bound > Number.NEGATIVE_INFINITY ? bound : Number.NEGATIVE_INFINITY;
    });
  }

  /** Without lines the slots are the rows themselves. */
  async #operate(
    layer: OperatorLayer,
    l: number,
    images: number,
    lines: Relaxation | undefined,
    sizes: Sizes,
    owners: OwnersOf,
  ): Promise<void> {
    const { operator, units, source } = layer;
    const { slots } = this.network;
    const coefficients = this.#coefficients;
    const live: number[] = [];
    if (!this.#packed || this.#packed.length < images * units)
      this.#packed = floatsOf(this.precision, images * units);
    const packed = this.#packed;
    const used = layer.kind === "linear" ? undefined : lines;
    for (let image = 0; image < images; image++) {
      const into = packed.subarray(live.length * units, (live.length + 1) * units);
      if (this.#bend(layer, l, image, used, sizes, owners(l, image), into)) live.push(image);
    }
    if (live.length === 0) return;
    const found = await operator.back(packed.subarray(0, live.length * units), live.length);
    for (const [n, image] of live.entries()) {
      const [to, from] = [image * slots + source, n * operator.inputs];
      for (let j = 0; j < operator.inputs; j++) coefficients[to + j]! += found[from + j]!;
    }
  }

  /** a_k slot_k -> g_k row_k + shift; false if all coefficients are 0. */
  #bend(
    { firstSlot, firstRow, units, constants }: OperatorLayer,
    l: number,
    image: number,
    lines: Relaxation | undefined,
    sizes: Sizes,
    { area, forms }: Owners,
    into: Floats,
  ): boolean {
    const start = image * this.network.slots + firstSlot;
    const coefficients = this.#coefficients;
    const [sums, errors, rowSizes] = [this.#constants, this.#errors, sizes.rows];
    const loss = this.#losses.ofRows[l]!;
    const { ofConstants } = this.#losses;
    let isZero = true;
    let form = forms[0]!;
    let place = 0;
    for (let k = 0; k < units; k++) {
      const a = coefficients[start + k]!;
      if (area > 1) {
        form = forms[place]!;
        if (++place === area) place = 0;
      }
      if (a === 0) {
        into[k] = 0;
        continue;
      }
      isZero = false;
      let g = a;
      if (lines) {
        const isLow = a > 0;
        const shift = a * (isLow ? lines.lowShift : lines.highShift)[firstSlot + k]!;
        g = a * (isLow ? lines.lowSlope : lines.highSlope)[firstRow + k]!;
        if (shift !== 0) {
          sums[form]! += shift;
          errors[form]! += ofConstants * Math.abs(shift);
        }
      }
      into[k] = g;
      sums[form]! += g * constants[k]!;
      errors[form]! += loss * Math.abs(g) * rowSizes[firstRow + k]!;
    }
    return !isZero;
  }

  #substitute(
    layer: TensorLayer,
    l: number,
    image: number,
    lines: Relaxation,
    sizes: Sizes,
    { area, forms }: Owners,
  ): void {
    const { units, firstSlot, firstRow, groups, dense, width, source, starts, slots, weights, constants } =
      layer;
    const { lowSlope, highSlope, lowShift, highShift } = lines;
    const coefficients = this.#coefficients;
    const loss = this.#losses.ofRows[l]!;
    const { ofConstants } = this.#losses;
    const start = image * this.network.slots;
    const isGrouped = groups.length > 0;
    for (let unit = 0; unit < units; unit++) {
      const a = coefficients[start + firstSlot + unit]!;
      if (a === 0) continue;
      const form = forms[area === 1 ? 0 : unit % area]!;
      const isLow = a > 0;
      const shift = a * (isLow ? lowShift : highShift)[firstSlot + unit]!;
      if (shift !== 0) {
        this.#constants[form]! += shift;
        this.#errors[form]! += ofConstants * Math.abs(shift);
      }
      const slopes = isLow ? lowSlope : highSlope;
      const [first, end] = isGrouped ? [groups[unit]!, groups[unit + 1]!] : [unit, unit + 1];
      for (let row = first; row < end; row++) {
        const g = a * slopes[firstRow + row]!;
        if (g === 0) continue;
        this.#constants[form]! += g * constants[row]!;
        this.#errors[form]! += loss * Math.abs(g) * sizes.rows[firstRow + row]!;
        if (dense) {
          const [to, from] = [start + source, row * width];
          for (let k = 0; k < width; k++) coefficients[to + k]! += g * weights[from + k]!;
        } else
          for (let k = starts[row]!; k < starts[row + 1]!; k++)
            coefficients[start + slots[k]!]! += g * weights[k]!;
      }
    }
  }

  #evaluate(image: number, lower: Float64Array, upper: Float64Array, { area, forms }: Owners): void {
    const start = image * this.network.slots;
    const { ofInputs } = this.#losses;
    for (let i = 0; i < this.network.inputs; i++) {
      const a = this.#coefficients[start + i]!;
      if (a === 0) continue;
      const form = forms[area === 1 ? 0 : i % area]!;
      this.#values[form]! += a * (a > 0 ? lower[i]! : upper[i]!);
      this.#errors[form]! += ofInputs * Math.abs(a) * Math.max(Math.abs(lower[i]!), Math.abs(upper[i]!));
    }
  }
}

function sizeOf(sizes: Float64Array, end = sizes.length): number {
  let sum = 0;
  for (let k = 0; k < end; k++) sum += sizes[k]!;
  return sum;
}
