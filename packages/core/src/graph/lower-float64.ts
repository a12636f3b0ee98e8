// f64 for operators that ONNX Runtime computes in f32 only: their definitions in its place.
import { definitionOf, rewrite } from "./definitions/index.ts";
import { type Attribute, type Graph, isTensorType, type Node, subgraphs } from "./graph.ts";
import type { OperatorName } from "./operators/index.ts";
import type { Inferred } from "./operators/spec.ts";
import { dataTypes } from "./tensor.ts";

/** What ONNX Runtime 1.30 refuses in f64, with the input that decides in which type the operator computes. */
export const withoutFloat64: Partial<Readonly<Record<OperatorName, number>>> = {
  Erf: 0,
  Tan: 0,
  Asin: 0,
  Acos: 0,
  Atan: 0,
  Sinh: 0,
  Cosh: 0,
  Asinh: 0,
  Acosh: 0,
  Atanh: 0,
  LeakyRelu: 0,
  PRelu: 0,
  Shrink: 0, // there is a kernel, which computes in f32
  Elu: 0,
  Selu: 0,
  Celu: 0,
  Gelu: 0,
  Softplus: 0,
  Softsign: 0,
  HardSigmoid: 0,
  HardSwish: 0,
  Mish: 0,
  ThresholdedRelu: 0,
  Conv: 0,
  ConvTranspose: 0,
  AveragePool: 0,
  LpPool: 0,
  GlobalMaxPool: 0,
  GlobalAveragePool: 0,
  GlobalLpPool: 0,
  InstanceNormalization: 0,
  GroupNormalization: 0, // not refused, but from opset 21 on computed in f32
  MeanVarianceNormalization: 0,
  LRN: 0,
  Hardmax: 0,
  Mean: 0,
  Det: 0,
  NonZero: 0,
  OneHot: 2,
  Resize: 0,
  RNN: 0,
  GRU: 0,
  LSTM: 0,
};

const isLacking = (node: Node): boolean => Object.hasOwn(withoutFloat64, node.op);

const isFloat64 = (a: Attribute, key: string): boolean =>
  (a.type === "tensor" && a.value.type === "float64") ||
  (a.type === "int" && (key === "to" || key === "dtype") && dataTypes[Number(a.value)] === "float64");

/** Can any value of the graph be of f64? Most graphs are told apart here, before anything is inferred. */
const hasFloat64 = (graph: Graph): boolean =>
  graph.inputs.some(({ type }) => !isTensorType(type) || /^(float64|undefined)$/.test(type.type)) ||
  [...graph.initializers.values()].some(({ type }) => type === "float64") ||
  graph.nodes.some(
    (node) => [...node.attributes].some(([key, a]) => isFloat64(a, key)) || subgraphs(node).some(hasFloat64),
  );

const hasLacking = (graph: Graph): boolean =>
  graph.nodes.some((node) => isLacking(node) || subgraphs(node).some(hasLacking));

const cache = new WeakMap<Graph, Graph>();

/**
 * The graph with every f64 node that the runtime has no kernel for written out; the same object when there is none.
 * @example lowerFloat64(net) === net // true
 */
export function lowerFloat64(graph: Graph): Graph {
  const known = cache.get(graph) ?? lowered(graph);
  cache.set(graph, known);
  return known;
}

function lowered(graph: Graph): Graph {
  if (!hasFloat64(graph) || !hasLacking(graph)) return graph;
  let replaced = 0;
  const result = rewrite(graph, (node, types) => {
    const definition = computesInFloat64(node, types) ? definitionOf(node) : undefined;
    if (definition) replaced++;
    return definition;
  });
  return replaced === 0 ? graph : result;
}

/** The last opset in which ONNX Runtime writes out f64 nodes of these by itself. */
const lastWrittenOut = 18;
const writtenOut = new Set(
  "PRelu LeakyRelu HardSigmoid HardSwish Elu Selu Celu ThresholdedRelu Softsign Softplus Mish".split(" "),
);

/**
 * The graph, made from a source of an older opset, such that the runtime runs what it ran of the source.
 * @example keptRunnable(net, net) === net // true
 */
export function keptRunnable(graph: Graph, source: Graph): Graph {
  const opset = source.opsets.get("") ?? source.opsets.get("ai.onnx") ?? lastWrittenOut;
  const isMeant =
    graph !== source && opset <= lastWrittenOut && graph.nodes.some(({ op }) => writtenOut.has(op));
  if (!isMeant) return graph;
  return rewrite(graph, (node, types) =>
    writtenOut.has(node.op) && types[0]?.type === "float64" ? definitionOf(node) : undefined,
  );
}

const computesInFloat64 = (node: Node, types: readonly (Inferred | undefined)[]): boolean =>
  isLacking(node) && types[withoutFloat64[node.op as OperatorName]!]?.type === "float64";
