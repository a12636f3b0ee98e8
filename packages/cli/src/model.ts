import { type Graph, GraphError, loadModel } from "@lemmata/core/graph";
import { printableLine } from "@lemmata/core/printable";

/** Reads an ONNX file; errors begin with its name. */
export async function loadGraph(path: string): Promise<Graph> {
  try {
    return await loadModel(path);
  } catch (error) {
    if (error instanceof GraphError && !error.message.includes(printableLine(path)))
      throw new GraphError(`${path}: ${error.message}`);
    throw error;
  }
}
