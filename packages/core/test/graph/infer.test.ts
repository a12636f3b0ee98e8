// Shape inference beyond single nodes: shape arithmetic, names of dimensions, subgraphs, contradictions.
import { describe, expect, it } from "vitest";
import { GraphError } from "../../src/graph/error.ts";
import type { Attribute, Graph, Node, Shape, TensorType } from "../../src/graph/graph.ts";
import { inferNode, inferTypes } from "../../src/graph/infer.ts";
import { type DataType, numbers, type Tensor } from "../../src/graph/tensor.ts";
import { bool, float32, graphWith, int64, nodeWith, ramp } from "./operators-runtime.ts";

const typed = (shape?: Shape, type: DataType = "float32"): TensorType => ({ type, shape });
const input = (name: string, shape?: Shape, type: DataType = "float32") => ({
  name,
  type: typed(shape, type),
});
const output = (name: string, shape?: Shape) => ({ name, type: typed(shape) });
const int = (value: number): Attribute => ({ type: "int", value: BigInt(value) });
const weights = (entries: Record<string, Tensor>) => new Map(Object.entries(entries));
const shapeOf = (graph: Graph, name: string, inputs?: Record<string, TensorType>) =>
  inferTypes(graph, inputs && { inputs: new Map(Object.entries(inputs)) }).get(name)?.shape;

/** What PyTorch writes for `x.view(x.shape[0], -1)`. */
const flattening = graphWith({
  inputs: [input("x", ["N", 3, 4])],
  outputs: [output("y")],
  nodes: [
    nodeWith("Shape", ["x"], ["shape"]),
    nodeWith("Gather", ["shape", "zero"], ["batch"]),
    nodeWith("Unsqueeze", ["batch", "axes"], ["batch1"]),
    nodeWith("Concat", ["batch1", "rest"], ["target"], { axis: int(0) }),
    nodeWith("Reshape", ["x", "target"], ["y"]),
  ],
  initializers: weights({ zero: int64([0], []), axes: int64([0]), rest: int64([-1]) }),
});

