import { GraphError } from "../graph/error.ts";
import type { Graph } from "../graph/graph.ts";
import type { Layered } from "./layers.ts";

export function readLayers(source: Graph): Layered {
  throw new GraphError(`graph "${source.name}" is not a chain of layers`);
}
