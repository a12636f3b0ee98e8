// Renames values; simultaneous, so that names may be swapped.
import type { Attribute, Graph, Node } from "./graph.ts";

/** A copy of a node under another name, with the names of values replaced, also where its subgraphs read them. */
export function renameNode(node: Node, names: ReadonlyMap<string, string>, name: string): Node {
  const rename = (value: string) => names.get(value) ?? value;
  const attributes = new Map<string, Attribute>();
  for (const [key, a] of node.attributes) {
    if (a.type === "graph") attributes.set(key, { ...a, value: renameOuter(a.value, names) });
    else if (a.type === "graphs")
      attributes.set(key, { ...a, value: a.value.map((g) => renameOuter(g, names)) });
    else attributes.set(key, a);
  }
  return { ...node, name, inputs: node.inputs.map(rename), outputs: node.outputs.map(rename), attributes };
}

/** Renames what a subgraph reads from outside; its own names shadow. */
function renameOuter(graph: Graph, names: ReadonlyMap<string, string>): Graph {
  const own = [
    ...graph.inputs.map((i) => i.name),
    ...graph.initializers.keys(),
    ...graph.nodes.flatMap((n) => n.outputs),
  ];
  const outer = new Map(names);
  for (const name of own) outer.delete(name);
  return {
    ...graph,
    nodes: graph.nodes.map((node) => renameNode(node, outer, node.name)),
    outputs: graph.outputs.map((o) => ({ ...o, name: outer.get(o.name) ?? o.name })),
  };
}