describe("shape arithmetic", () => {
  it("carries the name of a dimension through Shape, Gather, Concat and Reshape", () => {
    expect(shapeOf(flattening, "y")).toEqual(["N", 12]);
    expect(inferTypes(flattening).get("target")?.entries).toEqual(["N", -1]);
  });
  it("binds a name to a number everywhere", () => {
    expect(shapeOf(flattening, "y", { x: typed([8, 3, 4]) })).toEqual([8, 12]);
    const two = graphWith({
      inputs: [input("a", ["N", 2]), input("b", ["N"])],
      outputs: [output("y", ["N", 2])],
      nodes: [{ ...nodeWith("Mystery", ["a", "b"], ["y"]), domain: "elsewhere" }],
    });
    const types = inferTypes(two, { inputs: new Map([["a", typed([5, 2])]]) });
    expect(types.get("b")?.shape).toEqual([5]);
    expect(types.get("y")?.shape).toEqual([5, 2]);
  });
  it("takes a name with two sizes as unknown rather than as a contradiction", () => {
    const graph = graphWith({ inputs: [input("a", ["?", 2, "?"]), input("b", ["?"])] });
    const types = inferTypes(graph, { inputs: new Map([["a", typed([5, 2, 6])]]) });
    expect(types.get("a")?.shape).toEqual([5, 2, 6]);
    expect(types.get("b")?.shape).toEqual([undefined]);
  });
  it("does not believe what a file states of inner values when an input is not as the file states it", () => {
    const graph = graphWith({
      inputs: [input("x", [1, 3])],
      outputs: [output("y", [1, 3])],
      nodes: [{ ...nodeWith("Mystery", ["x"], ["h"]), domain: "elsewhere" }, nodeWith("Relu", ["x"], ["y"])],
      valueTypes: new Map([["h", typed([1, 7])]]),
    });
    expect(shapeOf(graph, "h")).toEqual([1, 7]);
    expect(shapeOf(graph, "y", { x: typed([5, 3]) })).toEqual([5, 3]);
    expect(shapeOf(graph, "h", { x: typed([5, 3]) })).toBeUndefined();
  });
  it("refuses an input that does not exist, or of another rank", () => {
    expect(() => shapeOf(flattening, "y", { z: typed([1]) })).toThrow('no input "z"; its inputs are "x"');
    expect(() => shapeOf(flattening, "y", { x: typed([1]) })).toThrow(
      'input "x" is declared as [N,3,4], not [1]',
    );
  });
  it("folds arithmetic on shapes", () => {
    const graph = graphWith({
      inputs: [input("x", [2, 3, 4])],
      nodes: [
        nodeWith("Shape", ["x"], ["shape"]),
        nodeWith("ReduceProd", ["shape"], ["count"], { keepdims: int(0) }),
        nodeWith("Div", ["count", "two"], ["half"]),
        nodeWith("Cast", ["half"], ["half32"], { to: int(6) }),
        nodeWith("Equal", ["shape", "minus"], ["isMinus"]),
        nodeWith("Where", ["isMinus", "minus", "shape"], ["chosen"]),
        nodeWith("Expand", ["one", "chosen"], ["big"]),
      ],
      initializers: weights({ two: int64([2], []), minus: int64([-1]), one: float32([1]) }),
    });
    const types = inferTypes(graph);
    expect([...numbers(types.get("half32")!.value!)]).toEqual([12]);
    expect(types.get("half32")!.type).toBe("int32");
    expect(types.get("big")?.shape).toEqual([2, 3, 4]);
  });
  it("keeps names where sizes do not change, and drops them where they do", () => {
    const graph = graphWith({
      inputs: [input("x", ["N", "C", "H", "W"])],
      nodes: [
        nodeWith("MaxPool", ["x"], ["pool"], {
          kernel_shape: { type: "ints", value: [3n, 3n] },
          pads: { type: "ints", value: [1n, 0n, 1n, 0n] },
        }),
        nodeWith("Add", ["x", "bias"], ["sum"]),
        nodeWith("Flatten", ["x"], ["flat"]),
        nodeWith("Transpose", ["x"], ["turned"]),
        nodeWith("Slice", ["x", "zero", "end", "zero"], ["all"]),
      ],
      initializers: weights({ bias: ramp([5, 1, 1]), zero: int64([0]), end: int64([2 ** 31 - 1]) }),
    });
    expect(shapeOf(graph, "pool")).toEqual(["N", "C", "H", undefined]);
    expect(shapeOf(graph, "sum")).toEqual(["N", 5, "H", "W"]);
    expect(shapeOf(graph, "flat")).toEqual(["N", undefined]);
    expect(shapeOf(graph, "turned")).toEqual(["W", "H", "C", "N"]);
    expect(shapeOf(graph, "all")).toEqual(["N", "C", "H", "W"]);
  });
  it("reads a weight that a caller may override as unknown numbers", () => {
    const graph = (irVersion: number) =>
      graphWith({
        inputs: [input("x", [2, 3]), input("shape", [1], "int64")],
        nodes: [nodeWith("Reshape", ["x", "shape"], ["y"])],
        initializers: weights({ shape: int64([-1]) }),
        irVersion,
      });
    expect(shapeOf(graph(9), "y")).toEqual([undefined]);
    expect(shapeOf(graph(3), "y")).toEqual([6]);
  });
  it("remembers the result", () => expect(inferTypes(flattening)).toBe(inferTypes(flattening)));
});

