// Gradients of networks that nobody here wrote, end to end: with respect to every input and weight, in f64, against
// central differences.
import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { type Graph, isSparse, isTensorType, requiredInputs } from "../../src/graph/graph.ts";
import { loadModel } from "../../src/graph/onnx/index.ts";
import { isFloat, numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import { canonical } from "../../src/graph/upgrade.ts";
import { cost } from "../../src/passes/cost.ts";
import { gradient } from "../../src/passes/gradient.ts";
import { inFloat64, sized } from "../exported/in-float64.ts";
import { randomTensor } from "./gradient-check.ts";

const folder = fileURLToPath(new URL("../../../../../shared/models/", import.meta.url));
const models = existsSync(folder)
  ? readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".onnx"))
  : [];
/** What has no gradient, and why. */
const refused: Readonly<Record<string, RegExp>> = {
  // Its kernel has the wrong rank: the runtime does not load it either.
  "zoo/maxpool_2d.onnx": /^MaxPool node "node1": kernel_shape \[3,2,3\] does not fit an input \[1,3,6,7\]$/,
};
/** It draws a new mask in each run, so that differences between runs say nothing. */
const random = "zoo/dropout_training_mode_true.onnx";
/** Labels and tables from label to score are found by operators of ai.onnx.ml, whose operations nobody counts. */
const uncounted: readonly string[] = ["exported/skmlp.onnx", "exported/skmlp_zip.onnx"];
/** Steps: quantizers, whose gradient is straight-through by design, and trees (in single precision alone). */
const steps: readonly string[] = ["exported/mlp_qdq.onnx", "exported/mlp_qdyn.onnx", "zoo/gbt_model.onnx"];
const accepted = models.filter((path) => !(path in refused || steps.includes(path)));

type Tensors = Readonly<Record<string, Tensor>>;

