// The kernels in WebAssembly against the same formulas, number by number: to the last bit, at the edges too.
import { describe, expect, it } from "vitest";
import { type Dual, expectations } from "../../src/functions/dual.ts";
import { library } from "../../src/functions/library.ts";
import { tensor } from "../../src/graph/tensor.ts";
import { limitKernel } from "../../src/kernels/index.ts";
import { type LayerBehind, noLayer, pairKernel } from "../../src/kernels/limit/pair-kernel.ts";
import { arrayPool } from "../../src/kernels/limit/pool.ts";
import { isInTileMemory } from "../../src/kernels/limit/tile-memory.ts";
import { createRandom } from "../../src/numbers/random.ts";

const duals: readonly (readonly [string, Dual])[] = [
  ["relu", library.relu.dual()],
  ["abs", library.leakyRelu.dual(-1)],
  ["leaky relu", library.leakyRelu.dual(0.2)],
  ["erf", library.erf.dual()],
  ["gelu", library.gelu.dual()],
];

const layer: LayerBehind = { w: 1.7, shift: 0.1, own: 0.3, before: 1.2, tangentShift: 0.2 };

/** Rows and columns of variances, and covariances that are correlations times deviations: -1, 0 and 1 are among them. */
function someTile(rows: number, columns: number) {
  const random = createRandom(`tile ${rows} ${columns}`);
  const size = (): number => [0, 1, 1e-60, 1e60, 2 * random.uniform()][random.integer(0, 4)]!;
  const [a, b] = [rows, columns].map((count) => Float64Array.from({ length: count + 1 }, size));
  const k = new Float64Array(rows * columns + 3);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) {
      const r = [-1, 0, 1, 2 * random.uniform() - 1, 1 - 1e-12 * random.uniform()][random.integer(0, 4)]!;
      const same = a![i + 1] === b![j + 1];
      k[3 + i * columns + j] = r * (same ? a![i + 1]! : Math.sqrt(a![i + 1]!) * Math.sqrt(b![j + 1]!));
    }
  const before = Float64Array.from(k, () => random.normal());
  return { a: a!, b: b!, k, before };
}

describe.each(duals)("%s by the kernel", (_, dual) => {
  it.each([
    [1, 1, "elsewhere"],
    [3, 5, "elsewhere"],
    [2, 2500, "elsewhere"],
    [1, 1, "in its memory"],
    [5, 3, "in its memory"],
    [7, 64, "in its memory"],
    [2, 2049, "in its memory"],
  ])("is that of each pair alone, %d rows and %d columns, arrays %s", (rows, columns, where) => {
    const tile = someTile(rows, columns);
    const { a, b } = tile;
    const pool = arrayPool();
    const array = (of: Float64Array): Float64Array => {
      if (where === "elsewhere") return of.slice();
      const copy = pool.take(of.length);
      copy.set(of);
      return copy;
    };
    const [k, before] = [array(tile.k), array(tile.before)];
    expect(isInTileMemory(k)).toBe(where === "in its memory");
    for (const behind of [noLayer, layer]) {
      const [value, into] = [array(tile.k).fill(0), array(tile.k).fill(0)];
      const places = { from: 3, rows, columns, own: false, aFrom: 1, bFrom: 1 } as const;
      pairKernel(dual.formula!, false)!({
        ...places,
        k,
        a,
        b,
        value,
        tangent: { before, into },
        layer: behind,
      });
      for (let i = 0; i < rows; i++)
        for (let j = 0; j < columns; j++) {
          const n = 3 + i * columns + j;
          const found = expectations(dual, k[n]!, a[i + 1]!, b[j + 1]!);
          expect(value[n]).toBe(behind.w * found.value + behind.shift);
          const tangent = behind.own * found.value + behind.before * (found.slope * before[n]!);
          expect(into[n]).toBe(tangent + behind.tangentShift);
        }
      // Nothing else was written, and what was read is as it was.
      for (const found of [value, into]) expect([...found.subarray(0, 3)]).toEqual([0, 0, 0]);
      expect(k).toEqual(tile.k);
      expect(before).toEqual(tile.before);
    }
  });

  it("is that of each pair where all variances are the pair's own", () => {
    const count = 2501;
    const { b, k } = someTile(1, count);
    const a = Float64Array.from(b, (v) => v);
    const value = new Float64Array(k.length);
    const places = { from: 3, rows: 1, columns: count, own: true, aFrom: 1, bFrom: 1 } as const;
    pairKernel(dual.formula!, true)!({ ...places, k: k.fill(0.01), a, b, value, layer: noLayer });
    for (let j = 0; j < count; j++)
      expect(value[3 + j]).toBe(expectations(dual, 0.01, a[j + 1]!, b[j + 1]!).value);
  });
});

describe("kernels of examples of any size", () => {
  const at = (random: ReturnType<typeof createRandom>, size: number): number[] =>
    Array.from({ length: 20 }, () => size * random.normal());

  it.each([2 ** -530, 2 ** -260, 2 ** 260])("scale with the examples, %d", async (size) => {
    const rows = (factor: number) => {
      const random = createRandom("any size");
      return tensor([at(random, factor), at(random, factor), at(random, 1), new Array<number>(20).fill(0)]);
    };
    const spec = "20-9nobias-relu-9nobias-abs-1nobias";
    const [one, other] = [await limitKernel(spec, rows(1)), await limitKernel(spec, rows(size))];
    const scales = [size, size, 1, 1];
    for (const kind of ["nngp", "ntk"] as const)
      for (let i = 0; i < 4; i++)
        for (let j = 0; j < 4; j++) {
          const [scaled, plain] = [other[kind][4 * i + j]! / scales[i]! / scales[j]!, one[kind][4 * i + j]!];
          const digits = size < 2 ** -500 ? 1e-3 : 1e-7; // squares of 2^-530 have a few bits only
          expect(Math.abs(scaled - plain)).toBeLessThanOrEqual(digits * Math.max(...one.ntk));
        }
  });
});
