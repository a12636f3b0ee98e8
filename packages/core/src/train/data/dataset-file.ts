// Data sets by name, or in a .npz or .csv file, as examples to train on and to test with.
import { readCsv } from "../../data/csv.ts";
import { decodeData } from "../../data/format.ts";
import { cast, elementCount, type Tensor } from "../../graph/tensor.ts";
import { TrainError } from "../error.ts";
import { checkExamples, type Dataset, type Examples, splitExamples } from "./dataset.ts";
import { examplesOf, type TargetOptions, taskOf } from "./dataset-targets.ts";
import { circles, type PlaneOptions, spirals, twoMoons } from "./plane.ts";

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
  /** The column of a CSV file that holds the targets; default: y, else the last one. */
  readonly target?: string | undefined;
}

const drawn: Readonly<Record<string, (n: number, options: PlaneOptions) => Examples>> = {
  "two-moons": twoMoons,
  spirals,
  circles,
};

/** The names of the data sets that are drawn. */
export const drawnDatasetNames: readonly string[] = Object.keys(drawn);

/**
 * A data set that is drawn: two-moons, spirals or circles.
 * @example drawnDataset("two-moons", { count: 100, testFraction: 0.25 }).test.x.dims // [25, 2]
 */
export function drawnDataset(name: string, options: DatasetOptions = {}): Dataset {
  const draw = Object.hasOwn(drawn, name) ? drawn[name] : undefined;
  if (!draw)
    throw new TrainError(`no data set "${name}" can be drawn; there are ${drawnDatasetNames.join(", ")}`);
  const { count = 1000, noise, seed = 0, testFraction = 0.2 } = options;
  const examples = draw(count, noise === undefined ? { seed } : { seed, noise });
  return fittedDataset(
    withClasses(
      { name, task: "classification", classes: 2, ...splitExamples(examples, { testFraction, seed }) },
      options,
    ),
    options,
  );
}

/**
 * The data set in a .npz file (arrays x, y, and x_test, y_test if they are there) or a .csv file.
 * @example datasetFromFile(new TextEncoder().encode("a,y\n1,0\n2,1"), "a.csv", { testFraction: 0 }).classes // 2
 */
export function datasetFromFile(bytes: Uint8Array, name: string, options: DatasetOptions = {}): Dataset {
  if (/\.npz$/i.test(name)) return fittedDataset(fromNpz(bytes, name, options), options);
  if (/\.[ct]sv$/i.test(name)) return fittedDataset(fromCsv(bytes, name, options), options);
  throw new TrainError(`${name}: data sets are read from .npz and .csv files`);
}

/** A data set with fewer classes than the network has outputs is fine; one with more is not. */
export function withClasses(dataset: Dataset, { classes, task }: DatasetOptions): Dataset {
  if (task === "regression")
    throw new TrainError(`${dataset.name} has classes, not quantities: choose a loss for classification`);
  if (classes !== undefined && classes < dataset.classes!)
    throw new TrainError(
      `${dataset.name} has ${dataset.classes} classes, but the network has ${classes} outputs`,
    );
  return { ...dataset, classes: classes ?? dataset.classes! };
}

/** The arrays x and y, and x_test and y_test if they are there. */
function fromNpz(bytes: Uint8Array, name: string, options: DatasetOptions): Dataset {
  const arrays = decodeData(bytes, name);
  const pair = (x: string, y: string): { readonly x: Tensor; readonly y: Tensor } => {
    if (arrays[x] && arrays[y]) return { x: arrays[x], y: arrays[y] };
    const there = Object.keys(arrays).join(", ") || "nothing";
    throw new TrainError(`${name}: it needs arrays ${x} and ${y}, and holds ${there}`);
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
  if (here !== there) throw new TrainError(`${name}: an example is [${here}] in x, but [${there}] in x_test`);
  return { name, task, ...(classes === undefined ? {} : { classes }), train, test };
}

/** The target is the column that is asked for, else y, else the last one. */
function fromCsv(bytes: Uint8Array, name: string, options: DatasetOptions): Dataset {
  const { columns, rows, count } = readCsv(new TextDecoder().decode(bytes), { file: name });
  const width = columns.length;
  if (width < 2)
    throw new TrainError(`${name}: one column; at least two are needed, the last (or y) is the target`);
  const target = targetColumn(columns, name, options.target);
  const raw = {
    x: { type: "float64", dims: [count, width - 1], data: rows.filter((_, k) => k % width !== target) },
    y: { type: "float64", dims: [count], data: rows.filter((_, k) => k % width === target) },
  } as const;
  return split(name, raw, taskOf(raw.y, options, "values"), options);
}

/** Which column holds the targets. */
function targetColumn(columns: readonly string[], name: string, asked: string | undefined): number {
  const wanted = asked ?? "y";
  const place = columns.indexOf(wanted);
  if (columns.lastIndexOf(wanted) !== place)
    throw new TrainError(`${name}: two columns are called ${wanted}`);
  if (place < 0 && asked !== undefined)
    throw new TrainError(`${name}: no column is called ${asked}; there are ${columns.join(", ")}`);
  return place < 0 ? columns.length - 1 : place;
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

/** The data set with inputs of the shape and element type that a network reads. */
export function fittedDataset(dataset: Dataset, { inputShape, type = "float32" }: DatasetOptions): Dataset {
  const fit = ({ x, y }: Examples): Examples => {
    const [n, ...shape] = x.dims as readonly [number, ...number[]];
    const wanted = inputShape ?? shape;
    if (elementCount(wanted) !== elementCount(shape))
      throw new TrainError(
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
