// Products with vectors in WebAssembly and, where there is none, in plain loops: both as one would write them down.
import { afterEach, describe, expect, test, vi } from "vitest";
import { VectorWorkspace } from "../../src/linear-algebra/vector-workspace.ts";
import { createRandom } from "../../src/numbers/random.ts";

afterEach(() => vi.unstubAllGlobals());

const close = (a: ArrayLike<number>, b: ArrayLike<number>): void => {
  for (let k = 0; k < b.length; k++) expect(Math.abs(a[k]! - b[k]!)).toBeLessThan(1e-12);
};

describe.each(["WebAssembly", "plain loops"])("%s", (kind) => {
  // Four rows and four columns at a time: all remainders.
  test.each([1, 2, 3, 4, 5, 6, 7, 8, 11, 30])("%i rows", (n) => {
    if (kind === "plain loops") vi.stubGlobal("WebAssembly", undefined);
    const columns = n + 3;
    const workspace = new VectorWorkspace(n * columns + 4 * columns, 5);
    const random = createRandom(n);
    const [a, x, y, z] = [n * columns, columns, columns, columns].map((length) => {
      const array = workspace.array(length);
      array.set(random.normal(length));
      return array;
    }) as [Float64Array, Float64Array, Float64Array, Float64Array];
    const rows = { entries: a, start: 1, stride: columns, rows: n, columns: columns - 1 };
    const at = (i: number, j: number): number => a[i * columns + j]!;

    workspace.times(rows, { entries: x, at: 1 }, { entries: z, at: 2 });
    const indices = (length: number): number[] => Array.from({ length }, (_, k) => k);
    const sum = (values: readonly number[]): number => values.reduce((s, v) => s + v, 0);
    close(
      z.subarray(2, 2 + n),
      indices(n).map((i) => sum(indices(columns - 1).map((j) => at(i, j + 1) * x[j + 1]!))),
    );

    const before = y.slice();
    workspace.subtractCombination(rows, { entries: x, at: 0 }, { entries: y, at: 1 });
    const less = indices(columns - 1).map(
      (j) => before[j + 1]! - sum(indices(n).map((i) => x[i]! * at(i, j + 1))),
    );
    close(y, [before[0]!, ...less]);

    // Of the lower half only the squares of 4 x 4 on the diagonal are read.
    const symmetric = (i: number, j: number): number => a[Math.min(i, j) * n + Math.max(i, j)]!;
    for (let i = 0; i < n; i++)
      for (let j = 0; j < i; j++) a[i * n + j] = i >> 2 === j >> 2 ? symmetric(i, j) : Number.NaN;
    for (const start of [0, Math.min(1, n - 1)]) {
      x.fill(0, 0, start);
      workspace.symmetricTimes(a, n, start, x, y);
      expect(y.subarray(0, start).every((entry) => entry === 0)).toBe(true);
      const from = indices(n).slice(start);
      close(
        y.subarray(start, n),
        from.map((i) => sum(from.map((j) => symmetric(i, j) * x[j]!))),
      );
    }
  });
});

test("a memory that was given back is used again, and zeros are zeros", () => {
  const first = new VectorWorkspace(1000, 1);
  first.array(1000).fill(7);
  first.release();
  const second = new VectorWorkspace(500, 2);
  expect(second.array(400).every((x) => x === 0)).toBe(true);
  const third = new VectorWorkspace(500, 1);
  third.array(400).fill(3);
  expect(second.array(50).some((x) => x === 3)).toBe(false);
});
