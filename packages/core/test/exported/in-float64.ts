// A network with all its floating-point numbers in f64: what it computes is the real function up to some 1e-15.
import { GraphError } from "../../src/graph/error.ts";
import type { Attribute, Graph, Node, TensorType, ValueType } from "../../src/graph/graph.ts";
import { isSparse, isTensorType } from "../../src/graph/graph.ts";
import { plain } from "../../src/graph/plain.ts";
import { cast, type DataType, dataTypes, densify, type Tensor } from "../../src/graph/tensor.ts";

const isShort = (type: DataType): boolean => /^(b?float16|float32)$/.test(type);

const widenedTensor = (t: Tensor): Tensor => (isShort(t.type) ? cast(t, "float64") : t);

const widenedType = (t: ValueType): ValueType =>
  isTensorType(t) && isShort(t.type) ? ({ ...t, type: "float64" } satisfies TensorType) : t;

function widenedAttribute(key: string, a: Attribute): Attribute {
  if (a.type === "tensor") return { type: "tensor", value: widenedTensor(a.value) };
  if (a.type === "graph") return { type: "graph", value: widened(a.value) };
  const isType = a.type === "int" && (key === "to" || key === "dtype");
  return isType && isShort(dataTypes[Number(a.value)]!)
    ? { type: "int", value: BigInt(dataTypes.indexOf("float64")) }
    : a;
}

function widened(graph: Graph): Graph {
  const typed = ({ name, type }: { name: string; type: ValueType }) => ({ name, type: widenedType(type) });
  const node = (n: Node): Node => ({
    ...n,
    attributes: new Map([...n.attributes].map(([key, a]) => [key, widenedAttribute(key, a)])),
  });
  return {
    ...graph,
    inputs: graph.inputs.map(typed),
    outputs: graph.outputs.map(typed),
    nodes: graph.nodes.map(node),
    valueTypes: new Map([...graph.valueTypes].map(([name, type]) => [name, widenedType(type)])),
    initializers: new Map(
      [...graph.initializers].map(([name, w]) => [name, widenedTensor(isSparse(w) ? densify(w) : w)]),
    ),
  };
}

/** Operators that runtimes know in f32 alone are written out first; trees, which are not, have a test of their own. */
export function inFloat64(graph: Graph): Graph {
  const written = plain(graph);
  if (written.nodes.some(({ domain }) => domain !== ""))
    throw new GraphError("it has operators in f32 alone");
  return widened(written);
}

/** Open sizes all as one number, so that recurrences can be written out. */
export function sized(graph: Graph, size: number): Graph {
  const inputs = graph.inputs.map((info) => {
    if (!isTensorType(info.type) || !info.type.shape) return info;
    const shape = info.type.shape.map((d) => (typeof d === "number" ? d : size));
    return { ...info, type: { ...info.type, shape } };
  });
  return { ...graph, inputs, valueTypes: new Map() };
}
