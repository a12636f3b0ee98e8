// Gradients of networks that nobody here wrote, end to end: with respect to every input and weight, in f64, against
// central differences.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import {
  type Attribute,
  type Graph,
  isSparse,
  isTensorType,
  type Node,
  requiredInputs,
  type ValueType,
} from "../../src/graph/graph.ts";
import { readModel } from "../../src/graph/onnx/index.ts";
import { dataTypes, isFloat, numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import { canonical } from "../../src/graph/upgrade.ts";
import { cost } from "../../src/passes/cost.ts";
import { gradient } from "../../src/passes/gradient.ts";
import { randomTensor } from "./gradient-check.ts";

const folder = fileURLToPath(new URL("../../../../../shared/models/", import.meta.url));
const models = existsSync(folder)
  ? readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".onnx"))
  : [];
/** What has no gradient, and why. */
const refused: Readonly<Record<string, RegExp>> = {
  "zoo/gbt_model.onnx":
    /^the gradient pass cannot read ai\.onnx\.ml\.TreeEnsembleRegressor node "LgbmRegressor"$/,
  // Its kernel has the wrong rank: the runtime does not load it either.
  "zoo/maxpool_2d.onnx": /^MaxPool node "node1": kernel_shape \[3,2,3\] does not fit an input \[1,3,6,7\]$/,
};
/** It draws a new mask in each run, so that differences between runs say nothing. */
const random = "zoo/dropout_training_mode_true.onnx";
const accepted = models.filter((path) => !(path in refused));

const float64Tensor = (t: Tensor): Tensor =>
  t.type === "float32" ? tensor(Array.from(numbers(t)), { type: "float64", dims: t.dims }) : t;

const float64Type = (t: ValueType): ValueType =>
  isTensorType(t) && t.type === "float32" ? { ...t, type: "float64" } : t;

function float64Attribute(key: string, a: Attribute): Attribute {
  if (a.type === "tensor") return { type: "tensor", value: float64Tensor(a.value) };
  const isType = a.type === "int" && (key === "to" || key === "dtype");
  return isType && dataTypes[Number(a.value)] === "float32" ? { type: "int", value: 11n } : a;
}

/** The same network with all its f32 numbers in f64. */
function inFloat64(original: Graph): Graph {
  const graph = canonical(original);
  const typed = ({ name, type }: { name: string; type: ValueType }) => ({ name, type: float64Type(type) });
  const node = (n: Node): Node => ({
    ...n,
    attributes: new Map([...n.attributes].map(([key, a]) => [key, float64Attribute(key, a)])),
  });
  return {
    ...graph,
    inputs: graph.inputs.map(typed),
    outputs: graph.outputs.map(typed),
    nodes: graph.nodes.map(node),
    valueTypes: new Map([...graph.valueTypes].map(([name, type]) => [name, float64Type(type)])),
    initializers: new Map(
      [...graph.initializers].map(([name, w]) => [name, isSparse(w) ? w : float64Tensor(w)]),
    ),
  };
}

type Tensors = Readonly<Record<string, Tensor>>;

/** Floating-point weights by name. */
const weightsOf = (graph: Graph): Tensors =>
  Object.fromEntries(
    [...graph.initializers].flatMap(([name, w]) => (isSparse(w) || !isFloat(w.type) ? [] : [[name, w]])),
  );

/** The graph with these weights as inputs that must be given. */
function withWeightsAsInputs(graph: Graph, weights: Tensors): Graph {
  const inputs = Object.entries(weights).map(([name, w]) => ({
    name,
    type: { type: w.type, shape: w.dims },
  }));
  return {
    ...graph,
    inputs: [...graph.inputs.filter((i) => !(i.name in weights)), ...inputs],
    initializers: new Map([...graph.initializers].filter(([name]) => !(name in weights))),
  };
}

/** Random inputs; a size that is open is 2. */
function randomInputs(graph: Graph): Tensors {
  const entries = requiredInputs(graph).map(({ name, type }, k) => {
    const dims = ((isTensorType(type) && type.shape) || []).map((d) => (typeof d === "number" ? d : 2));
    return [name, randomTensor(dims, 31 + k)] as const;
  });
  return Object.fromEntries(entries);
}

const dot = (a: Tensor, b: Tensor): number => {
  const [u, v] = [Float64Array.from(numbers(a)), numbers(b)];
  return u.reduce((sum, value, k) => sum + value * v[k]!, 0);
};

