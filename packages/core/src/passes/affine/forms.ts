// Affine forms: each element of a tensor as constant + sum of weight * slot. A slot is a number that is computed
// once per cell: an input of the network, the output of a unit, or a linear value that was worth a name.

import { elementCount, numbers, type Tensor } from "../../graph/tensor.ts";
import { add, type Exact, mul } from "../../numbers/exact/rational.ts";

/** Sparse rows: the terms of row k are those from starts[k] to starts[k + 1]. */
export interface SparseRows {
  readonly starts: Int32Array;
  readonly slots: Int32Array;
  readonly weights: Float64Array;
  readonly constants: Float64Array;
}

/** A tensor of affine forms, in row-major order. */
export interface Forms extends SparseRows {
  readonly dims: readonly number[];
}

export const rowCount = ({ constants }: SparseRows): number => constants.length;
export const isConstant = (x: SparseRows): boolean => x.slots.length === 0;

/** A tensor of plain numbers. */
export function constantForms(dims: readonly number[], constants: Float64Array): Forms {
  return {
    dims,
    starts: new Int32Array(constants.length + 1),
    slots: new Int32Array(0),
    weights: new Float64Array(0),
    constants,
  };
}

/** What a weight of the graph means: itself. */
export const liftWeight = (weight: Tensor): Forms =>
  weight.type === "string"
    ? constantForms([0], new Float64Array(0))
    : constantForms(weight.dims, Float64Array.from(numbers(weight)));

/** One slot an element. */
export function slotForms(dims: readonly number[], slots: ArrayLike<number>): Forms {
  const count = elementCount(dims);
  return {
    dims,
    starts: Int32Array.from({ length: count + 1 }, (_, k) => k),
    slots: Int32Array.from(slots),
    weights: new Float64Array(count).fill(1),
    constants: new Float64Array(count),
  };
}

/** Is each element one slot, or one number? */
export function isPlain({ starts, weights, constants }: SparseRows): boolean {
  for (let k = 0; k < constants.length; k++) {
    const terms = starts[k + 1]! - starts[k]!;
    if (terms > 1 || (terms === 1 && (weights[starts[k]!] !== 1 || constants[k] !== 0))) return false;
  }
  return true;
}

/** Collects sparse rows one after the other. */
export class RowWriter {
  readonly #starts: number[] = [0];
  readonly #slots: number[] = [];
  readonly #weights: number[] = [];
  readonly #constants: number[] = [];
  /** Where the current row has a slot. */
  readonly #places = new Map<number, number>();
  #constant = 0;
  /** False as soon as a weight or a constant had to be rounded. */
  exact = true;
  readonly #watch: ((terms: number) => void) | undefined;

  /** `watch` is told now and then how many terms there are; it may throw. */
  constructor(watch?: (terms: number) => void) {
    this.#watch = watch;
  }

  /** Adds factor * (element `position` of x) to the current row. */
  add(x: SparseRows, position: number, factor: number): void {
    if (factor === 0) return;
    for (let k = x.starts[position]!; k < x.starts[position + 1]!; k++)
      this.#term(x.slots[k]!, this.#product(x.weights[k]!, factor));
    const constant = x.constants[position]!;
    if (constant !== 0) this.shift(this.#product(constant, factor));
  }

  shift(by: number): void {
    this.#constant = this.#sum(this.#constant, by);
  }

  endRow(): void {
    this.#places.clear();
    this.#constants.push(this.#constant);
    this.#starts.push(this.#slots.length);
    this.#constant = 0;
    if ((this.#constants.length & 63) === 0) this.#watch?.(this.#slots.length);
  }

  forms(dims: readonly number[]): Forms {
    return {
      dims,
      starts: Int32Array.from(this.#starts),
      slots: Int32Array.from(this.#slots),
      weights: Float64Array.from(this.#weights),
      constants: Float64Array.from(this.#constants),
    };
  }

  #term(slot: number, weight: number): void {
    const place = this.#places.get(slot);
    if (place !== undefined) this.#weights[place] = this.#sum(this.#weights[place]!, weight);
    else {
      this.#places.set(slot, this.#slots.length);
      this.#slots.push(slot);
      this.#weights.push(weight);
    }
  }

  #product(a: number, b: number): number {
    if (a === 1 || b === 1) return a * b;
    return this.#kept(a * b, () => mul(a, b));
  }

  #sum(a: number, b: number): number {
    return a === 0 ? b : this.#kept(a + b, () => add(a, b));
  }

  #kept(rounded: number, exactly: () => Exact): number {
    if (Number.isFinite(rounded) && typeof exactly() !== "number") this.exact = false;
    return rounded;
  }
}

/** The elements at these positions, under another shape; position -1 is the number `fill`. */
export function select(x: Forms, positions: ArrayLike<number>, dims: readonly number[], fill = 0): Forms {
  const rows = new RowWriter();
  for (let k = 0; k < positions.length; k++) {
    if (positions[k]! < 0) rows.shift(fill);
    else rows.add(x, positions[k]!, 1);
    rows.endRow();
  }
  return rows.forms(dims);
}

export const reshape = (x: Forms, dims: readonly number[]): Forms => ({ ...x, dims });
