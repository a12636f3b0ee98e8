import { type Graph, GraphError, loadModel, withOutputs, withShapes } from "@lemmata/core/graph";
import { printableLine } from "@lemmata/core/printable";
import { UsageError } from "./usage-error.ts";

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

/** What the command line settles of a model: `--shape name:1,128` and `--output name`, each as often as one likes. */
export interface InterfaceOptions {
  readonly shape?: readonly string[];
  readonly output?: readonly string[];
}

/** The shape that `name:1,128` gives to an input. */
function parseShape(text: string): readonly [string, readonly number[]] {
  const at = text.lastIndexOf(":");
  const dims = text
    .slice(at + 1)
    .split(",")
    .map((part) => (/^\s*\d+\s*$/.test(part) ? Number(part) : Number.NaN));
  if (at <= 0 || !dims.every((d) => Number.isSafeInteger(d)))
    throw new UsageError(`--shape takes an input and its sizes, such as x:1,128, not "${text}"`);
  return [text.slice(0, at), dims];
}

/** The model with what the command line settles of it. */
export function settled(graph: Graph, { shape = [], output = [] }: InterfaceOptions): Graph {
  const given = shape.map(parseShape);
  const twice = given.find(([name], k) => given.findIndex(([other]) => other === name) < k);
  if (twice) throw new UsageError(`--shape ${twice[0]} is given twice`);
  return withOutputs(withShapes(graph, new Map(given)), output);
}
