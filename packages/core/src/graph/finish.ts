// The last step of writing a graph: inputs and outputs get their names, everything else keeps clear of them.

import { GraphError } from "./error.ts";
import type { Graph, Node, TensorType } from "./graph.ts";
import { renameNode } from "./rename.ts";
import { canonicalOpset } from "./upgrade.ts";
import type { GraphWriter, Types, Value, Values } from "./value.ts";

interface Named {
  readonly name: string;
  /** A graph inside another one: its names are its own business, so they are made fresh. */
  readonly nested: boolean;
}

/** Runs the body on the inputs and closes the graph around its results. */
export function finish(
  builder: GraphWriter,
  types: Types,
  body: (inputs: Values) => Values,
  { name, nested }: Named,
): Graph {
  const own = (key: string): string => (nested ? builder.fresh(key) : key);
  const inputs = Object.entries(types).map(([key, type]) => ({ key, name: own(key), type }));
  const values = Object.fromEntries(inputs.map((i) => [i.key, builder.input(i.name, i.type)]));
  const results = Object.entries(body(values)).map(([key, value]) => ({ name: own(key), value }));
  // An input may be an output as it is; no other value can have its name.
  const taken = results.find((r) => r.value.name !== r.name && inputs.some((i) => i.name === r.name));
  if (taken) throw new GraphError(`"${taken.name}" is the name of an input and of an output`);
  const { nodes, rename } = nameResults(builder, results);
  return {
    name,
    inputs: inputs.map((i) => ({ name: i.name, type: i.type })),
    outputs: results.map(({ name: output, value }) => ({ name: output, type: plainType(value.type) })),
    nodes,
    initializers: new Map([...builder.initializers].map(([key, weight]) => [rename.get(key) ?? key, weight])),
    valueTypes: new Map(),
    opsets: new Map([["", canonicalOpset]]),
    irVersion: 9,
    metadata: new Map(),
    functions: [],
  };
}

const plainType = ({ type, shape }: TensorType): TensorType => ({ type, shape });

/**
 * The node that makes a result takes the result's name; an input under another name, a weight or a second use gets an
 * Identity.
 */
function nameResults(
  builder: GraphWriter,
  results: readonly { readonly name: string; readonly value: Value }[],
): { readonly nodes: readonly Node[]; readonly rename: ReadonlyMap<string, string> } {
  const made = new Set(builder.nodes.flatMap((node) => node.outputs));
  const names = new Set(results.map((r) => r.name));
  const rename = new Map<string, string>();
  for (const taken of [...made, ...builder.initializers.keys()]) {
    if (names.has(taken)) rename.set(taken, builder.fresh(taken));
  }
  const claimed = new Set<string>();
  const copied = results.filter(({ name, value }) => {
    if (value.name === name && !made.has(name) && !builder.initializers.has(name)) return false;
    if (!made.has(value.name) || claimed.has(value.name)) return true;
    claimed.add(value.name);
    rename.set(value.name, name);
    return false;
  });
  const copies = copied.map(({ name, value }) => ({
    op: "Identity",
    domain: "",
    name,
    inputs: [rename.get(value.name) ?? value.name],
    outputs: [name],
    attributes: new Map(),
  }));
  return { nodes: [...builder.nodes.map((node) => renameNode(node, rename, node.name)), ...copies], rename };
}
