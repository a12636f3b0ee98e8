// Reads a dropped model; only in a worker.
import { type Graph, GraphError, readModel } from "@lemmata/core/graph";
import type { ModelFiles } from "./model-files.ts";

/** The part of a file that holds weights, without reading the rest of it. */
function weightsIn(files: readonly File[], location: string, offset: number, length: number): Uint8Array {
  const name = location.split("/").at(-1);
  const file = files.find((each) => each.name === name);
  if (!file)
    throw new GraphError(
      `its weights are in the file ${JSON.stringify(name)}: drop that file together with it`,
    );
  return new Uint8Array(new FileReaderSync().readAsArrayBuffer(file.slice(offset, offset + length)));
}

/** The graph of a model file; errors begin with its name. */
export async function readDroppedModel({ model, weights }: ModelFiles): Promise<Graph> {
  if (model.size === 0) throw new GraphError(`${model.name}: the file is empty`);
  const bytes = new Uint8Array(await model.arrayBuffer());
  try {
    return readModel(bytes, {
      external: (location, offset, length) => weightsIn(weights, location, offset, length),
    });
  } catch (error) {
    throw error instanceof GraphError ? new GraphError(`${model.name}: ${error.message}`) : error;
  }
}
