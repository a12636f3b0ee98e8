// Floating-point operations against counts by hand, and the price of a gradient.
import { describe, expect, it } from "vitest";
import { float64, graph, int64 } from "../../src/graph/builder.ts";
import type { OperatorName } from "../../src/graph/operators/index.ts";
import { tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import { cost } from "../../src/passes/cost.ts";
import { gradient } from "../../src/passes/gradient.ts";
import { operatorCases } from "../graph/operators-cases.ts";
import { graphOfCase } from "../graph/operators-runtime.ts";
import { randomTensor } from "./gradient-check.ts";

const flops = (shapes: readonly (readonly number[])[], f: (...x: Value[]) => Value): number => {
  const names = shapes.map((_, k) => `x${k}`);
  const types = Object.fromEntries(names.map((name, k) => [name, float64(...shapes[k]!)]));
  return cost(graph(types, (x) => ({ y: f(...names.map((name) => x[name]!)) }))).flops;
};

describe("cost", () => {
  it("counts products of matrices as 2 m n k", () => {
    expect(
      flops(
        [
          [2, 3],
          [3, 5],
        ],
        (a, b) => a!.matmul(b!),
      ),
    ).toBe(2 * 2 * 3 * 5);
    expect(
      flops(
        [
          [7, 2, 3],
          [3, 5],
        ],
        (a, b) => a!.matmul(b!),
      ),
    ).toBe(7 * 2 * 2 * 3 * 5);
    expect(flops([[3, 2], [5, 3], [5]], (a, b, c) => a!.op("Gemm", [b!, c!], { transA: 1, transB: 1 }))).toBe(
      2 * 2 * 3 * 5 + 10,
    );
    const equation = "bij,bjk->bik";
    expect(
      flops(
        [
          [7, 2, 3],
          [7, 3, 5],
        ],
        (a, b) => a!.op("Einsum", [b!], { equation }),
      ),
    ).toBe(7 * 2 * 2 * 3 * 5);
  });
  it("counts convolutions as 2 out k cin / group", () => {
    const group = { group: 2, kernel_shape: [3, 3] };
    expect(
      flops(
        [
          [1, 4, 7, 6],
          [6, 2, 3, 3],
        ],
        (x, w) => x!.op("Conv", [w!], group),
      ),
    ).toBe(2 * (6 * 5 * 4) * 9 * 2);
    expect(
      flops(
        [
          [1, 4, 7, 6],
          [4, 3, 3, 3],
        ],
        (x, w) => x!.op("ConvTranspose", [w!], group),
      ),
    ).toBe(2 * (4 * 7 * 6) * 9 * 3);
  });
  it("counts one an element, moves for nothing, and integers not at all", () => {
    expect(flops([[4, 3]], (x) => x!.exp().transpose().reshape([12]))).toBe(12);
    expect(flops([[4, 3], [3]], (x, y) => x!.op("Sum", [y!, y!]))).toBe(24);
    expect(flops([[4, 3]], (x) => x!.sum([1]))).toBe(12);
    expect(cost(graph({ n: int64(5) }, ({ n }) => ({ y: n.add(n) }))).flops).toBe(0);
  });
  it("counts both products of attention and its softmax: 2 heads, 3 queries of 4, 5 keys, values of 6", () => {
    const whole = flops(
      [
        [1, 2, 3, 4],
        [1, 2, 5, 4],
        [1, 2, 5, 6],
      ],
      (q, k, v) => q!.op("Attention", [k!, v!]),
    );
    expect(whole).toBe(2 * (2 * 3 * 5) * 4 + 5 * (2 * 3 * 5) + 2 * (2 * 3 * 5) * 6);
  });
  // By the cases of `operators-cases`, in their order.
  const byHand: Partial<Record<OperatorName, readonly number[]>> = {
    // 24 squares, sums, quotients and products with the scale.
    RMSNormalization: [4 * 24, 4 * 24],
    // Pairs (a, b): a c - b s and a s + b c; the last case turns 4 of 6 numbers of each of 24 heads.
    RotaryEmbedding: [6 * 72, 6 * 72, 6 * 48, 24 * 2 * 6],
    // 24 quotients, whole numbers and ends.
    QuantizeLinear: [3 * 24, 3 * 24, 3 * 24, 3 * 24],
    // Least and greatest, then the same.
    DynamicQuantizeLinear: [5 * 24],
    // [2, 3] times [3, 2].
    QLinearMatMul: [2 * 2 * 3 * 2],
    // 2 filters of 2 x 2 at 3 x 3 places, and a bias.
    QLinearConv: [2 * 9 * (2 * 4 + 1)],
    Scaler: [2 * 6, 2 * 6, 2 * 3],
    Binarizer: [6],
    // A size, a comparison or sum, a quotient.
    Normalizer: [3 * 6, 3 * 6, 3 * 6],
    ArrayFeatureExtractor: [0, 0],
    // 2 rows of 3 features, 2 results with intercepts; a softmax takes 5 an entry, a sigmoid 1.
    LinearRegressor: [2 * 2 * (2 * 3 + 1)],
    LinearClassifier: [28, 28 + 5 * 4, 28 + 4],
    // 5 rows, 3 branches in all; two results with a sigmoid each, three classes with a softmax.
    TreeEnsembleRegressor: [15, 15, 15, 15 + 10],
    TreeEnsembleClassifier: [15, 15 + 5 * 15],
  };
  it.each(Object.entries(byHand))("counts %s by hand", (name, counts) => {
    const op = name as OperatorName;
    expect(operatorCases[op].map((usage) => cost(graphOfCase(op, usage)).flops)).toEqual(counts);
  });
  it("counts DequantizeLinear by hand: a difference if there is a zero point, and a product", () => {
    const scale = tensor([0.5], { type: "float32", dims: [] });
    const zero = tensor([3], { type: "uint8", dims: [] });
    const net = (inputs: readonly (typeof scale)[]) =>
      graph({ x: { type: "uint8", shape: [2, 3, 4] } }, ({ x }) => ({
        y: x.op("DequantizeLinear", [...inputs]),
      }));
    expect([cost(net([scale])).flops, cost(net([scale, zero])).flops]).toEqual([24, 48]);
  });
  it("takes open dimensions from its options, and asks for them", () => {
    const net = graph({ x: float64("N", 3) }, ({ x }) => ({ y: x.relu() }));
    expect(cost(net, { dims: { x: [8, 3] } })).toEqual({ flops: 24, byOperator: { Relu: 24 } });
    expect(() => cost(net)).toThrow(/Relu node .* the shape of "y" is not known; give the dims/);
  });
  it.each((Object.keys(operatorCases) as OperatorName[]).filter((op) => !/^(If|Loop|Scan)$/.test(op)))(
    "counts %s",
    (op) => {
      for (const usage of operatorCases[op]) {
        if (usage.dependsOnData) continue;
        expect(cost(graphOfCase(op, usage)).flops).toBeGreaterThanOrEqual(0);
      }
    },
  );
});

describe("a gradient costs at most four times the function", () => {
  const ratio = (net: ReturnType<typeof graph>, dims: Record<string, number[]>): number =>
    cost(gradient(net, { wrt: "both", unitSeeds: true }), { dims }).flops / cost(net, { dims }).flops;
  const weights = (rows: number, columns: number) => randomTensor([rows, columns], rows + columns);

  it("for a network of dense layers", () => {
    const net = graph({ x: float64("N", 20) }, ({ x }) => ({
      y: x
        .affine(weights(30, 20), tensor(new Float64Array(30)))
        .relu()
        .affine(weights(30, 30))
        .tanh()
        .affine(weights(10, 30))
        .op("ReduceLogSumExp", [tensor([1], { type: "int64" })]),
    }));
    expect(ratio(net, { x: [16, 20] })).toBeLessThanOrEqual(4);
  });
  it.each(["ReduceSum", "ReduceMean", "ReduceMax", "ReduceProd", "ReduceL2", "ReduceLogSumExp"] as const)(
    "for a layer and %s",
    (op) => {
      const axes = tensor([1], { type: "int64" });
      const net = graph({ x: float64("N", 16) }, ({ x }) => ({
        y: x.affine(weights(16, 16)).op(op, [axes]),
      }));
      expect(ratio(net, { x: [8, 16] })).toBeLessThanOrEqual(4);
    },
  );
  it("for rows picked from a table", () => {
    const table = weights(50, 16);
    const net = graph({ at: int64("N") }, ({ at }) => ({
      y: at.builder.weight(table, "table").op("Gather", [at]).affine(weights(4, 16)).relu(),
    }));
    expect(ratio(net, { at: [32] })).toBeLessThanOrEqual(4);
  });
});
