// The examples of a kernel, in the shape that the network reads, and what is to be predicted.
import { cast, numbers, type Tensor } from "@lemmata/core/graph";
import { centredOneHot } from "@lemmata/core/kernels";
import type { Matrix } from "@lemmata/core/linear-algebra";
import { type Dataset, type DatasetOptions, type Examples, takeExamples } from "@lemmata/core/train";
import { oneOf } from "./choice.ts";
import { datasetNames, loadDataset } from "./datasets.ts";
import { UsageError } from "./usage-error.ts";

export interface KernelDataOptions {
  readonly data: string;
  readonly test?: string;
  readonly task?: string;
  readonly testFraction?: number;
  readonly count?: number;
  readonly testCount?: number;
  readonly noise?: number;
  readonly seed: number;
}

export interface KernelExamples {
  readonly x: Tensor;
  readonly targets: Matrix;
}

export interface KernelData {
  readonly name: string;
  readonly task: Dataset["task"];
  readonly classes: number | undefined;
  readonly train: KernelExamples;
  readonly test: KernelExamples | undefined;
}

/** Points that are drawn where nobody says how many. */
const drawnPoints = 1000;

/** Loads the data; a file is split only if asked, as its examples are all there is to train with. */
export function kernelData(
  inputShape: readonly number[] | undefined,
  options: KernelDataOptions,
): KernelData {
  const { data, test: other } = options;
  const task =
    options.task === undefined ? undefined : oneOf("--task", options.task, ["classification", "regression"]);
  if (other === data && !datasetNames.includes(data))
    throw new UsageError("--test is the file of --data: examples that were trained on test nothing");
  const settings: DatasetOptions = {
    ...{ inputShape, seed: options.seed, noise: options.noise, task },
    count: options.count ?? drawnPoints,
    testFraction: options.testFraction ?? (datasetNames.includes(data) ? 0.2 : 0),
  };
  const dataset = loadDataset(data, { ...settings, type: precision(data) });
  checkSplit(settings, options);
  const test = other === undefined ? dataset.test : testExamples(other, dataset, settings);
  const examples = (given: Examples, count: number | undefined, what: string): KernelExamples => {
    const { x, y } = first(given, count, what);
    return { x: cast(x, "float64"), targets: targetsOf(y, dataset) };
  };
  // Of points that are drawn, --count says how many there are, with those to test with.
  const isDrawn = datasetNames.includes(data) && data !== "mnist";
  return {
    name: dataset.name,
    task: dataset.task,
    classes: dataset.classes,
    train: examples(dataset.train, isDrawn ? undefined : options.count, "--count"),
    test: test && examples(test, options.testCount, "--test-count"),
  };
}

/** A share to test with is of examples that nobody has set aside. */
function checkSplit(settings: DatasetOptions, { data, testFraction }: KernelDataOptions): void {
  if (testFraction === undefined) return;
  const isDrawn = datasetNames.includes(data) && data !== "mnist";
  if (
    isDrawn ||
    loadDataset(data, { ...settings, testFraction: 0, type: precision(data) }).test === undefined
  )
    return;
  throw new UsageError(`--test-fraction ${testFraction}: ${data} has examples to test with`);
}

/** Pixels are bytes, of which there are many: they become float64 when it is known which ones are needed. */
const precision = (data: string): "float32" | "float64" => (data === "mnist" ? "float32" : "float64");

function testExamples(name: string, { task, classes, train }: Dataset, settings: DatasetOptions): Examples {
  const isNamed = datasetNames.includes(name);
  const given = loadDataset(name, {
    ...settings,
    inputShape: train.x.dims.slice(1),
    type: precision(name),
    testFraction: isNamed ? settings.testFraction : 0,
    ...(isNamed ? {} : { task, classes }),
  });
  if (given.task !== task)
    throw new UsageError(`--test ${name} has ${kindOf(given.task)}, but --data has ${kindOf(task)}`);
  return (isNamed ? given.test : undefined) ?? given.train;
}

const kindOf = (task: Dataset["task"]): string => (task === "regression" ? "quantities" : "classes");

function first(examples: Examples, count: number | undefined, option: string): Examples {
  const there = examples.x.dims[0]!;
  if (count === undefined || count === there) return examples;
  if (count > there) throw new UsageError(`${option} ${count}: there are ${there} examples`);
  return takeExamples(
    examples,
    Int32Array.from({ length: count }, (_, i) => i),
  );
}

/** Classes as centred one-hot vectors, quantities as they are. */
function targetsOf(y: Tensor, { task, classes }: Dataset): Matrix {
  if (task === "classification") return centredOneHot(y, classes!);
  const entries = Float64Array.from(numbers(y));
  return { rows: y.dims[0]!, columns: entries.length / y.dims[0]!, entries };
}
