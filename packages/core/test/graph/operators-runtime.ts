// Runs graphs in ONNX Runtime and builds one-node graphs, for the tests of operators, inference and upgrade.
import { Session } from "../../src/engine/session.ts";
import type { Attribute, Graph, Node, TensorType, ValueInfo } from "../../src/graph/graph.ts";
import { writeModel } from "../../src/graph/onnx/write.ts";
import { families, type OperatorName, operatorDomain, operators } from "../../src/graph/operators/index.ts";
import { writeAttributes } from "../../src/graph/operators/spec.ts";
import { elementCount, type NumericType, type Tensor, tensor } from "../../src/graph/tensor.ts";

/** The outputs of a graph, by name. */
export async function runGraph(
  graph: Graph,
  feeds: ReadonlyMap<string, Tensor>,
): Promise<Map<string, Tensor>> {
  const session = await Session.create(writeModel(graph), { threads: 1, optimization: "none" });
  const results = await session.run(Object.fromEntries(feeds));
  await session.release();
  return new Map(Object.entries(results));
}

export const graphWith = (parts: Partial<Graph>): Graph => ({
  name: "test",
  inputs: [],
  outputs: [],
  nodes: [],
  initializers: new Map(),
  valueTypes: new Map(),
  opsets: new Map([
    ["", 20],
    ["ai.onnx.ml", 3],
  ]),
  irVersion: 9,
  metadata: new Map(),
  functions: [],
  ...parts,
});

export const nodeWith = (
  op: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: Readonly<Record<string, Attribute>> = {},
): Node => ({
  op,
  domain: "",
  name: `the ${op}`,
  inputs,
  outputs,
  attributes: new Map(Object.entries(attributes)),
});

/** A tensor of numbers between 0 and 1 that are all different. */
export function ramp(dims: readonly number[], type: NumericType = "float32"): Tensor {
  const count = elementCount(dims);
  return tensor(
    Array.from({ length: count }, (_, k) => (((k * 7919) % 1009) + 0.5) / 1010),
    { type, dims },
  );
}
export const int64 = (values: readonly number[], dims: readonly number[] = [values.length]): Tensor =>
  tensor(values, { type: "int64", dims });
export const float32 = (values: readonly number[], dims: readonly number[] = [values.length]): Tensor =>
  tensor(values, { type: "float32", dims });
export const bool = (values: readonly number[], dims: readonly number[] = [values.length]): Tensor =>
  tensor(values, { type: "bool", dims });

/** One way to use an operator. */
export interface OperatorCase {
  /** Tensors that are fed when the graph runs. A string leaves an optional input out. */
  readonly inputs: readonly (Tensor | "")[];
  /** Positions of inputs that are weights instead: axes, shapes and the like. */
  readonly weights?: readonly number[];
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly outputs?: number;
  /** Where it is a later one than the operator's first. */
  readonly opset?: number;
  /** The shape depends on the numbers that are fed, so that it need not be inferred in full. */
  readonly dependsOnData?: true;
}

export const inputName = (k: number) => `x${k}`;
export const outputName = (k: number) => `y${k}`;

/** Operators that came after opset 20. */
export const since: { readonly [K in OperatorName]?: number } = {
  RMSNormalization: 23,
  RotaryEmbedding: 23,
  Attention: 23,
  TensorScatter: 24,
};

/** Operators that the runtime computes in f32, or in whole numbers, alone. */
export const inSingleOnly: ReadonlySet<string> = new Set(
  [families.attention, families.quantization, families.learning].flatMap((family) => Object.keys(family)),
);

/** A graph of one node; `typeOf` says what the graph declares of each fed input. */
export function graphOfCase(
  op: OperatorName,
  { inputs, weights = [], attributes = {}, outputs = 1, opset = since[op] }: OperatorCase,
  typeOf: (t: Tensor, k: number) => TensorType = (t) => ({ type: t.type, shape: t.dims }),
): Graph {
  const fed: ValueInfo[] = [];
  const initializers = new Map<string, Tensor>();
  inputs.forEach((t, k) => {
    if (t === "") return;
    if (weights.includes(k)) initializers.set(inputName(k), t);
    else fed.push({ name: inputName(k), type: typeOf(t, k) });
  });
  const names = Array.from({ length: outputs }, (_, k) => outputName(k));
  const node: Node = {
    op,
    domain: operatorDomain(op),
    name: `the ${op}`,
    inputs: inputs.map((t, k) => (t === "" ? "" : inputName(k))),
    outputs: names,
    attributes: writeAttributes(operators[op].attributes, attributes),
  };
  return graphWith({
    inputs: fed,
    outputs: names.map((name) => ({ name, type: { type: "undefined" } })),
    nodes: [node],
    initializers,
    ...(opset && { opsets: new Map([["", opset]]), irVersion: 11 }),
  });
}

export const feedsOf = ({ inputs, weights = [] }: OperatorCase): Map<string, Tensor> =>
  new Map(inputs.flatMap((t, k) => (t === "" || weights.includes(k) ? [] : [[inputName(k), t] as const])));