describe("subgraphs", () => {
  const branch = (name: string, nodes: Node[], shape?: Shape): Graph =>
    graphWith({ name, nodes, outputs: [output(`${name}_y`, shape)] });
  const choice = (condition: Tensor | undefined, yes: Graph, no: Graph): Graph =>
    graphWith({
      inputs: [input("x", [1, 3]), ...(condition ? [] : [input("c", [], "bool")])],
      nodes: [
        nodeWith("If", ["c"], ["y"], {
          then_branch: { type: "graph", value: yes },
          else_branch: { type: "graph", value: no },
        }),
      ],
      initializers: weights(condition ? { c: condition } : {}),
    });
  const squeezed = branch("then", [nodeWith("Squeeze", ["x", "last"], ["then_y"])]);
  const broken: Graph = { ...squeezed, initializers: weights({ last: int64([1]) }) };
  const kept = branch("else", [nodeWith("Relu", ["x"], ["else_y"])]);

  it("reads values of the graph around it, and keeps what both branches agree on", () => {
    const other = branch("then", [nodeWith("Concat", ["x", "x"], ["then_y"], { axis: int(0) })]);
    expect(shapeOf(choice(undefined, other, kept), "y")).toEqual([undefined, 3]);
  });
  it("a branch that contradicts itself is no error unless it is taken", () => {
    expect(shapeOf(choice(undefined, broken, kept), "y")).toEqual([1, 3]);
    expect(shapeOf(choice(bool([0], []), broken, kept), "y")).toEqual([1, 3]);
    expect(() => inferTypes(choice(bool([1], []), broken, kept))).toThrow(/cannot drop axis 1 of \[1,3\]/);
  });
  it("nested loops take no exponential time", () => {
    const nested = (depth: number): Graph =>
      graphWith({
        name: `level${depth}`,
        inputs: [input(`i${depth}`, [], "int64"), input(`c${depth}`, [], "bool"), input(`s${depth}`)],
        nodes: [
          nodeWith("Identity", [`c${depth}`], [`k${depth}`]),
          depth === 0
            ? nodeWith("Concat", ["s0", "s0"], ["t0"], { axis: int(0) })
            : nodeWith("Loop", [`i${depth}`, "", `s${depth}`], [`t${depth}`], {
                body: { type: "graph", value: nested(depth - 1) },
              }),
        ],
        outputs: [output(`k${depth}`, []), output(`t${depth}`)],
      });
    const graph = graphWith({
      inputs: [input("m", [], "int64"), input("x", [2, 3])],
      nodes: [nodeWith("Loop", ["m", "", "x"], ["y"], { body: { type: "graph", value: nested(30) } })],
    });
    expect(inferTypes(graph).has("y")).toBe(true); // 2^30 visits would not end in the time of a test
  });
});

describe("hostile graphs", () => {
  it("sizes beyond memory are never allocated", () => {
    const graph = graphWith({
      nodes: [
        nodeWith("Range", ["zero", "huge", "one"], ["range"]),
        nodeWith("ConstantOfShape", ["hugeShape"], ["zeros"]),
        nodeWith("Expand", ["one", "hugeShape"], ["ones"]),
        nodeWith("Tile", ["hugeShape", "hugeTimes"], ["tiled"]),
      ],
      initializers: weights({
        zero: int64([0], []),
        one: int64([1], []),
        huge: int64([1e12], []),
        hugeShape: int64([1e12]),
        hugeTimes: int64([1e12]),
      }),
    });
    expect(shapeOf(graph, "range")).toEqual([1e12]);
    expect(shapeOf(graph, "ones")).toEqual([1e12]);
    expect(shapeOf(graph, "zeros")).toEqual([1e12]);
    expect(inferTypes(graph).get("tiled")?.value).toBeUndefined();
  });
  it("axes that double with each node are given up", () => {
    const nodes = Array.from({ length: 60 }, (_, k) => nodeWith("Gather", [`x${k}`, `x${k}`], [`x${k + 1}`]));
    const graph = graphWith({ inputs: [input("x0", [1, 1, 1], "int64")], nodes });
    expect(shapeOf(graph, "x60")).toBeUndefined();
  });
});

const node = (
  op: string,
  shapes: Shape[],
  attributes: Record<string, Attribute> = {},
  values: (Tensor | undefined)[] = [],
) =>
  inferNode(
    nodeWith(
      op,
      shapes.map((_, k) => `x${k}`),
      ["y"],
      attributes,
    ),
    shapes.map((shape, k) => ({ type: values[k]?.type ?? "float32", shape, value: values[k] })),
  );
const ints = (...value: number[]): Attribute => ({ type: "ints", value: value.map(BigInt) });

