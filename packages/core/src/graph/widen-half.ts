// Networks of half precision as networks of float32 with the same numbers: the same real function, in a type that runtimes
// and passes compute in.
import { type Graph, isSparse, isTensorType, type Node, subgraphs, type ValueInfo } from "./graph.ts";
import { cast, type DataType, dataTypes } from "./tensor.ts";
import { canonical } from "./upgrade.ts";

/** Does a node name such a type itself, as a cast or a generator does? */
const namesType = ({ attributes }: Node, narrow: ReadonlySet<DataType>): boolean =>
  [...attributes].some(
    ([name, a]) =>
      ((name === "to" || name === "dtype") && a.type === "int" && narrow.has(dataTypes[Number(a.value)]!)) ||
      (a.type === "tensor" && narrow.has(a.value.type)),
  );

/**
 * The graph in float32 where it was in one of these types; the graph itself if it has none, or rounds to one on the way.
 * @example widenTypes(net, new Set(["float16"])) === net // true, for a network in float32
 */
export function widenTypes(source: Graph, narrow: ReadonlySet<DataType>): Graph {
  const graph = canonical(source);
  const { inputs, outputs, initializers, nodes } = graph;
  const infos = [...inputs, ...outputs];
  const isNarrow = (type: string): boolean => narrow.has(type as DataType);
  const isThere =
    infos.some(({ type }) => isNarrow(type.type)) || [...initializers.values()].some((t) => isNarrow(t.type));
  if (!isThere || nodes.some((node) => namesType(node, narrow) || subgraphs(node).length > 0)) return source;
  const wide = (info: ValueInfo): ValueInfo =>
    isTensorType(info.type) && isNarrow(info.type.type)
      ? { ...info, type: { ...info.type, type: "float32" } }
      : info;
  return {
    ...graph,
    inputs: inputs.map(wide),
    outputs: outputs.map(wide),
    valueTypes: new Map(),
    initializers: new Map(
      [...initializers].map(([name, t]) => [name, isNarrow(t.type) && !isSparse(t) ? cast(t, "float32") : t]),
    ),
  };
}

const half: ReadonlySet<DataType> = new Set(["float16", "bfloat16"]);

/**
 * The graph in float32 where it was in float16 or bfloat16.
 * @example widenHalf(net) === net // true, for a network in float32
 */
export const widenHalf = (source: Graph): Graph => widenTypes(source, half);
