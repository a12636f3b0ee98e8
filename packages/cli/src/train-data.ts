// From what the command line says to a network and data that fit each other.
import {
  type Graph,
  inferTypes,
  numbers,
  requiredInputs,
  type Tensor,
  tensor,
  widenHalf,
} from "@lemmata/core/graph";
import {
  type Dataset,
  type Examples,
  type Initialization,
  initialNetwork,
  type LossName,
  losses,
  parseSpecJson,
  TrainError,
  type TrainingData,
  takeExamples,
  withThrownLabels,
} from "@lemmata/core/train";
import { oneOf } from "./choice.ts";
import { datasetNames, loadDataset } from "./datasets.ts";
import { readBytes } from "./files.ts";
import { type InterfaceOptions, loadGraph, settled } from "./model.ts";
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
  readonly examples?: number;
  readonly labelNoise?: number;
}

/** The network to start from: an ONNX file with its weights, or a specification with random ones. */
export async function startingNetwork(
  net: string,
  { init, type, seed, shape = [], output = [] }: TrainSettings & InterfaceOptions,
): Promise<Graph> {
  const element = oneOf("--type", type, ["float32", "float64"]);
  if (/\.onnx$/i.test(net)) {
    if (init) throw new UsageError("--init is for a specification: an ONNX file has its weights");
    // Half precision is too coarse for small steps: training goes on in float32.
    return widenHalf(settled(await loadGraph(net), { shape, output }));
  }
  if (shape.length > 0 || output.length > 0)
    throw new UsageError("--shape and --output are for an ONNX file: a specification has its own");
  const spec = /\.json$/i.test(net)
    ? parseSpecJson(new TextDecoder().decode(readBytes(net)), { file: net })
    : net;
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
  const loaded = loadDataset(settings.data, {
    inputShape: inner?.every((d) => typeof d === "number") ? (inner as number[]) : undefined,
    seed: settings.seed,
    testFraction: settings.testFraction,
    count: settings.count,
    noise: settings.noise,
    type: type?.type === "float64" ? "float64" : "float32",
    task: asked && taskOf(asked, settings.data),
    classes: outputs > 1 ? outputs : undefined,
  });
  const dataset = thrown(firstOf(loaded, settings), settings);
  const loss = asked ?? usualLoss(dataset, outputs);
  if (outputs === 1 && (dataset.classes ?? 0) > 2)
    throw new UsageError(
      `${dataset.name} has ${dataset.classes} classes: the network needs as many outputs, not 1`,
    );
  const convert = ({ x, y }: Examples): TrainingData => ({
    x,
    target: targets(
      y,
      { loss, outputs, rank: output?.shape?.length ?? 2, type: x.type as "float32" },
      dataset,
    ),
  });
  return {
    loss,
    dataset,
    train: convert(dataset.train),
    ...(dataset.test ? { test: convert(dataset.test) } : {}),
  };
}

/** The first examples of the training data alone. */
function firstOf(dataset: Dataset, { examples }: TrainSettings): Dataset {
  if (examples === undefined) return dataset;
  const there = dataset.train.x.dims[0]!;
  if (examples > there)
    throw new UsageError(`--examples ${examples}: ${dataset.name} has ${there} to train with`);
  const rows = Array.from({ length: examples }, (_, k) => k);
  return { ...dataset, train: takeExamples(dataset.train, rows) };
}

function thrown(dataset: Dataset, { labelNoise, seed }: TrainSettings): Dataset {
  if (labelNoise === undefined) return dataset;
  try {
    return withThrownLabels(dataset, { share: labelNoise, seed });
  } catch (error) {
    if (error instanceof TrainError) throw new UsageError(`--label-noise: ${error.message}`);
    throw error;
  }
}

/** What a loss makes of the targets in a file; the data sets by name have classes, whatever the loss. */
const taskOf = (loss: LossName, data: string): Dataset["task"] | undefined =>
  losses[loss].target === "class" ? "classification" : datasetNames.includes(data) ? undefined : "regression";

const usualLoss = ({ task }: Dataset, outputs: number): LossName =>
  task === "regression" ? "square" : outputs === 1 ? "logistic" : "cross-entropy";

interface Wanted {
  readonly loss: LossName;
  readonly outputs: number;
  /** Of the network's output: [N] or [N, K]. */
  readonly rank: number;
  readonly type: "float32" | "float64";
}

/** Classes as numbers, where a loss of numbers asks for them: -1 and 1, or 1 at the class's place. */
function targets(y: Tensor, { loss, outputs, rank, type }: Wanted, { task, name }: Dataset): Tensor {
  if (losses[loss].target === "class") return y;
  const shaped = (t: Tensor): Tensor => (rank === 1 ? { ...t, dims: t.dims.slice(0, 1) } : t);
  if (task === "regression") {
    if ((y.dims[1] ?? 1) !== outputs)
      throw new UsageError(
        `${name} has ${y.dims[1] ?? 1} target(s) an example, but the network has ${outputs} output(s)`,
      );
    return shaped(y);
  }
  const classes = numbers(y);
  const values = new Float64Array(classes.length * outputs);
  classes.forEach((c, k) => {
    if (outputs === 1) values[k] = 2 * c - 1;
    else values[k * outputs + c] = 1;
  });
  return shaped(tensor(values, { type, dims: [classes.length, outputs] }));
}
