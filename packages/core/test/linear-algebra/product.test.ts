// Products of matrices on every way there is: plain loops, the kernel in WebAssembly, ONNX Runtime; and what stands on them
// where there is no WebAssembly.
import { afterEach, describe, expect, test, vi } from "vitest";
import { type Block, rowsIn } from "../../src/linear-algebra/block.ts";
import { copyBlock, subtractBlock, transposeBlock } from "../../src/linear-algebra/block-moves.ts";
import {
  cholesky,
  eigenQuality,
  type Matrix,
  singularDecomposition,
  spectralDecomposition,
} from "../../src/linear-algebra/index.ts";
import { addInMemory } from "../../src/linear-algebra/kernel-product.ts";
import { productOf, subtractProduct, subtractUpper, writeProduct } from "../../src/linear-algebra/product.ts";
import { memoryOf } from "../../src/linear-algebra/simd-memory.ts";
import { VectorWorkspace } from "../../src/linear-algebra/vector-workspace.ts";
import { gap, gaussian, greatest, symmetrized, times, transpose } from "./matrices.ts";

afterEach(() => vi.unstubAllGlobals());

type Place = (rows: number, columns: number) => Block;

/** Blocks within larger arrays, so that strides and starts matter; what is around them is NaN. */
const around = (entries: Float64Array, rows: number, columns: number): Block => {
  entries.fill(Number.NaN);
  return { entries, start: columns + 3, stride: columns + 2, rows, columns };
};
const size = (rows: number, columns: number): number => (rows + 2) * (columns + 3);
const anywhere: Place = (rows, columns) => around(new Float64Array(size(rows, columns)), rows, columns);

const put = (block: Block, matrix: Matrix): Block => {
  copyBlock(block, rowsIn(matrix.entries, matrix.rows, matrix.columns));
  return block;
};
const taken = (block: Block): Matrix => {
  const { rows, columns } = block;
  const entries = new Float64Array(rows * columns);
  copyBlock(rowsIn(entries, rows, columns), block);
  return { rows, columns, entries };
};
const difference = (a: Matrix, b: Matrix): Matrix => ({
  ...a,
  entries: a.entries.map((x, k) => x - b.entries[k]!),
});
/** Both sums have errors of inner 2^-53 times the sum of sizes; entries are Gaussian, seldom beyond 5. */
const rounding = (inner: number): number => 2 * (inner + 1) * 2 ** -53 * 25 * (inner + 1);

// All remainders by four; more than one strip, panel and depth of the kernel; and enough for ONNX Runtime.
const shapes = [
  [1, 1, 1],
  [4, 4, 4],
  [5, 6, 7],
  [7, 9, 30],
  [66, 67, 17],
  [70, 515, 258],
  [131, 201, 300],
] as const;

describe.each(["in memory", "elsewhere", "without WebAssembly"])("%s", (where) => {
  test.each(shapes)("%i x %i, %i terms", async (m, n, inner) => {
    if (where === "without WebAssembly") vi.stubGlobal("WebAssembly", undefined);
    const workspace = new VectorWorkspace(8 * (size(m, inner) + size(inner, n) + size(m, n)), 8);
    const place: Place =
      where === "in memory"
        ? (rows, columns) => around(workspace.array(size(rows, columns)), rows, columns)
        : anywhere;
    const [a, b, c] = [gaussian(1, m, inner), gaussian(2, inner, n), gaussian(3, m, n)];
    const product = times(a, b);
    const less = difference(c, product);
    for (const transposed of [false, true]) {
      const left = transposed ? put(place(inner, m), transpose(a)) : put(place(m, inner), a);
      const [right, target] = [put(place(inner, n), b), put(place(m, n), c)];
      expect(gap(await productOf(left, right, { transposed }), product)).toBeLessThanOrEqual(rounding(inner));
      const into = where === "in memory" ? workspace.array(m * n) : new Float64Array(m * n);
      await writeProduct(into, left, right, { transposed });
      expect(gap({ ...product, entries: into }, product)).toBeLessThanOrEqual(rounding(inner));
      await subtractProduct(target, left, right, { transposed });
      expect(gap(taken(target), less)).toBeLessThanOrEqual(rounding(inner));
      expect(target.entries.filter(Number.isNaN).length).toBe(target.entries.length - m * n);
      if (!transposed) continue;
      const upper = put(place(m, n), c);
      await subtractUpper(upper, left, right);
      const half = taken(upper).entries.map((x, k) => (k % n >= Math.floor(k / n) ? x : less.entries[k]!));
      expect(gap({ ...less, entries: half }, less)).toBeLessThanOrEqual(rounding(inner));
      expect(upper.entries.filter(Number.isNaN).length).toBe(upper.entries.length - m * n);
    }
  });
});

