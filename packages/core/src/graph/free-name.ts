// Names for what a pass adds to a graph.
import { type Graph, requiredInputs } from "./graph.ts";

/** A name for an output that no input has: the stem, with as many underscores behind it as it takes. */
export function freeName(graph: Graph, stem: string): string {
  const taken = new Set(requiredInputs(graph).map(({ name }) => name));
  let name = stem;
  while (taken.has(name)) name += "_";
  return name;
}
