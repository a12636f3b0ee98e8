// Targets as a file holds them: classes or quantities.
import { cast, elementCount, isFloat, numbers, type Tensor, tensor } from "../../graph/tensor.ts";
import { TrainError } from "../error.ts";
import { checkExamples, classCount, type Dataset, type Examples } from "./dataset.ts";

export interface TargetOptions {
  /** What the loss wants; default: integer targets are classes, others quantities. */
  readonly task?: Dataset["task"] | undefined;
  /** How many classes the network tells apart; default: as many as there are labels. */
  readonly classes?: number | undefined;
}

/** A file with element types says by them what its targets are; a CSV file has only the values. */
export function taskOf(y: Tensor, { task }: TargetOptions, by: "type" | "values"): Dataset["task"] {
  if (task) return task;
  const integers = by === "type" ? !isFloat(y.type) : numbers(y).every(Number.isInteger);
  return integers ? "classification" : "regression";
}

/** Checked examples, and how many classes there are: labels int64 [n], quantities float64 [n, k]. */
export function examplesOf(
  { x, y }: { readonly x: Tensor; readonly y: Tensor },
  task: Dataset["task"],
  name: string,
  { classes }: TargetOptions,
): { readonly examples: Examples; readonly classes?: number } {
  for (const [part, { type }] of Object.entries({ x, y }))
    if (type === "string" || type.startsWith("complex"))
      throw new TrainError(`${name}: ${part} holds ${type}, not numbers`);
  if (x.dims.length < 1 || y.dims.length < 1)
    throw new TrainError(`${name}: x and y must have one row an example, not be a single number`);
  const inputs = x.dims.length === 1 ? { ...x, dims: [x.dims[0]!, 1] } : x;
  checkExamples({ x: inputs, y }, name);
  const [n, ...rest] = y.dims as readonly [number, ...number[]];
  if (task === "regression")
    return {
      examples: { x: inputs, y: { ...cast(y, "float64"), dims: rest.length === 0 ? [n, 1] : y.dims } },
    };
  if (elementCount(rest) !== 1)
    throw new TrainError(`${name}: y is [${y.dims.join(", ")}]; classes are one label an example, [n]`);
  const labels = { ...fromZero(y), dims: [n] };
  const count = classCount(labels, name, classes);
  return { examples: { x: inputs, y: cast(labels, "int64") }, classes: count };
}

/** Two classes are also written -1 and 1: they become 0 and 1. */
function fromZero(y: Tensor): Tensor {
  const labels = numbers(y);
  const isSigns = labels.every((v) => v === 1 || v === -1) && labels.some((v) => v < 0);
  return isSigns
    ? tensor(
        Array.from(labels, (v) => (v + 1) / 2),
        { type: "int64", dims: y.dims },
      )
    : y;
}
