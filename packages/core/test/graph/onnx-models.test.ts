// Networks that nobody here wrote: read, written and read again, ONNX Runtime computes the same bits with them.
import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { InferenceSession, Tensor as RuntimeTensor } from "onnxruntime-node";
import { describe, expect, it } from "vitest";
import { firstDifference } from "../../src/graph/equal.ts";
import { type Graph, isSparse, isTensorType, requiredInputs, type ValueInfo } from "../../src/graph/graph.ts";
import { loadModel, readModel, writeModel } from "../../src/graph/onnx/index.ts";
import { elementCount, type Tensor } from "../../src/graph/tensor.ts";

const folder = fileURLToPath(new URL("../../../../../shared/models/", import.meta.url));
const models = existsSync(folder)
  ? readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".onnx"))
  : [];

/** Uniform in [-1, 1), the same numbers each time (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 31 - 1;
  };
}

function randomInput({ name, type }: ValueInfo, random: () => number): RuntimeTensor {
  if (!isTensorType(type)) throw new Error(`input ${name} is no tensor`);
  const dims = (type.shape ?? []).map((dim) => (typeof dim === "number" ? dim : 2));
  const numbers = Array.from({ length: elementCount(dims) }, () => random());
  const integers = numbers.map((number) => Math.floor(3 * (number + 1)));
  switch (type.type) {
    case "float32":
      return new RuntimeTensor("float32", Float32Array.from(numbers), dims);
    case "float64":
      return new RuntimeTensor("float64", Float64Array.from(numbers), dims);
    case "int32":
      return new RuntimeTensor("int32", Int32Array.from(integers), dims);
    case "int64":
      return new RuntimeTensor("int64", BigInt64Array.from(integers, BigInt), dims);
    case "bool":
      return new RuntimeTensor(
        "bool",
        Uint8Array.from(integers, (n) => n % 2),
        dims,
      );
    default:
      throw new Error(`input ${name} is ${type.type}, which this test does not make`);
  }
}

/** A file, whose weights may be in another one beside it, or a model as bytes. */
type Source = string | Uint8Array;
const sessionOf = (source: Source, options: InferenceSession.SessionOptions): Promise<InferenceSession> =>
  typeof source === "string"
    ? InferenceSession.create(source, options)
    : InferenceSession.create(source, options);

/** Why ONNX Runtime does not load this; undefined if it does. */
const refusalOf = (source: Source): Promise<string | undefined> =>
  sessionOf(source, { logSeverityLevel: 4 }).then(
    (session) => session.release().then(() => undefined),
    (error: Error) => error.message,
  );

/** Outputs that ONNX Runtime can hand to JavaScript: tensors. */
async function outputsOf(source: Source, graph: Graph): Promise<Record<string, RuntimeTensor>> {
  const random = seededRandom(1);
  const feeds = Object.fromEntries(
    requiredInputs(graph).map((input) => [input.name, randomInput(input, random)]),
  );
  const session = await sessionOf(source, { intraOpNumThreads: 1, logSeverityLevel: 4 });
  const names = graph.outputs.filter(({ type }) => isTensorType(type)).map(({ name }) => name);
  const results = await session.run(feeds, names);
  await session.release();
  return results as Record<string, RuntimeTensor>;
}

/** The constant of this name: an initializer, or what a Constant node holds. */
function constantOf(graph: Graph, name: string | undefined): Tensor | undefined {
  const weight = graph.initializers.get(name ?? "");
  if (weight) return isSparse(weight) ? undefined : weight;
  const held = graph.nodes.find((node) => node.op === "Constant" && node.outputs[0] === name);
  const attribute = held?.attributes.get("value");
  return attribute?.type === "tensor" ? attribute.value : undefined;
}

/** Dropout in training mode draws anew at each run: only types and shapes can agree. */
const isRandom = (graph: Graph): boolean =>
  graph.nodes.some(
    (node) => node.op === "Dropout" && Number(constantOf(graph, node.inputs[2])?.data[0]) === 1,
  );

const comparable = (tensor: RuntimeTensor, isRandom: boolean) => {
  const { type, dims, data } = tensor;
  if (isRandom) return { type, dims };
  if (!ArrayBuffer.isView(data)) return { type, dims, data };
  return { type, dims, bits: Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("hex") };
};

if (models.length === 0) {
  it.skip(`no models in ${folder}: nothing was compared`, () => {});
}

describe.each(models)("%s", (path) => {
  const file = `${folder}${path}`;

  it("is the same graph after writing and reading", async () => {
    const graph = await loadModel(file);
    expect(firstDifference(graph, readModel(writeModel(graph)))).toBeUndefined();
  });

  it("computes the same bits after writing", async () => {
    const graph = await loadModel(file);
    const refusal = await refusalOf(file);
    if (refusal !== undefined) {
      // zoo/maxpool_2d.onnx has kernels of the wrong rank: ONNX Runtime must say the same of what we write.
      const named = (said: string | undefined) => said?.replace(`Load model from ${file} failed:`, "");
      expect(named(await refusalOf(writeModel(graph)))).toBe(named(refusal));
      return;
    }
    const before = await outputsOf(file, graph);
    const after = await outputsOf(writeModel(graph), graph);
    expect(Object.keys(before).length).toBeGreaterThan(0);
    expect(Object.keys(after)).toEqual(Object.keys(before));
    for (const [name, tensor] of Object.entries(before)) {
      expect(comparable(after[name]!, isRandom(graph))).toEqual(comparable(tensor, isRandom(graph)));
    }
  });
});
