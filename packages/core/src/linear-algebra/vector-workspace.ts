// Memory for algorithms that live on products with vectors: what is allocated here can be multiplied quickly.
import { giveMemoryBack, reserved, type SimdMemory, simdMemory } from "./simd-memory.ts";
import type { VectorKernel } from "./vector-kernel.ts";

/** A matrix of rows within an array: row i begins at start + i stride. */
export interface Rows {
  readonly entries: Float64Array;
  readonly start: number;
  readonly stride: number;
  readonly rows: number;
  readonly columns: number;
}

/** Part of an array from `at` on. */
export interface Part {
  readonly entries: Float64Array;
  readonly at: number;
}

/** Arrays, and products with them. All arrays that a method is given are from the same workspace. */
export class VectorWorkspace {
  readonly #kernel: VectorKernel | undefined;
  readonly #buffer: ArrayBuffer;
  readonly #memory: SimdMemory | undefined;
  #used = 0;

  /** A workspace for so many numbers, in so many arrays. */
  constructor(numbers: number, arrays: number) {
    const count = numbers + 2 * arrays + 4;
    try {
      this.#memory = simdMemory(count);
      this.#kernel = this.#memory.kernel;
      this.#buffer = this.#memory.buffer;
      this.#used = 8 * reserved;
    } catch {
      this.#buffer = new ArrayBuffer(8 * count); // plain loops, then
    }
  }

  /** Zeros, or what its last user has left: finite numbers. */
  array(length: number, content: "zeros" | "as it is" = "zeros"): Float64Array {
    const array = new Float64Array(this.#buffer, this.#used, length);
    this.#used += 16 * Math.ceil(length / 2);
    return content === "zeros" ? array.fill(0) : array;
  }

  /** An array with these numbers. */
  arrayOf(numbers: ArrayLike<number>): Float64Array {
    const array = this.array(numbers.length, "as it is");
    array.set(numbers);
    return array;
  }

  /** The arrays that are made meanwhile are free again in the end. */
  async lending<T>(meanwhile: () => Promise<T>): Promise<T> {
    const used = this.#used;
    try {
      return await meanwhile();
    } finally {
      this.#used = used;
    }
  }

  /** To be called when nobody reads or writes its arrays any more. */
  release(): void {
    if (this.#memory) giveMemoryBack(this.#memory);
  }

  /** into_i = sum_j a_ij x_j. */
  times(a: Rows, x: Part, into: Part): void {
    const whole = this.#kernel ? a.rows >> 2 : 0;
    this.#kernel?.dots(address(a), 8 * a.stride, a.columns, address(x), 0, 0, address(into), whole);
    for (let i = 4 * whole; i < a.rows; i++) {
      const from = a.start + i * a.stride;
      let sum = 0;
      for (let j = 0; j < a.columns; j++) sum += a.entries[from + j]! * x.entries[x.at + j]!;
      into.entries[into.at + i] = sum;
    }
  }

  /** y_j <- y_j - sum_i c_i a_ij. */
  subtractCombination(a: Rows, c: Part, y: Part): void {
    const whole = this.#kernel ? a.rows >> 2 : 0;
    this.#kernel?.combine(address(a), 8 * a.stride, a.columns, 0, address(c), address(y), 0, whole);
    for (let i = 4 * whole; i < a.rows; i++) {
      const from = a.start + i * a.stride;
      const factor = c.entries[c.at + i]!;
      for (let j = 0; j < a.columns; j++) y.entries[y.at + j]! -= factor * a.entries[from + j]!;
    }
  }

  /**
   * y = A x for a symmetric matrix of n rows of which the upper half is stored, and the lower one too in the squares of
   * 4 x 4 on the diagonal; rows and columns from `start` on. Before that x is 0, and y becomes 0.
   */
  symmetricTimes(a: Float64Array, n: number, start: number, x: Float64Array, y: Float64Array): void {
    y.fill(0);
    const first = start - (start % 4);
    const whole = this.#kernel ? (n - first) >> 2 : 0;
    const [from, to] = [x.byteOffset + 8 * first, y.byteOffset + 8 * first];
    const corner = a.byteOffset + 8 * first * (n + 1);
    this.#kernel?.symmetric(corner, 8 * n, n - first - 4, from, from, to, to, whole);
    y.fill(0, first, start);
    for (let i = Math.max(start, first + 4 * whole); i < n; i++) {
      const factor = x[i]!;
      let sum = a[i * n + i]! * factor;
      for (let j = i + 1; j < n; j++) {
        const entry = a[i * n + j]!;
        sum += entry * x[j]!;
        y[j]! += factor * entry;
      }
      y[i]! += sum;
    }
  }
}

const address = (place: Part | Rows): number =>
  place.entries.byteOffset + 8 * ("at" in place ? place.at : place.start);
