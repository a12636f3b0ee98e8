import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { float32, float64, graph } from "../../src/graph/builder.ts";
import { readModel, writeModel } from "../../src/graph/onnx/index.ts";
import { sparseMatrix } from "../../src/graph/sparse.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { sizes } from "../../src/passes/sizes.ts";

const entries = fc.array(fc.tuple(fc.nat({ max: 8 }), fc.nat({ max: 5 }), fc.integer({ min: -9, max: 9 })), {
  maxLength: 40,
});

describe("sparse matrices", () => {
  it("multiply as dense ones do, whatever their pattern", async () => {
    await fc.assert(
      fc.asyncProperty(entries, async (list) => {
        const dense = Array.from({ length: 9 }, () => Array<number>(6).fill(0));
        for (const [r, c, value] of list) dense[r]![c]! += value;
        const w = sparseMatrix(9, 6, list);
        const g = graph({ x: float64("N", 6) }, ({ x }) => ({
          sparse: x.affine(w, Array(9).fill(1)),
          dense: x.affine(dense, Array(9).fill(1)),
        }));
        const out = await run(g, {
          x: tensor([
            [1, 2, 3, 4, 5, 6],
            [0, -1, 0, 7, 0.5, 2],
          ]),
        });
        expect(out["sparse"]).toEqual(out["dense"]);
      }),
      { numRuns: 60 },
    );
  });

  it("refuse entries outside", () => {
    expect(() => sparseMatrix(2, 2, [[2, 0, 1]])).toThrow(/outside a 2 x 2 matrix/);
  });

  it("with a million entries build, write, load and run without becoming dense", async () => {
    const [n, perRow] = [100_000, 10]; // dense: 80 GB
    const random = createRandom("sparse");
    const list: [number, number, number][] = [];
    for (let r = 0; r < n; r++)
      for (let k = 0; k < perRow; k++) list.push([r, (r * 31 + k * 9973) % n, random.uniform() - 0.5]);
    const w = sparseMatrix(n, n, list);
    const g = readModel(
      writeModel(graph({ x: float64("N", n) }, ({ x }) => ({ y: x.affine(w).relu().affine(w) }))),
    );
    expect(sizes(g).nonzeros).toBe(2 * n * perRow);
    const x = random.uniform(n);
    const { y } = await run(g, { x: tensor(x, { dims: [1, n] }) });
    const apply = (v: Float64Array) => {
      const out = new Float64Array(n);
      for (const [r, c, value] of list) out[r]! += value * v[c]!;
      return out;
    };
    const expected = apply(apply(x).map((v) => Math.max(0, v)));
    const actual = numbers(y!);
    expect(expected.every((v, k) => Math.abs(v - actual[k]!) < 1e-12)).toBe(true);
    expect(process.memoryUsage().rss).toBeLessThan(2e9);
  });

  it("as sparse initializers of a file run without becoming dense, by MatMul and Gemm", async () => {
    const n = 50_000; // dense: 10 GB
    const indices = BigInt64Array.from(
      { length: n },
      (_, r) => BigInt(r) * BigInt(n) + BigInt((r * 7 + 3) % n),
    );
    const weight = {
      type: "float32",
      dims: [n, n],
      values: tensor(new Float32Array(n).fill(2), { type: "float32", dims: [n] }),
      indices,
    } as const;
    const g = graph({ x: float32("N", n) }, ({ x }) => {
      const w = x.builder.weight(weight);
      const bias = tensor(new Float32Array(n).fill(1), { type: "float32", dims: [n] });
      return { product: x.matmul(w), gemm: x.affine(w, bias) };
    });
    const again = readModel(writeModel(g));
    const x = Float32Array.from({ length: n }, (_, k) => k);
    const { product, gemm } = await run(again, { x: tensor(x, { type: "float32", dims: [1, n] }) });
    const [columns, rows] = [new Float32Array(n), new Float32Array(n)];
    for (let r = 0; r < n; r++) {
      columns[(r * 7 + 3) % n]! += 2 * r;
      rows[r] = 2 * ((r * 7 + 3) % n) + 1;
    }
    expect(product!.data).toEqual(columns);
    expect(gemm!.data).toEqual(rows);
  });

  it("500 layers build, write, load and run", async () => {
    const g = graph({ x: float64("N", 4) }, ({ x }) => {
      let layer = x;
      const w = [
        [1, 0, 0, 0],
        [0, 1, 0, 0],
        [0, 0, 1, 0],
        [1, 0, 0, 1],
      ];
      for (let k = 0; k < 500; k++) layer = layer.affine(w, [0, 0, 0, 0]).relu();
      return { y: layer };
    });
    const again = readModel(writeModel(g));
    const { y } = await run(again, { x: tensor([[1, 2, 3, 4]]) });
    expect([...numbers(y!)]).toEqual([1, 2, 3, 504]);
    expect(sizes(again)).toMatchObject({ depth: 499, hiddenUnits: 499 * 4 });
  });
});
