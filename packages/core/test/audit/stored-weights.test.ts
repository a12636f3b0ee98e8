import { describe, expect, it } from "vitest";
import { auditModel } from "../../src/audit/audit-model.ts";
import { codeLength } from "../../src/audit/code-length.ts";
import type { Attribute, Graph, Node } from "../../src/graph/graph.ts";
import { readModel, writeModel } from "../../src/graph/index.ts";
import {
  type DataType,
  type Nested,
  type SparseTensor,
  type Tensor,
  tensor,
} from "../../src/graph/tensor.ts";
import { twoMoons } from "../../src/train/data/plane.ts";

const node = (
  op: string,
  inputs: readonly string[],
  output: string,
  attributes: Readonly<Record<string, Attribute>> = {},
): Node => ({
  ...{ op, domain: "", name: output, inputs, outputs: [output] },
  attributes: new Map(Object.entries(attributes)),
});
const of = (values: Nested, type: DataType = "float32"): Tensor =>
  tensor(values as number[], { type: type as "float32" });
const rows = { type: "float32", shape: ["N", 2] } as const;
const net = (
  nodes: readonly Node[],
  initializers: Readonly<Record<string, Tensor | SparseTensor>>,
  inputs: Graph["inputs"] = [{ name: "x", type: rows }],
): Graph => ({
  ...{ name: "hand", inputs, nodes, outputs: [{ name: nodes.at(-1)!.outputs[0]!, type: rows }] },
  ...{ initializers: new Map(Object.entries(initializers)), valueTypes: new Map(), metadata: new Map() },
  ...{ opsets: new Map([["", 19]]), irVersion: 9, functions: [] },
});
const square = (a: number): Tensor =>
  of([
    [a, -2],
    [0.5, 1],
  ]);
const examples = twoMoons(60, { seed: 1 });
const quick = { data: examples, sharpnessExamples: 0, pacBayes: true } as const;

describe("the code length of a file", () => {
  it("counts the weights of bodies, constants in them, and outer weights once", async () => {
    const body = (weight: number, output: string): Graph =>
      net(
        [
          node("Constant", [], `${output}/c`, {
            value: { type: "tensor", value: of([0.5, 0.25], "float64") },
          }),
          node("Cast", [`${output}/c`], `${output}/f`, { to: { type: "int", value: 1n } }),
          node("MatMul", ["x", `${output}/W`], `${output}/h`),
          node("Add", [`${output}/h`, `${output}/f`], `${output}/a`),
          node("Add", [`${output}/a`, "b"], output),
        ],
        { [`${output}/W`]: square(weight) },
        [],
      );
    const choice = net(
      [
        node("ReduceSum", ["x"], "sum", { keepdims: { type: "int", value: 0n } }),
        node("Greater", ["sum", "zero"], "isPositive"),
        node("If", ["isPositive"], "y", {
          then_branch: { type: "graph", value: body(1, "t") },
          else_branch: { type: "graph", value: body(3, "e") },
        }),
      ],
      { zero: tensor(0, { type: "float32" }), b: of([0.1, 0.2]) },
    );
    const read = await readModel(writeModel(choice));
    // 2 bodies with 4 weights of 32 bits and 2 of 64; outside 1 and 2 of 32.
    expect(codeLength(read)).toEqual({ count: 15, bits: 2 * (4 * 32 + 2 * 64) + 3 * 32 });
    const { bounds, measures } = await auditModel(read, quick);
    expect(measures.parameters).toBe(14); // a single number is a constant of the architecture
    expect(bounds.find(({ id }) => id === "occam")!.remark).toMatch(/^608 bits for 15 stored numbers/);
    expect(bounds.find(({ id }) => id === "pac-bayes-gaussian")!.remark).toMatch(/cannot be trained anew/);
  });

  it("counts what a sparse weight stores, and where", () => {
    const sparse: SparseTensor = {
      ...{ type: "float32", dims: [2, 2], values: of([1, -1]) },
      indices: BigInt64Array.of(0n, 3n),
    };
    // Two numbers of 32 bits; 0 to 4 of them, each at one of 4 places: 3 bits each time.
    expect(codeLength(net([node("MatMul", ["x", "W"], "y")], { W: sparse }))).toEqual({
      count: 2,
      bits: 2 * 32 + 3 * 3,
    });
  });

  it("counts the entries that a codebook is read at, not those of a shape", () => {
    const codes = net(
      [
        node("Gather", ["book", "codes"], "W"),
        node("MatMul", ["x", "W"], "h"),
        node("Shape", ["x"], "shape"),
        node("Gather", ["shape", "first"], "n"),
        node("Concat", ["n", "n"], "unused", { axis: { type: "int", value: 0n } }),
        node("Relu", ["h"], "y"),
      ],
      {
        book: of([0.5, -0.5, 1]),
        codes: of(
          [
            [0, 1],
            [2, 1],
          ],
          "int32",
        ),
        first: of([0], "int64"),
      },
    );
    expect(codeLength(codes)).toEqual({ count: 7, bits: 3 * 32 + 4 * 32 });
  });
});

describe("a quantized model", () => {
  const whole = (values: Nested): Tensor => of(values, "int8");
  const scalars = {
    ws: tensor(0.05, { type: "float32" }),
    wz: tensor(0, { type: "int8" }),
    W: whole([
      [10, -20, 30],
      [5, 6, 7],
    ]),
    V: whole([
      [10, -20],
      [5, 6],
      [1, 2],
    ]),
  };
  const layers = (x: string): readonly Node[] => [
    node("DequantizeLinear", ["W", "ws", "wz"], "wd"),
    node("MatMul", [x, "wd"], "h"),
    node("Relu", ["h"], "r"),
    node("DequantizeLinear", ["V", "ws", "wz"], "vd"),
    node("MatMul", ["r", "vd"], "y"),
  ];

  it("with whole weights is audited by the weights that it applies", async () => {
    const quantized = await readModel(writeModel(net(layers("x"), scalars)));
    const { measures, bounds } = await auditModel(quantized, quick);
    const norm = (w: readonly number[]): number => 0.05 * Math.hypot(...w);
    expect(measures.frobeniusNorms[0]).toBeCloseTo(norm([10, -20, 30, 5, 6, 7]), 6);
    expect(measures.frobeniusNorms[1]).toBeCloseTo(norm([10, -20, 5, 6, 1, 2]), 6);
    expect(measures.parameters).toBe(12);
    const found = new Map(bounds.map((bound) => [bound.id, bound]));
    expect(found.get("occam")!.remark).toMatch(/^136 bits for 14 stored numbers/); // 13 of 8 bits, a scale of 32
    expect(found.get("spectral-margin")!.value).toBeGreaterThan(0);
    expect(found.get("pac-bayes-gaussian")!.remark).toMatch(/whole numbers/);
  });

  it("whose inputs are rounded too is no chain of layers, and the bounds say which node is in the way", async () => {
    const xs = { xs: tensor(0.02, { type: "float32" }), xz: tensor(0, { type: "int8" }) };
    const rounded = [
      node("QuantizeLinear", ["x", "xs", "xz"], "xq"),
      node("DequantizeLinear", ["xq", "xs", "xz"], "xd"),
      ...layers("xd"),
    ];
    const { bounds } = await auditModel(
      await readModel(writeModel(net(rounded, { ...scalars, ...xs }))),
      quick,
    );
    expect(bounds.find(({ id }) => id === "occam-kl")!.value).toBeLessThanOrEqual(1);
    expect(bounds.find(({ id }) => id === "spectral-margin")!.remark).toMatch(
      /QuantizeLinear "xq" is neither/,
    );
  });
});
