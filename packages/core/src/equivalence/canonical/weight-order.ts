// The weights of a graph in an order that its structure alone decides: not names, not the order in the file.
import { type Graph, type Node, outerReferences, subgraphs } from "../../graph/graph.ts";

/** What a node reads, its branches and bodies included. */
export const readsOf = (node: Node): readonly string[] => [
  ...node.inputs,
  ...subgraphs(node).flatMap((body) => [...outerReferences(body)]),
];

/** Names of weights, in the order in which a walk from the outputs back, inputs first, is done with their readers. */
export function weightOrder({ nodes, outputs, initializers }: Graph): readonly string[] {
  const makers = new Map(nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)));
  const order = new Set<string>();
  const seen = new Set<string>();
  const waiting: { readonly name: string; readonly isDone: boolean }[] = outputs
    .toReversed()
    .map(({ name }) => ({ name, isDone: false }));
  while (waiting.length > 0) {
    const { name, isDone } = waiting.pop()!;
    const maker = makers.get(name);
    const inputs = maker ? readsOf(maker) : [];
    if (isDone) {
      for (const input of inputs) if (initializers.has(input)) order.add(input);
      continue;
    }
    if (initializers.has(name)) order.add(name);
    if (seen.has(name)) continue;
    seen.add(name);
    waiting.push({ name, isDone: true });
    for (const input of inputs.toReversed())
      if (makers.has(input)) waiting.push({ name: input, isDone: false });
  }
  return [...order];
}
