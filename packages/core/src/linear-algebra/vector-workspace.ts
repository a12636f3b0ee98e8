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
  readonly #four: Float64Array;

  /** A workspace for so many numbers, in so many arrays. */
  constructor(numbers: number, arrays: number) {
    const count = numbers + 2 * (arrays + 1) + 4;
    try {
      this.#memory = simdMemory(count);
      this.#kernel = this.#memory.kernel;
      this.#buffer = this.#memory.buffer;
      this.#used = 8 * reserved;
    } catch {
      this.#buffer = new ArrayBuffer(8 * count); // plain loops, then
    }
    this.#four = this.array(4);
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
    let i = 0;
    for (; i + 4 <= a.rows; i += 4) {
      this.#dots(a, i, x);
      for (let r = 0; r < 4; r++) into.entries[into.at + i + r] = this.#four[r]!;
    }
    for (; i < a.rows; i++) {
      const from = a.start + i * a.stride;
      let sum = 0;
      for (let j = 0; j < a.columns; j++) sum += a.entries[from + j]! * x.entries[x.at + j]!;
      into.entries[into.at + i] = sum;
    }
  }

  /** y_j <- y_j - sum_i c_i a_ij. */
  subtractCombination(a: Rows, c: Part, y: Part): void {
    let i = 0;
    for (; i + 4 <= a.rows; i += 4) {
      for (let r = 0; r < 4; r++) this.#four[r] = c.entries[c.at + i + r]!;
      this.#combine(a, i, y);
    }
    for (; i < a.rows; i++) {
      const from = a.start + i * a.stride;
      const factor = c.entries[c.at + i]!;
      for (let j = 0; j < a.columns; j++) y.entries[y.at + j]! -= factor * a.entries[from + j]!;
    }
  }

  /** y = A x for a symmetric matrix of n rows of which the upper half is stored; rows and columns from `start` on. */
  symmetricTimes(a: Float64Array, n: number, start: number, x: Float64Array, y: Float64Array): void {
    y.fill(0, start, n);
    let i = start;
    for (; i + 4 <= n; i += 4) {
      this.#both(a, n, i, x, y);
      diagonalTimes(a, n, i, i + 4, x, y);
    }
    diagonalTimes(a, n, i, n, x, y);
  }

  #dots({ entries, start, stride, columns }: Rows, i: number, x: Part): void {
    const at = start + i * stride;
    if (this.#kernel)
      this.#kernel.dots(
        byte(entries, at),
        8 * stride,
        columns,
        byte(x.entries, x.at),
        0,
        0,
        byte(this.#four, 0),
      );
    else
      for (let r = 0; r < 4; r++) {
        const from = at + r * stride;
        let sum = 0;
        for (let j = 0; j < columns; j++) sum += entries[from + j]! * x.entries[x.at + j]!;
        this.#four[r] = sum;
      }
  }

  #combine({ entries, start, stride, columns }: Rows, i: number, y: Part): void {
    const at = start + i * stride;
    const four = this.#four;
    if (this.#kernel)
      this.#kernel.combine(
        byte(entries, at),
        8 * stride,
        columns,
        0,
        byte(four, 0),
        byte(y.entries, y.at),
        0,
      );
    else
      for (let r = 0; r < 4; r++) {
        const from = at + r * stride;
        const factor = four[r]!;
        for (let j = 0; j < columns; j++) y.entries[y.at + j]! -= factor * entries[from + j]!;
      }
  }

  /** What the rows i .. i + 3, and the columns of the same numbers, contribute right of that block on the diagonal. */
  #both(a: Float64Array, n: number, i: number, x: Float64Array, y: Float64Array): void {
    const first = i + 4;
    if (this.#kernel) {
      const [from, to] = [byte(x, first), byte(y, first)];
      this.#kernel.both(byte(a, i * n + first), 8 * n, n - first, from, byte(x, i), to, byte(y, i));
    } else
      for (let r = i; r < first; r++) {
        const factor = x[r]!;
        let sum = 0;
        for (let j = first; j < n; j++) {
          const entry = a[r * n + j]!;
          sum += entry * x[j]!;
          y[j]! += factor * entry;
        }
        y[r]! += sum;
      }
  }
}

const byte = (array: Float64Array, at: number): number => array.byteOffset + 8 * at;

/** Adds what the square block from .. to - 1 on the diagonal contributes. */
function diagonalTimes(
  a: Float64Array,
  n: number,
  from: number,
  to: number,
  x: Float64Array,
  y: Float64Array,
): void {
  for (let i = from; i < to; i++) {
    y[i]! += a[i * n + i]! * x[i]!;
    for (let j = i + 1; j < to; j++) {
      y[i]! += a[i * n + j]! * x[j]!;
      y[j]! += a[i * n + j]! * x[i]!;
    }
  }
}