test.each([false, true])(
  "in place on ONNX Runtime, where all rows stand together; transposed: %s",
  async (transposed) => {
    const [m, n, inner] = [170, 163, 190]; // more than 2^22 multiplications
    const [a, b, c] = [gaussian(1, m, inner), gaussian(2, inner, n), gaussian(3, m, n)];
    const left = transposed ? rowsIn(transpose(a).entries, inner, m) : rowsIn(a.entries, m, inner);
    const [right, target] = [rowsIn(b.entries, inner, n), rowsIn(c.entries.slice(), m, n)];
    await subtractProduct(target, left, right, { transposed });
    expect(gap(taken(target), difference(c, times(a, b)))).toBeLessThanOrEqual(rounding(inner));
    const into = new Float64Array(m * n);
    await writeProduct(into, left, right, { transposed });
    expect(gap({ ...c, entries: into }, times(a, b))).toBeLessThanOrEqual(rounding(inner));
  },
);

test("the kernel itself, with every remainder and more terms than it packs at once", () => {
  const workspace = new VectorWorkspace(400_000, 20);
  for (const [m, n, inner] of shapes) {
    const [a, b] = [gaussian(1, m, inner), gaussian(2, inner, n)];
    const target = rowsIn(workspace.array(m * n), m, n);
    const memory = memoryOf(target.entries);
    expect(memory).toBeDefined();
    const [left, right] = [rowsIn(a.entries, m, inner), rowsIn(b.entries, inner, n)];
    addInMemory(memory!, target, left, right, { transposed: false, upper: false, factor: 1 });
    expect(gap(taken(target), times(a, b))).toBeLessThanOrEqual(rounding(inner));
  }
});

test.each([
  [1, 1],
  [3, 4],
  [5, 7],
  [18, 21],
])("blocks of %i x %i are moved exactly", (rows, columns) => {
  const workspace = new VectorWorkspace(6 * size(rows, columns) + 6 * size(columns, rows), 8);
  const a = gaussian(rows, rows, columns);
  for (const place of [
    anywhere,
    (r: number, c: number) => around(workspace.array(size(r, c)), r, c),
  ] satisfies Place[]) {
    const source = put(place(rows, columns), a);
    const turned = place(columns, rows);
    transposeBlock(turned, source);
    expect(gap(taken(turned), transpose(a))).toBe(0);
    expect(turned.entries.filter(Number.isNaN).length).toBe(turned.entries.length - rows * columns);
    const copy = place(rows, columns);
    copyBlock(copy, source);
    expect(gap(taken(copy), a)).toBe(0);
    subtractBlock(copy, source);
    expect(greatest(taken(copy).entries)).toBe(0);
    expect(copy.entries.filter(Number.isNaN).length).toBe(copy.entries.length - rows * columns);
  }
});

// Errors of a decomposition are n 2^-53 of the norm, times a small factor.
test.each([50, 150])("decompositions without WebAssembly, size %i", async (n) => {
  vi.stubGlobal("WebAssembly", undefined);
  const g = gaussian(n, n, n);
  const symmetric = symmetrized(g);
  const { residual, orthogonality } = await eigenQuality(symmetric, await spectralDecomposition(symmetric));
  expect(Math.max(residual, orthogonality)).toBeLessThanOrEqual(4 * n * 2 ** -53);
  const { values, left, right } = await singularDecomposition(g);
  const scaled: Matrix = {
    ...right,
    entries: right.entries.map((x, k) => values[Math.floor(k / n)]! * x),
  };
  expect(gap(times(transpose(left), scaled), g)).toBeLessThanOrEqual(4 * n * 2 ** -53 * values[0]!);
  const positive = times(transpose(g), g);
  const { factor } = await cholesky(positive);
  expect(gap(times(transpose(factor), factor), positive)).toBeLessThanOrEqual(
    (n + 2) * 2 ** -53 * greatest(positive.entries),
  );
});
