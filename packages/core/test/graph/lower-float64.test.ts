// f64 graphs run although the runtime lacks kernels; everything else stays as it was.
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { float32, float64, graph } from "../../src/graph/builder.ts";
import { definitionOf, definitions, rewrite } from "../../src/graph/definitions/index.ts";
import { GraphError } from "../../src/graph/error.ts";
import { type Graph, subgraphs } from "../../src/graph/graph.ts";
import { inferTypes } from "../../src/graph/infer.ts";
import { lowerFloat64, withoutFloat64 } from "../../src/graph/lower-float64.ts";
import { type OperatorName, operators } from "../../src/graph/operators/index.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { definedGraph, inFloat64 } from "./definitions-runtime.ts";
import { operatorCases } from "./operators-cases.ts";
import {
  feedsOf,
  graphOfCase,
  graphWith,
  inSingleOnly,
  nodeWith,
  ramp,
  runGraph,
} from "./operators-runtime.ts";

const value = (name: string) => ({ name, type: { type: "float64" as const, shape: ["N", 2] } });
const opsOf = (g: Graph): string[] => g.nodes.flatMap((node) => [node.op, ...subgraphs(node).flatMap(opsOf)]);

describe("lowerFloat64", () => {
  it("leaves f32 graphs, and f64 graphs that the runtime can compute, as they are", () => {
    const narrow = graph({ x: float32("N", 2) }, ({ x }) => ({ y: x.op("Erf") }));
    const simple = graph({ x: float64("N", 2) }, ({ x }) => ({ y: x.relu() }));
    const mixed = graph({ x: float32("N", 2), z: float64("N", 2) }, ({ x, z }) => ({
      y: x.op("Erf"),
      w: z.exp(),
    }));
    for (const g of [narrow, simple, mixed]) expect(lowerFloat64(g)).toBe(g);
  });

  it("gives the same graph for the same graph, and for its own result", () => {
    const g = graph({ x: float64("N", 2) }, ({ x }) => ({ y: x.op("Erf") }));
    expect(lowerFloat64(g)).not.toBe(g);
    expect(lowerFloat64(g)).toBe(lowerFloat64(g));
    expect(lowerFloat64(lowerFloat64(g))).toBe(lowerFloat64(g));
  });

  it("changes only the f64 nodes of a mixed graph", () => {
    const g = graph({ x: float32("N", 2), z: float64("N", 2) }, ({ x, z }) => ({
      y: x.op("Erf"),
      w: z.op("Erf"),
    }));
    const kept = lowerFloat64(g).nodes.filter(({ op }) => op === "Erf");
    expect(kept.map(({ outputs }) => outputs)).toEqual([["y"]]);
  });

  it("writes definitions out to the end: Gelu by Erf, Mish by Softplus", () => {
    const g = graph({ x: float64("N", 2) }, ({ x }) => ({ y: x.op("Gelu"), z: x.op("Mish") }));
    const ops = new Set(opsOf(lowerFloat64(g)));
    for (const op of Object.keys(withoutFloat64)) expect(ops).not.toContain(op);
  });

  it("knows every operator that the runtime refuses in f64, and no other", async () => {
    /** Random, or (bodies) declared in f32 by the case itself. */
    const left: readonly string[] = ["Multinomial", "Loop", "Scan"];
    /** These run, but in f32. */
    const inFloat32: readonly string[] = ["GroupNormalization", "Shrink"];
    /**
     * What has no f64 form to lower: the scale that DynamicQuantizeLinear gives and the outputs of Binarizer's and
     * LinearRegressor's kind are f32 by the standard; QuantizeLinear, DequantizeLinear and the QLinear operators take
     * scales of 32 bits or fewer; RotaryEmbedding is defined for float16, bfloat16 and float32 alone.
     */
    const single: readonly string[] = [
      ...["QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "QLinearMatMul", "QLinearConv"],
      ...["RotaryEmbedding", "Binarizer", "LinearRegressor"],
    ];
    const listed: readonly string[] = Object.keys(withoutFloat64);
    const wrong: string[] = [];
    for (const op of Object.keys(operators) as OperatorName[]) {
      const usage = operatorCases[op].find(({ inputs }) =>
        inputs.some((t) => t !== "" && t.type === "float32"),
      );
      if (!usage || [...left, ...inFloat32, ...single].includes(op)) continue;
      const wide = inFloat64(op, usage);
      const runs = await runGraph(graphOfCase(op, wide), feedsOf(wide)).then(
        () => true,
        () => false,
      );
      if (runs === listed.includes(op)) wrong.push(op);
    }
    expect(wrong).toEqual([]);
  });

  it("computes Shrink in f64, which the runtime does in f32", async () => {
    const shrink = graph({ x: float64(2) }, ({ x }) => ({
      y: x.op("Shrink", [], { lambd: 0.5, bias: 0.5 }),
    }));
    const { y } = await run(shrink, { x: tensor([1.1, -1.3]) });
    expect(Array.from(numbers(y!))).toEqual([1.1 - 0.5, -1.3 + 0.5]);
  });

  it("computes GroupNormalization of opset 21 in f64, which the runtime does in f32", async () => {
    const usage = {
      inputs: [ramp([2, 4, 9], "float64"), ramp([4], "float64"), ramp([4], "float64")],
      attributes: { num_groups: 2 },
    };
    const g: Graph = { ...graphOfCase("GroupNormalization", usage), opsets: new Map([["", 21]]) };
    const { y0 } = await run(g, Object.fromEntries(feedsOf(usage)));
    const x = Array.from(numbers(usage.inputs[0]!).slice(0, 18));
    const mean = x.reduce((a, b) => a + b, 0) / 18;
    const variance = x.reduce((sum, v) => sum + (v - mean) ** 2, 0) / 18;
    const [scale, bias] = [numbers(usage.inputs[1]!), numbers(usage.inputs[2]!)];
    const exact = x.map((v, k) => {
      const c = Math.floor(k / 9);
      return ((v - mean) / Math.sqrt(variance + Math.fround(1e-5))) * scale[c]! + bias[c]!;
    });
    exact.forEach((v, k) => void expect(numbers(y0!)[k]).toBeCloseTo(v, 13));
  });
});

describe("rewrite", () => {
  it("keeps the names of inputs, outputs, weights and of the values of other nodes", async () => {
    const g = graphWith({
      inputs: [value("x")],
      nodes: [
        nodeWith("Mul", ["x", "w"], ["x/mul"]),
        nodeWith("Erf", ["x/mul"], ["mul"]),
        nodeWith("Add", ["mul", "x"], ["y"]),
      ],
      initializers: new Map([["w", tensor([0.5, 2])]]),
      outputs: [value("y"), value("mul")],
    });
    const lowered = lowerFloat64(g);
    expect(lowered.inputs).toEqual(g.inputs);
    expect(lowered.outputs).toEqual(g.outputs);
    expect(lowered.initializers.get("w")).toBe(g.initializers.get("w"));
    const made = lowered.nodes.flatMap(({ outputs }) => outputs);
    expect(made).toEqual(expect.arrayContaining(["x/mul", "mul", "y"]));
    expect(new Set(made).size).toBe(made.length);
    const { y, mul } = await run(g, { x: tensor([[0.2, 0.3]]) });
    expect(numbers(mul!)[0]).toBeCloseTo(0.1124629160182849, 15);
    expect(numbers(y!)[0]).toBeCloseTo(0.3124629160182849, 15);
  });

  it("copies a result that is an input, or that is wanted twice", async () => {
    const g = graphOfCase("Dropout", { inputs: [ramp([2, 3])], outputs: 2 });
    const written = rewrite(g, definitionOf);
    expect(opsOf(written)).not.toContain("Dropout");
    const results = await runGraph(written, new Map([["x0", ramp([2, 3])]]));
    expect(results.get("y0")!.data).toEqual(ramp([2, 3]).data);
    expect([...results.get("y1")!.data]).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it("reaches into branches and bodies, where values from outside keep their types", async () => {
    const body = graphWith({
      name: "body",
      inputs: [
        { name: "turn", type: { type: "int64", shape: [] } },
        { name: "goes_on", type: { type: "bool", shape: [] } },
        { name: "state", type: { type: "float64" } },
      ],
      nodes: [
        nodeWith("Identity", ["goes_on"], ["still"]),
        nodeWith("Erf", ["state"], ["mul"]),
        nodeWith("Conv", ["x", "kernel"], ["smooth"]),
        nodeWith("Add", ["mul", "smooth"], ["next"]),
      ],
      outputs: [
        { name: "still", type: { type: "bool" } },
        { name: "next", type: { type: "float64" } },
      ],
    });
    const trips = tensor([2], { type: "int64", dims: [] });
    const g = graphWith({
      inputs: [{ name: "x", type: { type: "float64", shape: ["N", 1, 3] } }],
      nodes: [nodeWith("Loop", ["trips", "", "x"], ["y"], { body: { type: "graph", value: body } })],
      initializers: new Map([
        ["trips", trips],
        ["kernel", tensor([[[2]]])],
      ]),
      outputs: [{ name: "y", type: { type: "float64" } }],
    });
    expect(opsOf(lowerFloat64(g))).not.toContain("Erf");
    expect(opsOf(lowerFloat64(g))).not.toContain("Conv");
    const { y } = await run(g, { x: tensor([[[0, 0, 0]]]) });
    expect([...numbers(y!)]).toEqual([0, 0, 0]);
    const erf = async (v: number) => {
      const plain = graph({ x: float64("N", 1, 3) }, ({ x }) => ({ y: x.op("Erf") }));
      return numbers((await run(plain, { x: tensor([[[v, 0, 0]]]) })).y!)[0]!;
    };
    const twice = await run(g, { x: tensor([[[0.1, 0, 0]]]) });
    expect(numbers(twice.y!)[0]).toBe((await erf((await erf(0.1)) + 0.2)) + 0.2);
  });

  it("refuses in one line, as a GraphError, what has no definition", () => {
    const wide = inFloat64("Conv", operatorCases.Conv[0]!);
    const open = graphOfCase("Conv", wide, (t, k) => ({
      type: t.type,
      shape: k === 0 ? ["N", 4, "H", 6] : t.dims,
    }));
    expect(() => lowerFloat64(open)).toThrow(GraphError);
    expect(() => lowerFloat64(open)).toThrow(
      /^Conv node "the Conv": axis 2 of its \w+ "\w+" must be a number, not ".+"$/,
    );
  });

  it("uses operators with plain derivatives, and others only for positions and conditions", () => {
    const smooth =
      "Add Sub Mul Div Pow Exp Log Sqrt Tanh Sigmoid Max Min Abs Where MatMul Reshape Transpose Gather Concat Slice " +
      "Pad Split Expand ReduceSum ReduceMean ReduceMax Neg Squeeze Unsqueeze Relu Sin Cos Identity";
    const discrete =
      "Less Greater LessOrEqual GreaterOrEqual Equal Not IsInf Shape Range ConstantOfShape ArgMax Round Floor Cast";
    const plain = new Set([...smooth.split(" "), ...discrete.split(" ")]);
    const composite = new Set<string>();
    for (const op of (Object.keys(definitions) as OperatorName[]).filter((name) => !inSingleOnly.has(name)))
      for (const usage of operatorCases[op]) {
        const written = attempt(() => definedGraph(op, usage));
        for (const used of written ? opsOf(written) : [])
          if (!plain.has(used)) composite.add(`${op} by ${used}`);
      }
    expect([...composite].toSorted()).toEqual([
      "Acos by Atan",
      "Asin by Atan",
      "Gelu by Erf",
      "Mish by Softplus",
      "NonZero by NonZero",
      "OneHot by OneHot",
    ]);
  });

  it("tells the shapes that it was told", () => {
    for (const op of ["Conv", "LSTM", "LayerNormalization", "DepthToSpace"] as const) {
      const usage = operatorCases[op][0]!;
      const expected = inferTypes(graphOfCase(op, usage)).get("y0");
      expect(inferTypes(definedGraph(op, usage)).get("y0")).toEqual(expected);
    }
  });
});

/** What a definition refuses is tested elsewhere. */
function attempt<T>(f: () => T): T | undefined {
  try {
    return f();
  } catch (error) {
    if (error instanceof GraphError) return undefined;
    throw error;
  }
}