const moved = (x: Tensor, direction: Tensor, t: number): Tensor =>
  tensor(
    Array.from(numbers(x), (value, k) => value + t * numbers(direction)[k]!),
    { type: "float64", dims: x.dims },
  );

/** So short that hardly any of the units crosses its kink on the way. */
const step = 1e-7;

if (models.length === 0) it.skip(`no models in ${folder}: no gradient was checked`, () => {});

describe.each(accepted)("%s", (path) => {
  const original = readModel(readFileSync(`${folder}${path}`));

  it.skipIf(path === random)("agrees with central differences", async () => {
    const net = inFloat64(original);
    const derivative = gradient(net, { wrt: "both" });
    const weights = weightsOf(net);
    const free = withWeightsAsInputs(net, weights);
    const at: Tensors = { ...randomInputs(net), ...weights };
    const values = await run(free, at);
    const seeds = Object.fromEntries(
      Object.entries(values).map(([name, y], k) => [name, randomTensor(y.dims, 101 + k)]),
    );
    const cotangents = Object.entries(seeds).map(([name, seed]) => [`seed_${name}`, seed] as const);
    const found = await run(derivative, { ...randomInputs(net), ...Object.fromEntries(cotangents) });
    const objective = async (point: Tensors): Promise<number> => {
      const outputs = await run(free, point);
      return Object.entries(seeds).reduce((sum, [name, seed]) => sum + dot(seed, outputs[name]!), 0);
    };
    const size = Math.abs(await objective(at));
    for (const name of Object.keys(at)) {
      const direction = randomTensor(at[name]!.dims, 7);
      const [ahead, behind] = [
        await objective({ ...at, [name]: moved(at[name]!, direction, step) }),
        await objective({ ...at, [name]: moved(at[name]!, direction, -step) }),
      ];
      const difference = (ahead - behind) / (2 * step);
      const scale = Math.max(1, size, Math.abs(difference));
      expect(Math.abs(dot(found[`grad_${name}`]!, direction) - difference) / scale, name).toBeLessThan(1e-6);
    }
  });

  // The products that Dropout makes itself are not counted: four times nothing is no bound.
  it.skipIf(path === random)("costs at most four times the network", () => {
    const dims = Object.fromEntries(
      Object.entries(randomInputs(canonical(original))).map(([name, t]) => [name, t.dims]),
    );
    const { flops } = cost(original, { dims });
    const all = cost(gradient(original, { wrt: "both" }), { dims });
    expect(all.flops).toBeLessThanOrEqual(4 * flops);
  });
});

it.each(Object.entries(refused).filter(([path]) => models.includes(path)))(
  "%s is refused",
  (path, reason) => {
    expect(() => gradient(readModel(readFileSync(`${folder}${path}`)))).toThrow(reason);
  },
);

it.runIf(models.includes(random))(
  "dropout that trains: the gradient has the mask of the same run",
  async () => {
    const net = readModel(readFileSync(`${folder}${random}`));
    const [x, seed] = [
      { type: "float32", dims: [2, 2], data: Float32Array.of(1, -2, 3, 4) },
      { type: "float32", dims: [2, 2], data: Float32Array.of(5, 6, -7, 8) },
    ] as const;
    const [input, output] = [requiredInputs(net)[0]!.name, net.outputs[0]!.name];
    const found = await run(gradient(net), { [input]: x, [`seed_${output}`]: seed });
    const [y, g] = [numbers(found[output]!), numbers(found[`grad_${input}`]!)];
    // y = x m with the mask, scaled, m: the gradient is seed m.
    for (const [k, value] of x.data.entries()) expect(g[k]! * value).toBeCloseTo(seed.data[k]! * y[k]!, 4);
  },
);

it.skipIf(models.length === 0)("resnet_2b: the time to write its gradient graph is printed", () => {
  const resnet = readFileSync(`${folder}resnet_2b.onnx`);
  const times = [1, 2, 3].map(() => {
    const graph = readModel(resnet);
    const began = performance.now();
    gradient(graph, { wrt: "both" });
    return performance.now() - began;
  });
  console.log(`gradient(resnet_2b): ${times.map((t) => t.toFixed(1)).join(", ")} ms (goal: under 200)`);
});
