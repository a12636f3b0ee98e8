// Classes written as rows with a single 1: as numbers they would make a classifier's audit one of squares.
import { cast, numbers, type Tensor, tensor } from "../graph/tensor.ts";
import type { Dataset, Examples } from "../train/data/dataset.ts";

/**
 * The class of each row, where every row holds one 1 and zeros.
 * @example oneHotClasses(tensor([[0, 1], [1, 0]])).data // BigInt64Array [1n, 0n]
 */
export function oneHotClasses(y: Tensor): Tensor | undefined {
  const [n, width] = y.dims as readonly [number, number];
  if (y.dims.length !== 2 || width < 2) return undefined;
  const values = numbers(y);
  const classes: number[] = [];
  for (let i = 0; i < n; i++) {
    const row = values.subarray(i * width, (i + 1) * width);
    const at = row.indexOf(1);
    if (at < 0 || row.some((v, k) => v !== (k === at ? 1 : 0))) return undefined;
    classes.push(at);
  }
  return cast(tensor(classes, { dims: [n] }), "int64");
}

/** A data set of numbers whose targets are all one-hot, with classes instead; undefined for any other. */
export function withOneHotClasses(dataset: Dataset, outputs: number | undefined): Dataset | undefined {
  const width = dataset.train.y.dims[1];
  if (dataset.task !== "regression" || (outputs !== undefined && width !== outputs)) return undefined;
  const classified = ({ x, y }: Examples): Examples | undefined => {
    const classes = y.dims[1] === width ? oneHotClasses(y) : undefined;
    return classes && { x, y: classes };
  };
  const train = classified(dataset.train);
  const test = dataset.test && classified(dataset.test);
  if (!train || (dataset.test && !test)) return undefined;
  const { name } = dataset;
  return { name, task: "classification", classes: width!, train, ...(test ? { test } : {}) };
}