/** Floating-point weights by name: those that the file has as weights, not as Constant nodes (scales, powers). */
const weightsOf = (graph: Graph, { initializers }: Graph): Tensors =>
  Object.fromEntries(
    [...graph.initializers].flatMap(([name, w]) =>
      isSparse(w) || !isFloat(w.type) || !initializers.has(name) ? [] : [[name, w]],
    ),
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

const openSize = 2;

/** Random inputs of the sizes that the graph says. */
function randomInputs(graph: Graph): Tensors {
  const entries = requiredInputs(graph).map(({ name, type }, k) => {
    const dims = ((isTensorType(type) && type.shape) || []).map(Number);
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
  const load = async () => sized(await loadModel(`${folder}${path}`), openSize);

  it.skipIf(path === random)("agrees with central differences", async () => {
    const original = await load();
    const net = inFloat64(original);
    const weights = weightsOf(net, original);
    const derivative = gradient(net, {
      wrt: [...requiredInputs(net).map((i) => i.name), ...Object.keys(weights)],
    });
    const free = withWeightsAsInputs(net, weights);
    const at: Tensors = { ...randomInputs(net), ...weights };
    const values = await run(free, at);
    const seeds = Object.fromEntries(
      Object.entries(values)
        .filter(([, y]) => isFloat(y.type))
        .map(([name, y], k) => [name, randomTensor(y.dims, 101 + k)]),
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
  it.skipIf(path === random || uncounted.includes(path))("costs at most four times the network", async () => {
    const stored = await load();
    const isShort = requiredInputs(stored).some(({ type }) => isTensorType(type) && type.type === "bfloat16");
    const original = isShort ? inFloat64(stored) : stored;
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
  async (path, reason) => {
    const graph = await loadModel(`${folder}${path}`);
    expect(() => gradient(graph)).toThrow(reason);
  },
);

/** The gradient of the first output, weighed by a seed, with respect to the only input. */
async function slopeAt(path: string, x: readonly number[], dims: readonly number[], seed: readonly number[]) {
  const net = sized(await loadModel(`${folder}${path}`), 1);
  const [input, output] = [requiredInputs(net)[0]!.name, net.outputs[0]!.name];
  const single = (values: readonly number[], shape: readonly number[]) =>
    tensor(values, { type: "float32", dims: shape });
  const found = await run(gradient(net), {
    [input]: single(x, dims),
    [`seed_${output}`]: single(seed, [1, seed.length]),
  });
  return [...numbers(found[`grad_${input}`]!)];
}

const hidden = ["/net/net.1/Relu_output_0", "/net/net.3/Relu_output_0"];

/** Which hidden units are on. */
async function patternAt(path: string, x: readonly number[]): Promise<string> {
  const net = sized(await loadModel(`${folder}${path}`), 1);
  const outputs = hidden.map((name) => ({ name, type: { type: "float32" } as const }));
  const given = tensor(x, { type: "float32", dims: [1, 10] });
  const found = await run({ ...net, outputs }, { [requiredInputs(net)[0]!.name]: given });
  return hidden.map((name) => Array.from(numbers(found[name]!), (v) => (v > 0 ? 1 : 0)).join("")).join("/");
}

/** A matrix of the quantized file as the numbers that it stands for: s (q - z). */
function storedMatrix({ initializers }: Graph, layer: string) {
  const [q, scale, zero] = ["weight_quantized", "weight_scale", "weight_zero_point"].map((part) => {
    const found = initializers.get(`${layer}.${part}`)!;
    return isSparse(found) ? found.values : found;
  }) as [Tensor, Tensor, Tensor];
  const [rows, columns] = q.dims as [number, number];
  const [values, s, z] = [numbers(q), numbers(scale), numbers(zero)];
  const at = (k: number, list: ArrayLike<number>) => list[list.length === 1 ? 0 : k % columns]!;
  const entry = (k: number) => at(k, s) * (Number(values[k]) - Number(at(k, z)));
  return Array.from({ length: rows }, (_, r) =>
    Array.from({ length: columns }, (_unused, c) => entry(r * columns + c)),
  );
}

it.runIf(models.includes("exported/mlp_qdyn.onnx"))(
  "mlp_qdyn: the gradient through its steps is the product of its matrices where its units are on, by hand",
  async () => {
    const path = "exported/mlp_qdyn.onnx";
    const net = await loadModel(`${folder}${path}`);
    const matrices = ["net.4", "net.2", "net.0"].map((layer) => storedMatrix(net, layer));
    for (let trial = 0; trial < 4; trial++) {
      const x = [...numbers(randomTensor([10], 3 + trial))];
      const seed = [...numbers(randomTensor([3], 50 + trial))];
      const on = (await patternAt(path, x)).split("/").toReversed();
      const byHand = matrices.reduce<readonly number[]>((g, W, k) => {
        const before = W.map((row) => row.reduce((sum, w, c) => sum + w * g[c]!, 0));
        return k < 2 ? before.map((v, r) => (on[k]![r] === "1" ? v : 0)) : before;
      }, seed);
      const found = await slopeAt(path, x, [1, 10], seed);
      // The scale depends on x as well: on the two ends of its range, by what rounding left of all others.
      const gap = Math.hypot(...byHand.map((g, k) => g - found[k]!)) / Math.hypot(...byHand);
      expect(gap).toBeLessThan(0.05);
    }
  },
);

it.runIf(models.includes("exported/mlp_qdq.onnx"))(
  "mlp_qdq: an output at the end of its range has no gradient, and the others are on the same side as in floating point",
  async () => {
    for (let trial = 0; trial < 4; trial++) {
      const x = Array.from(numbers(randomTensor([10], 3 + trial)), (v) => 0.3 * v);
      const net = sized(await loadModel(`${folder}exported/mlp_qdq.onnx`), 1);
      const y = numbers(
        (await run(net, { x: tensor(x, { type: "float32", dims: [1, 10] }) }))[net.outputs[0]!.name]!,
      );
      for (const k of [0, 1, 2]) {
        const seed = [0, 1, 2].map((j) => Number(j === k));
        const [a, b] = [
          await slopeAt("exported/mlp_leg.onnx", x, [1, 10], seed),
          await slopeAt("exported/mlp_qdq.onnx", x, [1, 10], seed),
        ];
        const along = a.reduce((sum, v, j) => sum + v * b[j]!, 0) / Math.hypot(...a) ** 2;
        const isInside = y[k]! > -0.29 && y[k]! < 0.2;
        if (isInside) expect(along).toBeGreaterThan(0.2);
        expect(along).toBeLessThan(2);
      }
    }
  },
);

it.runIf(models.includes("zoo/gbt_model.onnx"))(
  "trees are constant but for jumps: their gradient is 0",
  async () => {
    const net = await loadModel(`${folder}zoo/gbt_model.onnx`);
    const [input] = requiredInputs(net);
    const width = isTensorType(input!.type) ? Number(input!.type.shape?.at(-1)) : 0;
    const x = [...numbers(randomTensor([width], 4))];
    expect(await slopeAt("zoo/gbt_model.onnx", x, [1, width], [1])).toEqual(new Array(width).fill(0));
  },
);

it.runIf(models.includes(random))(
  "dropout that trains: the gradient has the mask of the same run",
  async () => {
    const net = await loadModel(`${folder}${random}`);
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

it.skipIf(models.length === 0)("resnet_2b: the time to write its gradient graph is printed", async () => {
  const graphs = [1, 2, 3].map(() => loadModel(`${folder}resnet_2b.onnx`));
  const times = (await Promise.all(graphs)).map((graph) => {
    const began = performance.now();
    gradient(graph, { wrt: "both" });
    return performance.now() - began;
  });
  console.log(`gradient(resnet_2b): ${times.map((t) => t.toFixed(1)).join(", ")} ms (goal: under 200)`);
});
