import {
  type Graph,
  GraphError,
  loadModel,
  requiredInputs,
  withOutputs,
  withShapes,
} from "@lemmata/core/graph";
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

/**
 * Several models with what the command line settles of them: each with what is about its own inputs and outputs; what is
 * about none of them is an error of the first.
 */
export function settledAmong(
  graphs: readonly Graph[],
  { shape = [], output = [] }: InterfaceOptions,
): readonly Graph[] {
  const inputOf = (text: string): string => text.slice(0, text.lastIndexOf(":"));
  const has = {
    shape: (graph: Graph, text: string) => requiredInputs(graph).some(({ name }) => name === inputOf(text)),
    output: (graph: Graph, name: string) => graph.outputs.some((value) => value.name === name),
  };
  const [first] = graphs;
  for (const text of shape) {
    parseShape(text);
    if (first && !graphs.some((graph) => has.shape(graph, text))) settled(first, { shape: [text] });
  }
  for (const name of output)
    if (first && !graphs.some((graph) => has.output(graph, name))) settled(first, { output: [name] });
  return graphs.map((graph) =>
    settled(graph, {
      shape: shape.filter((text) => has.shape(graph, text)),
      output: output.filter((name) => has.output(graph, name)),
    }),
  );
}

/** The model with what the command line settles of it. */
export function settled(graph: Graph, { shape = [], output = [] }: InterfaceOptions): Graph {
  const given = shape.map(parseShape);
  const twice = given.find(([name], k) => given.findIndex(([other]) => other === name) < k);
  if (twice) throw new UsageError(`--shape ${twice[0]} is given twice`);
  return withOutputs(withShapes(graph, new Map(given)), output);
}
