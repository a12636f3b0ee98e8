// Networks of bfloat16 as networks of float32 with the same numbers: the same real function, in a type that runtimes have.
import { type Graph, isSparse, isTensorType, type Node, subgraphs, type ValueInfo } from "../graph/graph.ts";
import { cast, dataTypes } from "../graph/tensor.ts";
import { canonical } from "../graph/upgrade.ts";

const isNarrow = (type: string): boolean => type === "bfloat16";

/** Does a node name the type itself, as a cast or a generator does? */
const namesType = ({ attributes }: Node): boolean =>
  [...attributes].some(
    ([name, a]) =>
      ((name === "to" || name === "dtype") &&
        a.type === "int" &&
        dataTypes[Number(a.value)] === "bfloat16") ||
      (a.type === "tensor" && isNarrow(a.value.type)),
  );

/**
 * The graph in float32 where it was in bfloat16; the graph itself if it has none, or rounds to it on the way.
 * @example widenBfloat16(net) === net // true, for a network in float32
 */
export function widenBfloat16(source: Graph): Graph {
  const graph = canonical(source);
  const { inputs, outputs, initializers, nodes } = graph;
  const infos = [...inputs, ...outputs];
  const isThere =
    infos.some(({ type }) => isNarrow(type.type)) || [...initializers.values()].some((t) => isNarrow(t.type));
  if (!isThere || nodes.some((node) => namesType(node) || subgraphs(node).length > 0)) return source;
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
