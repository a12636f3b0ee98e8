import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { float32, float64, graph } from "../../src/graph/builder.ts";
import { type Graph, requiredInputs, type TensorType } from "../../src/graph/graph.ts";
import { readModel, writeModel } from "../../src/graph/onnx/index.ts";
import { elementCount, numbers, tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import {
  complexity,
  graphOf,
  layer,
  layersOf,
  network,
  sparseLayer,
} from "../../src/networks/layers/layers.ts";
import { randomNetwork } from "../../src/networks/layers/random.ts";
import { createRandom } from "../../src/numbers/random.ts";

/** The greatest relative difference between a graph and its layers at random points. */
async function misread(source: Graph, count = 20): Promise<number> {
  const layered = graphOf(layersOf(source));
  const input = requiredInputs(source)[0]!;
  const { type, shape } = input.type as TensorType;
  const dims = shape!.map((s) => (typeof s === "number" ? s : 1));
  const random = createRandom(1);
  let worst = 0;
  for (let k = 0; k < count; k++) {
    const x = random.uniform(elementCount(dims)).map((u) => 2 * u - 1);
    const given = tensor(x, { type: type as "float32", dims });
    const theirs = await run(source, { [input.name]: given });
    const mine = await run(layered, {
      x: tensor(Float64Array.from(numbers(given)), { dims: [1, x.length] }),
    });
    const [a, b] = [Array.from(numbers(Object.values(theirs)[0]!)), Array.from(numbers(mine["y"]!))];
    expect(b).toHaveLength(a.length);
    const size = a.reduce((m, v) => Math.max(m, Math.abs(v)), 1e-300);
    worst = b.reduce((m, v, j) => Math.max(m, Math.abs(v - a[j]!) / size), worst);
  }
  return worst;
}

const w1 = [
  [1, -2, 0],
  [0.5, 3, 1],
];
const w2 = [[1], [-1], [2]];
const written: Record<string, (x: Value) => Value> = {
  "Gemm, Relu, Gemm": (x) =>
    x
      .affine(
        w1.map((r) => r.slice(0, 2)),
        [1, -1],
      )
      .relu()
      .affine([[2, 1]]),
  "MatMul and Add": (x) => x.matmul(w1).add([1, 0, -1]).relu().matmul(w2).add([3]),
  "a constant added from the left": (x) =>
    x.builder
      .apply("Add", [tensor([1, 2]), x])[0]!
      .relu()
      .affine([[1, 1]]),
  "normalisation by Sub and Div": (x) =>
    x
      .sub([1, 2])
      .div([2, 4])
      .affine([[1, 1]])
      .relu()
      .affine([[3]]),
  "Gemm with alpha, beta and no transposition": (x) =>
    x
      .op("Gemm", [w1, [[1, 2, 3]]], { alpha: 0.5, beta: -2 })
      .relu()
      .matmul(w2),
  "Mul, Neg, Sub of two functions": (x) =>
    x
      .mul(3)
      .sub(x.neg())
      .relu()
      .affine([[1, 1]]),
  "Flatten, Reshape, Unsqueeze and Squeeze": (x) =>
    x
      .op("Unsqueeze", [tensor([0, 3], { type: "int64" })])
      .op("Flatten", [], { axis: 2 })
      .reshape([1, -1])
      .relu()
      .affine([[1, 2]]),
  "Gather, Concat and ReduceSum": (x) =>
    x
      .gather([1, 0, 1], 1)
      .concat([x, x.mul(2)], 1)
      .relu()
      .matmul(Array.from({ length: 7 }, (_, k) => [k, 1]))
      .sum([1], 1),
  "an activation at the end": (x) => x.affine([[1, 1]]).relu(),
  "an affine map": (x) => x.affine([[1, 2]], [3]),
  "an unused branch": (x) => {
    x.op("Softmax");
    return x
      .affine([[1, 1]])
      .relu()
      .affine([[2]]);
  },
};

describe("the layers of a graph", () => {
  it.each(Object.entries(written))("are read off %s", async (_, body) => {
    const source = graph({ x: float64(1, 2) }, ({ x }) => ({ y: body(x) }));
    expect(await misread(source)).toBeLessThan(1e-14);
  });

  it("come back from a file, for random networks of every activation", () => {
    const names = [
      "relu",
      "tanh",
      "logistic",
      "elu",
      "arctan",
      "leakyRelu(0.3)",
      "isru(2)",
      "repu(3)",
    ] as const;
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom(...names), (seed, activation) => {
        const net = randomNetwork(createRandom(seed), [2, 4, 3, 2], { activation });
        expect(layersOf(readModel(writeModel(net)))).toEqual(layersOf(net));
      }),
      { numRuns: 40 },
    );
  });

  it("come back from a file with a large sparse matrix", () => {
    const entries = Array.from({ length: 800 }, (_, k) => [k % 300, (11 * k) % 400, k + 1] as const);
    const net = network([sparseLayer(300, 400, entries), layer([Array<number>(300).fill(1)])]);
    expect(net.nodes[0]!.op).toBe("Gather");
    expect(layersOf(readModel(writeModel(net)))).toEqual(layersOf(net));
  });

  const refused: readonly (readonly [string, (x: Value) => Value, RegExp])[] = [
    ["a softmax", (x) => x.affine([[1, 1]]).op("Softmax"), /layers pass cannot read Softmax node "softmax"/],
    [
      "a skip connection",
      (x) => x.relu().add(x),
      /Add node "add" joins values before and after an activation/,
    ],
    [
      "two activations side by side",
      (x) => x.relu().add(x.neg().relu()),
      /Relu node "relu_2" is a second activation beside layer 1/,
    ],
    [
      "two kinds of activation",
      (x) => x.relu().add([1, 1]).tanh(),
      /Tanh node "tanh": tanh after layers of relu/,
    ],
    ["a product of functions", (x) => x.mul(x), /Mul node "mul" is not affine/],
  ];
  it.each(refused)("are refused for %s, and the node is named", (_, body, message) => {
    const source = graph({ x: float64(1, 2) }, ({ x }) => ({ y: body(x) }));
    expect(() => layersOf(source)).toThrow(message);
  });

  it("need one input and one output", () => {
    const two = graph({ x: float64(1, 2), z: float64(1, 2) }, ({ x, z }) => ({ y: x.add(z) }));
    expect(() => layersOf(two)).toThrow("a chain of layers has one input");
    const outputs = graph({ x: float64(1, 2) }, ({ x }) => ({ y: x.neg(), z: x.relu() }));
    expect(() => layersOf(outputs)).toThrow("a chain of layers has one output");
  });

  it("are exact unless a merge rounded", () => {
    const merged = (c: number) => graph({ x: float64("N", 1) }, ({ x }) => ({ y: x.mul(c).affine([[c]]) }));
    expect(layersOf(merged(0.5)).exact).toBe(true);
    expect(layersOf(merged(0.1)).exact).toBe(false);
  });

  it("of a float32 graph are its stored weights", () => {
    const source = graph({ x: float32("N", 1) }, ({ x }) => ({ y: x.affine([[0.1]], [0.2]) }));
    expect([...layersOf(source).layers[0]!.bias]).toEqual([Math.fround(0.2)]);
  });
});

const models = new URL("../../../../../shared/models/", import.meta.url);
const load = (file: string): Graph => readModel(readFileSync(new URL(file, models)));

describe.skipIf(!existsSync(models))("the layers of published models", () => {
  it.each([
    ["ACASXU_run2a_1_1_batch_2000.onnx", [5, 50, 50, 50, 50, 50, 50, 5]],
    ["mnist-net_256x2.onnx", [784, 256, 256, 10]],
    ["test_small.onnx", [1, 2, 2, 1]],
    ["test_nano.onnx", [1, 1, 1]],
  ])("%s: architecture and function", async (file, architecture) => {
    const model = load(file);
    expect(complexity(model).architecture).toEqual(architecture);
    expect(await misread(model, 5)).toBeLessThan(1e-4); // the model computes in float32
  });

  it("a convolutional network is refused by the name of its node", () => {
    expect(() => layersOf(load("Convnet_maxpool.onnx"))).toThrow(/layers pass cannot read \w+ node "/);
  });
});
