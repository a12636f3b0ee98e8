// What the data of an audit is, and what the test examples alone say of the true error.

import { binomialUpperLimit } from "../generalization/bounds/validation.ts";
import { elementCount, numbers, type Tensor } from "../graph/tensor.ts";
import type { ModelMeasures } from "../measures/measure-model.ts";
import type { Examples } from "../train/data/dataset.ts";
import type { AuditedData, ErrorDecomposition } from "./audit.ts";
import { oneHotClasses } from "./one-hot.ts";
import { sharedExamples } from "./shared-examples.ts";

/** Sizes, classes, and the error of the best constant answer on the training examples. */
export function auditedData(
  { data, test, outputs }: { readonly data: Examples; readonly test?: Examples; readonly outputs: number },
  { name, remark }: { readonly name: string | undefined; readonly remark: string | undefined },
): AuditedData {
  const { x, y } = data;
  const sizes = {
    ...(name === undefined ? {} : { name }),
    examples: x.dims[0]!,
    ...(test ? { testExamples: test.x.dims[0]!, sharedExamples: sharedExamples(data, test) } : {}),
    features: elementCount(x.dims.slice(1)),
    ...(remark === undefined ? {} : { remark }),
  };
  if (y.type !== "int64")
    return {
      ...sizes,
      ...(oneHotClasses(y) ? { remark: "targets are one-hot, read as numbers" } : {}),
      task: "regression",
      constantError: spread(y),
    };
  const counts = new Array<number>(Math.max(2, outputs)).fill(0);
  for (const c of numbers(y)) counts[c]!++;
  const most = counts.reduce((a, b) => Math.max(a, b), 0);
  return {
    ...sizes,
    task: "classification",
    classes: counts.length,
    classCounts: counts,
    constantError: 1 - most / sizes.examples,
  };
}

/** The mean of |y - mean of y|^2. */
function spread(y: Tensor): number {
  const [values, n] = [numbers(y), y.dims[0]!];
  const width = values.length / n;
  let sum = 0;
  for (let k = 0; k < width; k++) {
    let mean = 0;
    for (let i = 0; i < n; i++) mean += values[i * width + k]! / n;
    for (let i = 0; i < n; i++) sum += (values[i * width + k]! - mean) ** 2 / n;
  }
  return sum;
}

/** Test examples that are all known from training say nothing of new ones. */
export const testsNothing = ({ testExamples, sharedExamples }: AuditedData): boolean =>
  testExamples !== undefined && testExamples > 0 && sharedExamples === testExamples;

/** The interval of Clopper and Pearson for the true error, each end with half of delta; classes with test examples only. */
export function errorDecomposition(
  { trainError, testError }: ModelMeasures,
  about: AuditedData,
  delta: number,
): ErrorDecomposition | undefined {
  const { task, testExamples: n } = about;
  if (task !== "classification" || trainError === undefined || testError === undefined || !n)
    return undefined;
  if (testsNothing(about)) return undefined;
  const wrong = Math.round(testError * n);
  return {
    trainError,
    testError,
    gap: testError - trainError,
    trueError: [1 - binomialUpperLimit(n, n - wrong, delta / 2), binomialUpperLimit(n, wrong, delta / 2)],
    delta,
  };
}
