// Types of elements: integers that lose a fraction or leave their range, casts that round, numbers that are none.
import { describe, expect, it } from "vitest";
import { linearBounds } from "../../../src/bounds/linear.ts";
import { GraphError } from "../../../src/graph/error.ts";
import { dataTypes, numbers, tensor } from "../../../src/graph/tensor.ts";
import { constantTensor } from "../../../src/passes/interval/tensor.ts";
import { intervalPass } from "../../../src/passes/interval.ts";
import { piecesAlong } from "../../../src/passes/pieces.ts";
import { boxSlice, planeRegions } from "../../../src/passes/regions/index.ts";
import { graphWith, nodeWith, runGraph } from "../../graph/operators-runtime.ts";
import { expectBounded, int, of, oneNode, output } from "./one-node.ts";

describe("integers", () => {
  it("of a power lose their fraction", async () => {
    const base = of("int64", [2, 3, -3, 1]);
    await expectBounded(oneNode("Pow", { base }, {}, { exponent: of("int64", [-1, 2, 3, -4]) }), { base });
  });

  it("that may leave their type are refused", () => {
    const a = of("uint8", [3]);
    const graph = oneNode("Sub", { a }, {}, { b: of("uint8", [4]) });
    expect(() => intervalPass(graph, new Map([["a", constantTensor(a)]]))).toThrow(
      /Sub node.*range of uint8/,
    );
    expect(() => piecesAlong(graph, { a }, { a })).toThrow(/Sub node.*range of uint8/);
    const x = of("float32", [-1.5]);
    const cast = oneNode("Cast", { x }, { to: int(dataTypes.indexOf("uint8")) });
    expect(() => intervalPass(cast, new Map([["x", constantTensor(x)]]))).toThrow(
      /Cast node.*range of uint8/,
    );
  });
});

describe("a cast to a narrower float", () => {
  const x = of("float32", [1 / 3, -1000.1, 1e-9, 2]);
  it.each(["float16", "bfloat16"] as const)("to %s rounds", async (type) => {
    const graph = graphWith({
      inputs: [{ name: "x", type: { type: "float32", shape: [4] } }],
      nodes: [
        nodeWith("Cast", ["x"], ["narrow"], { to: int(dataTypes.indexOf(type)) }),
        { ...nodeWith("Cast", ["narrow"], ["y"], { to: int(dataTypes.indexOf("float32")) }), name: "back" },
      ],
      outputs: [output("y")],
    });
    const y = await expectBounded(graph, { x });
    expect([y.lower[3], y.upper[3]]).toEqual([2, 2]);
    expect(() => piecesAlong(graph, { x }, { x })).toThrow(new RegExp(`Cast node.*rounds to ${type}`));
    await expect(planeRegions(graph, boxSlice([0, 0, 0, 0], [1, 1, 0, 0]))).rejects.toThrow(/Cast node/);
    const { lower, upper } = linearBounds(graph, { lower: numbers(x), upper: numbers(x) });
    const computed = numbers((await runGraph(graph, new Map([["x", x]]))).get("y")!);
    computed.forEach((v, k) => {
      expect(lower[k]! <= v && v <= upper[k]!, `y[${k}] is ${v}`).toBe(true);
    });
  });

  it("to 8 bits is refused", () => {
    const graph = oneNode("Cast", { x }, { to: int(dataTypes.indexOf("float8e4m3fn")) });
    expect(() => intervalPass(graph, new Map([["x", constantTensor(x)]]))).toThrow(/Cast node.*float8e4m3fn/);
  });

  it.each([
    ["float16", 60000],
    ["bfloat16", 2 ** 100],
    ["float32", 2 ** 127],
  ] as const)("%s: a clip without an end leaves its greatest numbers as they are", (type, size) => {
    const clipped = of(type, [size, -size]);
    const { lower, upper } = intervalPass(
      oneNode("Clip", { x: clipped }),
      new Map([["x", constantTensor(clipped)]]),
    ).get("y")!;
    expect([...lower]).toEqual([size, -size].map((v) => (type === "float16" ? v : Math.fround(v))));
    expect([...upper]).toEqual([...lower]);
  });

  it("like an integer is no identity to regions", async () => {
    const u = of("float32", [0.5]);
    const graph = oneNode("CastLike", { u }, {}, { like: of("int32", [1]) });
    await expect(planeRegions(graph, boxSlice([0], [2]))).rejects.toThrow(/CastLike node.*int32/);
  });
});

describe("numbers that are none", () => {
  it("have no type that a tensor could have", () => {
    expect(() => tensor([1], { type: "undefined" as never })).toThrow(GraphError);
  });
});
