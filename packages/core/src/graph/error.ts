/** What is wrong with a graph or a model file, and where. */
export class GraphError extends Error {
  override readonly name = "GraphError";
}
