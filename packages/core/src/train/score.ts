// Loss and accuracy of a network on data, batch by batch.
import { run } from "../engine/run.ts";
import type { Graph } from "../graph/graph.ts";
import { elementCount, numbers, type Tensor } from "../graph/tensor.ts";
import type { TrainingData, TrainingState } from "./advance.ts";
import { objective } from "./loss.ts";
import { averageKey, weightKey } from "./state.ts";
import type { Training } from "./training.ts";
import { weightsAsInputs } from "./weights.ts";

/** Examples that are looked at together. */
const batch = 1000;

export interface Score {
  /** The mean over the examples. */
  readonly loss: number;
  /** The share classified right, where the loss is one for classes. */
  readonly accuracy?: number;
}

const graphs = new WeakMap<Training, Graph>();

/** The network and its loss with the weights as inputs: one session for all states of a run. */
function evaluation(training: Training): Graph {
  const known = graphs.get(training);
  if (known) return known;
  const { model, weights, options } = training;
  const rename = new Map(weights.map((name) => [name, weightKey(name)]));
  const graph = objective(weightsAsInputs(model, rename), options.loss);
  graphs.set(training, graph);
  return graph;
}

/** How a state of a run does on data; where the run averages its iterates, the average is judged. */
export async function score(
  training: Training,
  { tensors }: TrainingState,
  data: TrainingData,
  { threads }: { readonly threads?: number } = {},
): Promise<Score> {
  const graph = evaluation(training);
  const others = new Set([...training.weights.map(weightKey), "target"]);
  const input = graph.inputs.find((i) => !others.has(i.name))!.name;
  const key = training.options.averaging === undefined ? weightKey : averageKey;
  const weights = Object.fromEntries(training.weights.map((name) => [weightKey(name), tensors[key(name)]!]));
  const examples = data.x.dims[0]!;
  let [loss, right] = [0, 0];
  for (let from = 0; from < examples; from += batch) {
    const to = Math.min(examples, from + batch);
    const inputs = { ...weights, [input]: rows(data.x, from, to), target: rows(data.target, from, to) };
    const found = await run(graph, inputs, threads === undefined ? {} : { threads });
    loss += (to - from) * numbers(found.loss!)[0]!;
    right += (to - from) * (found.accuracy ? numbers(found.accuracy)[0]! : Number.NaN);
  }
  return { loss: loss / examples, ...(Number.isNaN(right) ? {} : { accuracy: right / examples }) };
}

/** Some of the examples, without copying them. */
function rows({ type, dims, data }: Tensor, from: number, to: number): Tensor {
  const size = elementCount(dims.slice(1));
  const view = (data as Float32Array).subarray(from * size, to * size);
  return { type, dims: [to - from, ...dims.slice(1)], data: view };
}
