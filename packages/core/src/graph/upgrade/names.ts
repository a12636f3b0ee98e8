// The names of a model, and new ones beside them.
import { type Graph, subgraphs } from "../graph.ts";

/** Every name that a graph and its subgraphs give or read, and which of them nodes read. */
export interface Names {
  readonly used: Set<string>;
  readonly read: Set<string>;
}

export function allNames(
  graph: Graph,
  names: Names = { used: new Set(), read: new Set() },
  depth = 0,
): Names {
  for (const { name } of [...graph.inputs, ...graph.outputs]) names.used.add(name);
  for (const name of graph.initializers.keys()) names.used.add(name);
  if (depth > 0) for (const { name } of graph.outputs) names.read.add(name);
  for (const node of graph.nodes) {
    for (const name of [node.name, ...node.inputs, ...node.outputs]) names.used.add(name);
    for (const name of node.inputs) names.read.add(name);
    for (const inner of subgraphs(node)) allNames(inner, names, depth + 1);
  }
  return names;
}

export class FreshNames {
  readonly #names: Names;

  constructor(names: Names) {
    this.#names = names;
  }

  isRead(name: string): boolean {
    return this.#names.read.has(name);
  }

  /** The stem itself, or with a number behind it, whichever is free. */
  fresh(stem: string): string {
    const { used } = this.#names;
    let name = stem;
    for (let k = 2; used.has(name); k++) name = `${stem}_${k}`;
    used.add(name);
    return name;
  }
}
