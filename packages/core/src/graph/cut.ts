// A part of a graph: from some of its values on, or up to some of them.
import { GraphError } from "./error.ts";
import { type Graph, outerReferences, requiredInputs, subgraphs, type ValueInfo } from "./graph.ts";
import { inferTypes } from "./infer.ts";
import { printableLine } from "./printable.ts";
import { prune } from "./prune.ts";

/** What a node makes, by name. */
function valuesOf(graph: Graph, names: readonly string[]): readonly ValueInfo[] {
  const types = inferTypes(graph);
  const made = new Set(graph.nodes.flatMap(({ outputs }) => outputs.filter(Boolean)));
  return names.map((name) => {
    if (!made.has(name))
      throw new GraphError(`the model computes no value "${printableLine(name)}"${hint(graph)}`);
    const known = types.get(name);
    return { name, type: known ? { type: known.type, shape: known.shape } : { type: "undefined" } };
  });
}

/** Tables that are looked up, which is where people want to start. */
function hint({ nodes, initializers }: Graph): string {
  const looked = nodes.filter(({ op, inputs }) => op === "Gather" && initializers.has(inputs[0]!));
  const names = looked.flatMap(({ outputs }) => outputs.map((name) => `"${printableLine(name)}"`));
  return names.length > 0 ? `; its embeddings: ${names.join(", ")}` : "";
}

/**
 * The graph whose outputs are these values.
 * @example endingAt(net, [net.nodes[0].outputs[0]]).nodes.length // 1
 */
export const endingAt = (graph: Graph, names: readonly string[]): Graph =>
  prune({ ...graph, outputs: valuesOf(graph, names) });

/**
 * The graph whose inputs are these values, and those of its own inputs that are still needed then: bounds of a network of tokens
 * begin at their embeddings.
 * @example startingFrom(net, [net.nodes[0].outputs[0]]).inputs[0].name === net.nodes[0].outputs[0] // true
 */
export function startingFrom(graph: Graph, names: readonly string[]): Graph {
  if (names.length === 0) return graph;
  const given = valuesOf(graph, names);
  const taken = new Set(names);
  const stillThere = graph.nodes
    .filter(({ outputs }) => !outputs.filter(Boolean).every((name) => taken.has(name)))
    .map((node) => ({ ...node, outputs: node.outputs.map((name) => (taken.has(name) ? "" : name)) }));
  const rest = prune({ ...graph, nodes: stillThere });
  const read = new Set(
    rest.nodes.flatMap((node) => [
      ...node.inputs,
      ...subgraphs(node).flatMap((inner) => [...outerReferences(inner)]),
    ]),
  );
  const idle = names.find((name) => !read.has(name) && !graph.outputs.some((o) => o.name === name));
  if (idle !== undefined) throw new GraphError(`no output needs the value "${printableLine(idle)}"`);
  const own = requiredInputs(graph).filter(({ name }) => read.has(name) || isOutput(graph, name));
  const defaults = graph.inputs.filter(({ name }) => rest.initializers.has(name));
  return { ...rest, inputs: [...given, ...own, ...defaults], valueTypes: new Map() };
}

const isOutput = ({ outputs }: Graph, name: string): boolean => outputs.some((o) => o.name === name);