describe("contradictions", () => {
  const cases: [string, () => unknown, string][] = [
    [
      "MatMul",
      () =>
        node("MatMul", [
          [2, 3],
          [4, 5],
        ]),
      'MatMul node "the MatMul": cannot multiply [2,3] by [4,5]',
    ],
    [
      "Gemm",
      () =>
        node(
          "Gemm",
          [
            [2, 3],
            [4, 5],
          ],
          { transB: int(1) },
        ),
      "cannot multiply [2,3] by [4,5] transposed",
    ],
    ["Gemm's bias", () => node("Gemm", [[2, 3], [3, 5], [4]]), "cannot broadcast [2,5] with [4]"],
    ["broadcasting", () => node("Add", [["N", 2], [3]]), "cannot broadcast [N,2] with [3]"],
    ["an axis", () => node("Softmax", [[2, 3]], { axis: int(2) }), "axis 2 is outside -2..1"],
    [
      "a window",
      () =>
        node("Conv", [
          [1, 1, 2, 2],
          [1, 1, 3, 3],
        ]),
      "a window of 3 does not fit into 2",
    ],
    [
      "channels",
      () =>
        node("Conv", [
          [1, 3, 9, 9],
          [1, 4, 3, 3],
        ]),
      "has 3 channels, but weights [1,4,3,3]",
    ],
    [
      "groups",
      () =>
        node(
          "Conv",
          [
            [1, 4, 9, 9],
            [3, 2, 3, 3],
          ],
          { group: int(2) },
        ),
      "3 is not a multiple of 2",
    ],
    [
      "Reshape",
      () => node("Reshape", [[2, 3], [2]], {}, [undefined, int64([4, 2])]),
      "cannot reshape [2,3] to [4,2]",
    ],
    [
      "Reshape's rest",
      () => node("Reshape", [[2, 3], [2]], {}, [undefined, int64([4, -1])]),
      "cannot reshape [2,3] to [4,-1]",
    ],
    [
      "Concat",
      () =>
        node(
          "Concat",
          [
            [2, 3],
            [3, 4],
          ],
          { axis: int(0) },
        ),
      "cannot join [2,3] and [3,4] along axis 0",
    ],
    ["Transpose", () => node("Transpose", [[2, 3]], { perm: ints(0, 0) }), "an axis is repeated"],
    [
      "Gather",
      () => node("Gather", [[2], []], {}, [undefined, int64([5], [])]),
      "index 5 is outside axis 0 of [2]",
    ],
    [
      "Einsum",
      () =>
        node(
          "Einsum",
          [
            [2, 3],
            [4, 5],
          ],
          { equation: { type: "string", value: "ij,jk->ik" } },
        ),
      'letter "j" stands for both 3 and 4',
    ],
    ["too few inputs", () => node("MatMul", [[2, 3]]), 'MatMul node "the MatMul" takes 2 inputs, not 1'],
    ["too many inputs", () => node("Relu", [[2], [3]]), "takes 1 input, not 2"],
    [
      "an attribute's type",
      () => node("Softmax", [[2]], { axis: { type: "float", value: 1 } }),
      'attribute "axis" is of type float, not int',
    ],
    ["a missing attribute", () => node("Concat", [[2]]), 'lacks its attribute "axis"'],
  ];
  it.each(cases)("%s", (_, infer, message) => {
    expect(infer).toThrow(GraphError);
    expect(infer).toThrow(message);
  });
  it("what is unsure is no contradiction", () => {
    expect(
      node("MatMul", [
        ["N", "K"],
        ["L", 5],
      ])[0]?.shape,
    ).toEqual(["N", 5]);
    expect(node("Add", [["N"], ["M"]])[0]?.shape).toEqual([undefined]);
    expect(node("Add", [["N"], [7]])[0]?.shape).toEqual([7]);
    expect(node("Add", [["N"], [1]])[0]?.shape).toEqual(["N"]);
  });
  it("an operator of another domain is unknown, never an error", () => {
    const strange = { ...nodeWith("SVMRegressor", ["x"], ["y", "z"]), domain: "ai.onnx.ml" };
    expect(inferNode(strange, [undefined])).toEqual([undefined, undefined]);
  });
});
