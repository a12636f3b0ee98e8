// A network of f32, or of half precision, as one of f64: the same weights, computed with more digits.
import { type Attribute, type Graph, isSparse, isTensorType, type Node, type ValueInfo } from "./graph.ts";
import { cast, type DataType, dataTypes, type Tensor } from "./tensor.ts";
import { canonical } from "./upgrade.ts";

const narrow: ReadonlySet<DataType> = new Set(["float32", "float16", "bfloat16"]);
const wide = (type: DataType): DataType => (narrow.has(type) ? "float64" : type);
const wideInfo = (info: ValueInfo): ValueInfo =>
  isTensorType(info.type) ? { ...info, type: { ...info.type, type: wide(info.type.type) } } : info;
const wideTensor = (t: Tensor): Tensor => (narrow.has(t.type) ? cast(t, "float64") : t);
const float64 = BigInt(dataTypes.indexOf("float64"));

function wideAttribute(key: string, a: Attribute): Attribute {
  if (a.type === "tensor") return { ...a, value: wideTensor(a.value) };
  const isType = a.type === "int" && (key === "to" || key === "dtype");
  return isType && narrow.has(dataTypes[Number(a.value)]!) ? { ...a, value: float64 } : a;
}

const wideNode = (node: Node): Node => ({
  ...node,
  attributes: new Map([...node.attributes].map(([key, a]) => [key, wideAttribute(key, a)])),
});

/**
 * The graph in f64; undefined where it has bodies, or weights that are sparse.
 * @example widened(net).inputs[0].type.type // "float64"
 */
export function widened(original: Graph): Graph | undefined {
  const graph = canonical(original);
  const isPlain =
    graph.nodes.every(({ attributes }) => [...attributes.values()].every((a) => a.type !== "graph")) &&
    [...graph.initializers.values()].every((t) => !isSparse(t)) &&
    graph.functions.length === 0;
  if (!isPlain) return undefined;
  return {
    ...graph,
    inputs: graph.inputs.map(wideInfo),
    outputs: graph.outputs.map(({ name }) => ({ name, type: { type: "undefined" } })),
    initializers: new Map([...graph.initializers].map(([name, t]) => [name, wideTensor(t as Tensor)])),
    nodes: graph.nodes.map(wideNode),
    valueTypes: new Map(),
  };
}
