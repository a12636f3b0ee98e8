// From what the command line says to a network and data that fit each other.
import { readFileSync } from "node:fs";
import { type Graph, inferTypes, numbers, requiredInputs, type Tensor, tensor } from "@lemmata/core/graph";
import {
  type Dataset,
  type Examples,
  type Initialization,
  initialNetwork,
  type LossName,
  losses,
  parseSpecJson,
  type TrainingData,
} from "@lemmata/core/train";
import { oneOf } from "./choice.ts";
import { loadDataset } from "./datasets.ts";
import { loadGraph } from "./model.ts";
import { UsageError } from "./usage-error.ts";

export interface TrainSettings {
  readonly data: string;
  readonly loss?: string;
  readonly init?: string;
  readonly type: string;
  readonly seed: number;
  readonly testFraction: number;
  readonly count: number;
  readonly noise?: number;
}

/** The network to start from: an ONNX file with its weights, or a specification with random ones. */
export async function startingNetwork(net: string, { init, type, seed }: TrainSettings): Promise<Graph> {
  const element = oneOf("--type", type, ["float32", "float64"]);
  if (/\.onnx$/i.test(net)) {
    if (init) throw new UsageError("--init is for a specification: an ONNX file has its weights");
    return loadGraph(net);
  }
  const spec = /\.json$/i.test(net) ? parseSpecJson(readFileSync(net, "utf8"), { file: net }) : net;
  const options = init === undefined ? {} : { initialization: init as Initialization };
  return initialNetwork(spec, { ...options, seed, type: element });
}

export interface Task {
  readonly loss: LossName;
  readonly dataset: Dataset;
  readonly train: TrainingData;
  readonly test?: TrainingData;
}

/** The data for a network, with targets as the loss reads them. */
export function taskFor(net: Graph, settings: TrainSettings): Task {
  const [input, another] = requiredInputs(net);
  if (!input || another)
    throw new UsageError(`training needs a network with one input, not ${requiredInputs(net).length}`);
  const types = inferTypes(net);
  const [type, output] = [types.get(input.name), types.get(net.outputs[0]?.name ?? "")];
  const inner = type?.shape?.slice(1);
  const width = output?.shape?.[1];
  const outputs = typeof width === "number" ? width : 1;
  const asked =
    settings.loss === undefined
      ? undefined
      : oneOf("--loss", settings.loss, Object.keys(losses) as LossName[]);
  const dataset = loadDataset(settings.data, {
    inputShape: inner?.every((d) => typeof d === "number") ? (inner as number[]) : undefined,
    seed: settings.seed,
    testFraction: settings.testFraction,
    count: settings.count,
    noise: settings.noise,
    type: type?.type === "float64" ? "float64" : "float32",
    task: asked && losses[asked].target === "class" ? "classification" : undefined,
    classes: outputs > 1 ? outputs : undefined,
  });
  const loss = asked ?? usualLoss(dataset, outputs);
  if (outputs === 1 && (dataset.classes ?? 0) > 2 && losses[loss].target === "class")
    throw new UsageError(
      `${dataset.name} has ${dataset.classes} classes: the network needs as many outputs, not 1`,
    );
  const convert = ({ x, y }: Examples): TrainingData => ({
    x,
    target: targets(y, x.type, loss, outputs, dataset),
  });
  return {
    loss,
    dataset,
    train: convert(dataset.train),
    ...(dataset.test ? { test: convert(dataset.test) } : {}),
  };
}

const usualLoss = ({ task }: Dataset, outputs: number): LossName =>
  task === "regression" ? "square" : outputs === 1 ? "logistic" : "cross-entropy";

/** Classes as numbers, where a loss of numbers asks for them: -1 and 1, or 1 at the class's place. */
function targets(
  y: Tensor,
  type: Tensor["type"],
  loss: LossName,
  outputs: number,
  { task, name }: Dataset,
): Tensor {
  if (losses[loss].target === "class" || task === "regression") {
    if (task === "regression" && (y.dims[1] ?? 1) !== outputs)
      throw new UsageError(
        `${name} has ${y.dims[1] ?? 1} target(s) an example, but the network has ${outputs} output(s)`,
      );
    return y;
  }
  const classes = numbers(y);
  const values = new Float64Array(classes.length * outputs);
  classes.forEach((c, k) => {
    if (outputs === 1) values[k] = 2 * c - 1;
    else values[k * outputs + c] = 1;
  });
  return tensor(values, { type: type as "float32", dims: [classes.length, outputs] });
}
