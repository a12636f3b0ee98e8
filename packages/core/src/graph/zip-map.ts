// ZipMap makes a list of tables, from label to score, of a tensor of scores: for all that computes, it is that tensor.
import { type Graph, isTensorType, type Node, type ValueInfo } from "./graph.ts";

const isZipMap = ({ op, domain }: Node): boolean => op === "ZipMap" && domain === "ai.onnx.ml";

const cache = new WeakMap<Graph, Graph>();

/**
 * The graph with the scores themselves where it gives tables of them, under the same names.
 * @example withoutTables(net).outputs.map(({ name }) => name) // ["y"]
 */
export function withoutTables(graph: Graph): Graph {
  const known = cache.get(graph);
  if (known) return known;
  const tables = new Set(graph.nodes.filter(isZipMap).flatMap(({ outputs }) => outputs));
  const untyped = (value: ValueInfo): ValueInfo =>
    tables.has(value.name) && !isTensorType(value.type) ? { ...value, type: { type: "undefined" } } : value;
  const result: Graph =
    tables.size === 0
      ? graph
      : {
          ...graph,
          outputs: graph.outputs.map(untyped),
          valueTypes: new Map([...graph.valueTypes].filter(([name]) => !tables.has(name))),
          nodes: graph.nodes.map((node) =>
            isZipMap(node) ? { ...node, op: "Identity", domain: "", attributes: new Map() } : node,
          ),
        };
  cache.set(graph, result);
  return result;
}
