// The data that a model is audited on: what it was trained on, and what it was not, in the shape that it reads.
import { type Graph, requiredInputs } from "../graph/graph.ts";
import { inferTypes } from "../graph/infer.ts";
import { elementCount, numbers } from "../graph/tensor.ts";
import type { Dataset, Examples } from "../train/data/dataset.ts";
import type { DatasetOptions } from "../train/data/dataset-file.ts";
import { AuditError } from "./error.ts";
import { withOneHotClasses } from "./one-hot.ts";

/** Where examples come from. */
export interface ExampleSource {
  readonly load: (options: DatasetOptions) => Dataset;
  /** A data set by name, with a test part of its own. */
  readonly isNamed: boolean;
  /** Its inputs are pixels in [0, 1], whatever is drawn. */
  readonly isPixels?: boolean;
}

export interface AuditDataOptions {
  readonly task?: Dataset["task"] | undefined;
  /** The share of the examples to test with; default: of a file none, as the model may have seen all of it. */
  readonly testFraction?: number | undefined;
  readonly count?: number | undefined;
  readonly noise?: number | undefined;
  /** The greatest norm that an input can have, if it is known. */
  readonly radius?: number | undefined;
  readonly seed: number;
}

export interface AuditExamples {
  readonly name: string;
  readonly data: Examples;
  readonly test?: Examples;
  /** Of all inputs that there can be, where that is known. */
  readonly inputRadius?: number;
  /** How the data was read, where that is not plain. */
  readonly dataRemark?: string;
}

/** Loads the data in the shape that the network reads. */
export function auditExamples(
  net: Graph,
  { data, test: other }: { readonly data: ExampleSource; readonly test?: ExampleSource | undefined },
  options: AuditDataOptions,
): AuditExamples {
  const reading = readingOf(net);
  const settings: DatasetOptions = {
    ...reading,
    seed: options.seed,
    count: options.count,
    noise: options.noise,
    testFraction: options.testFraction ?? (data.isNamed ? 0.2 : 0),
  };
  const { dataset, isOneHot } = loadFitting(data, settings, options.task);
  const classes = reading.classes ?? dataset.classes;
  const forTest = { ...settings, testFraction: 0, classes };
  const given = other && loadFitting(other, forTest, dataset.task).dataset;
  const test = given ? (other!.isNamed ? (given.test ?? given.train) : given.train) : dataset.test;
  const { train } = dataset;
  const inputRadius =
    options.radius ?? (data.isPixels ? Math.sqrt(elementCount(train.x.dims.slice(1))) : undefined);
  if (inputRadius !== undefined) checkRadius(inputRadius, train, dataset.name);
  return {
    name: dataset.name,
    data: train,
    ...(test ? { test } : {}),
    ...(inputRadius === undefined ? {} : { inputRadius }),
    ...(isOneHot ? { dataRemark: oneHotRemark } : {}),
  };
}

const oneHotRemark = "targets are one-hot, read as classes (--task regression reads them as numbers)";

interface Loaded {
  readonly dataset: Dataset;
  readonly isOneHot: boolean;
}

function readingOf(net: Graph): Pick<DatasetOptions, "inputShape" | "type" | "classes"> {
  const [input, another] = requiredInputs(net);
  if (!input || another)
    throw new AuditError(`an audit needs a network with one input, not ${requiredInputs(net).length}`);
  const types = inferTypes(net);
  const [type, output] = [types.get(input.name), types.get(net.outputs[0]?.name ?? "")];
  const inner = type?.shape?.slice(1);
  const widths = output?.shape?.slice(1);
  const outputs = widths?.every((d) => typeof d === "number") ? elementCount(widths as number[]) : undefined;
  return {
    inputShape: inner?.every((d) => typeof d === "number") ? (inner as number[]) : undefined,
    type: type?.type === "float64" ? "float64" : "float32",
    classes: outputs !== undefined && outputs > 1 ? outputs : undefined,
  };
}

/** Whole numbers as floats are classes for a network with several outputs; more than two classes are none for one output. */
function loadFitting(
  { load, isNamed }: ExampleSource,
  settings: DatasetOptions,
  task: Dataset["task"] | undefined,
): Loaded {
  const loadAs = (as: Dataset["task"] | undefined): Loaded => ({
    dataset: load({ ...settings, ...(as ? { task: as } : {}) }),
    isOneHot: false,
  });
  if (isNamed) return loadAs(task === "classification" ? undefined : task);
  if (task === "regression") return loadAs(task);
  const oneHot = oneHotData(() => loadAs("regression").dataset, settings.classes);
  if (oneHot) return { dataset: oneHot, isOneHot: true };
  const found = loadAs(task);
  if (task) return found;
  if (found.dataset.task === "classification")
    return settings.classes === undefined && (found.dataset.classes ?? 0) > 2 ? loadAs("regression") : found;
  const { y } = found.dataset.train;
  const isLabels = (y.dims[1] ?? 1) === 1 && numbers(y).every(Number.isInteger);
  return isLabels && settings.classes !== undefined ? loadAs("classification") : found;
}

/** What cannot be read as numbers is told in its own words by who reads it as what it is. */
function oneHotData(asNumbers: () => Dataset, outputs: number | undefined): Dataset | undefined {
  try {
    return withOneHotClasses(asNumbers(), outputs);
  } catch (error) {
    if (error instanceof Error && error.name === "TrainError") return undefined;
    throw error;
  }
}

/** A radius that an example exceeds is not one. */
function checkRadius(radius: number, { x }: Examples, name: string): void {
  const values = numbers(x);
  const width = values.length / x.dims[0]!;
  for (let i = 0; i < x.dims[0]!; i++) {
    let square = 0;
    for (let k = i * width; k < (i + 1) * width; k++) square += values[k]! ** 2;
    if (Math.sqrt(square) > radius * (1 + 1e-6))
      throw new AuditError(
        `radius ${radius}: example ${i + 1} of ${name} has the norm ${Number(Math.sqrt(square).toPrecision(6))}`,
      );
  }
}
