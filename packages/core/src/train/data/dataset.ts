// Data sets: examples in rows, split into those to train on and those to test with.

import { arrayFor, elementCount, type NumericType, numbers, type Tensor } from "../../graph/tensor.ts";
import { createRandom } from "../../numbers/random.ts";
import { TrainError } from "../error.ts";

/** One row an example: `x` [n, ...], `y` [n] of int64 for classes, [n, k] of floats for regression. */
export interface Examples {
  readonly x: Tensor;
  readonly y: Tensor;
}

export interface Dataset {
  readonly name: string;
  readonly task: "classification" | "regression";
  /** How many classes there are (classification): labels are 0 .. classes - 1. */
  readonly classes?: number;
  readonly train: Examples;
  readonly test?: Examples;
}

export interface SplitOptions {
  /** The share of the examples that go to the test set, at least 0 and below 1. */
  readonly testFraction?: number;
  readonly seed?: number | string;
}

/** The rows of a tensor with these numbers, in this order. */
export function takeRows(t: Tensor, rows: ArrayLike<number>): Tensor {
  const width = elementCount(t.dims.slice(1));
  const source = t.data as Float32Array;
  const taken = new (arrayFor(t.type as NumericType))(rows.length * width) as Float32Array;
  for (let k = 0; k < rows.length; k++)
    taken.set(source.subarray(rows[k]! * width, (rows[k]! + 1) * width), k * width);
  return { type: t.type, dims: [rows.length, ...t.dims.slice(1)], data: taken };
}

export const takeExamples = ({ x, y }: Examples, rows: ArrayLike<number>): Examples => ({
  x: takeRows(x, rows),
  y: takeRows(y, rows),
});

/**
 * Examples in two parts, chosen at random; without a test part if the fraction is 0.
 * @example splitExamples(twoMoons(100), { testFraction: 0.2, seed: 1 }).test.x.dims // [20, 2]
 */
export function splitExamples(
  examples: Examples,
  { testFraction = 0.2, seed = 0 }: SplitOptions = {},
): { readonly train: Examples; readonly test?: Examples } {
  if (!(testFraction >= 0 && testFraction < 1))
    throw new TrainError(`the test fraction ${testFraction} is not at least 0 and below 1`);
  if (testFraction === 0) return { train: examples };
  const n = examples.x.dims[0]!;
  const tested = Math.max(1, Math.round(n * testFraction));
  if (tested >= n)
    throw new TrainError(
      `a test fraction of ${testFraction} leaves nothing to train on: there are ${n} examples`,
    );
  const order = createRandom(seed).split("split").permutation(n);
  return {
    train: takeExamples(examples, order.subarray(tested)),
    test: takeExamples(examples, order.subarray(0, tested)),
  };
}

/** One line on what is wrong with examples: none, lengths that differ, numbers that are not finite. */
export function checkExamples({ x, y }: Examples, name: string): void {
  const [n, targets] = [x.dims[0] ?? 0, y.dims[0] ?? 0];
  if (n !== targets) throw new TrainError(`${name}: ${n} examples in x, but ${targets} targets in y`);
  if (elementCount(x.dims) === 0) throw new TrainError(`${name}: the data set is empty`);
  for (const [part, t] of Object.entries({ x, y })) {
    const width = elementCount(t.dims.slice(1));
    const bad = numbers(t).findIndex((value) => !Number.isFinite(value));
    if (bad >= 0)
      throw new TrainError(
        `${name}: ${numbers(t)[bad]} in ${part}, example ${Math.floor(bad / width) + 1}, number ${(bad % width) + 1}; every number must be finite`,
      );
  }
}

/**
 * The number of classes, if the labels are 0, 1, ...; a line on the first label that is out of range otherwise.
 * @example classCount(tensor([0, 2, 1], { type: "int64" }), "data") // 3
 */
export function classCount(labels: Tensor, name: string, classes?: number): number {
  const values = numbers(labels);
  const most = classes ?? values.length;
  let greatest = 0;
  for (let k = 0; k < values.length; k++) {
    const label = values[k]!;
    if (!Number.isInteger(label) || label < 0 || label >= most)
      throw new TrainError(
        `${name}: the label ${label} of example ${k + 1} is out of range; ${
          classes === undefined
            ? "write the classes as 0, 1, 2, ... (a quantity to predict wants a regression loss)"
            : `there are ${classes} classes, 0 to ${classes - 1}${values.every((c) => c >= 1 && c <= classes) ? ": subtract 1 from the labels" : ""}`
        }`,
      );
    greatest = Math.max(greatest, label);
  }
  return classes ?? greatest + 1;
}
