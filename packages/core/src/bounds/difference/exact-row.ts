// Rows of weights that are summed exactly and rounded once.
import { add, type Exact, mul, toNumber } from "../../numbers/exact/rational.ts";
import type { SparseRows } from "../../passes/affine/forms.ts";
import type { Layer } from "../linear/network.ts";

/** Entries `from` to `end` of a layer's weights are one row: weights[k] at slot(k). */
export interface RowOf {
  readonly from: number;
  readonly end: number;
  readonly weights: Float64Array;
  readonly slot: (k: number) => number;
  readonly constant: number;
}

export function rowOf(
  { dense, width, source, starts, slots, weights, constants }: Layer,
  row: number,
): RowOf {
  const [from, end] = dense ? [row * width, (row + 1) * width] : [starts[row]!, starts[row + 1]!];
  const slot = dense ? (k: number) => source + k - from : (k: number) => slots[k]!;
  return { from, end, weights, slot, constant: constants[row]! };
}

/** A linear form whose coefficients are sums of products of doubles. */
export class ExactRow {
  readonly #weights = new Map<number, Exact>();
  #constant: Exact = 0;

  add(slot: number, weight: number, factor: number): void {
    const term = factor === 1 ? weight : factor === -1 ? -weight : mul(weight, factor);
    const sum = add(this.#weights.get(slot) ?? 0, term);
    if (sum === 0) this.#weights.delete(slot);
    else this.#weights.set(slot, sum);
  }

  shift(by: number, factor: number): void {
    if (by !== 0 && factor !== 0) this.#constant = add(this.#constant, mul(by, factor));
  }

  get isZero(): boolean {
    return this.#weights.size === 0 && this.#constant === 0;
  }

  /** Are all slots in a set, and the constant 0? */
  isOver(has: (slot: number) => boolean): boolean {
    return this.#constant === 0 && [...this.#weights.keys()].every(has);
  }

  /** The slots below `end`. */
  slotsBefore(end: number): readonly number[] {
    return [...this.#weights.keys()].filter((slot) => slot < end);
  }

  /** The greatest slot below `end`, or -1. */
  lastBefore(end: number): number {
    return this.slotsBefore(end).reduce((last, slot) => Math.max(last, slot), -1);
  }

  get constant(): number {
    return toNumber(this.#constant);
  }

  /** Rounded, under the slots' numbers in another network, in their order. */
  entries(place: Int32Array): readonly (readonly [number, number])[] {
    return [...this.#weights]
      .map(([slot, weight]) => [place[slot]!, toNumber(weight)] as const)
      .sort(([s], [t]) => s - t);
  }
}

/** Rows one after the other. */
export class RowList {
  readonly #starts = [0];
  readonly #slots: number[] = [];
  readonly #weights: number[] = [];
  readonly #constants: number[] = [];

  get count(): number {
    return this.#constants.length;
  }

  exact(row: ExactRow, place: Int32Array): void {
    for (const [slot, weight] of row.entries(place)) {
      this.#slots.push(slot);
      this.#weights.push(weight);
    }
    this.#end(row.constant);
  }

  /** A row as it is, its slots renumbered. */
  plain({ from, end, weights, slot, constant }: RowOf, renumbered: Int32Array): void {
    for (let k = from; k < end; k++) {
      if (weights[k] === 0) continue;
      this.#slots.push(renumbered[slot(k)]!);
      this.#weights.push(weights[k]!);
    }
    this.#end(constant);
  }

  #end(constant: number): void {
    this.#constants.push(constant);
    this.#starts.push(this.#slots.length);
  }

  rows(): SparseRows {
    return {
      starts: Int32Array.from(this.#starts),
      slots: Int32Array.from(this.#slots),
      weights: Float64Array.from(this.#weights),
      constants: Float64Array.from(this.#constants),
    };
  }
}
