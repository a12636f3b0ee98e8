// What a kernel is trained to predict, and how good its predictions are.
import { numbers, type Tensor } from "../graph/tensor.ts";
import type { Matrix } from "../linear-algebra/matrix-norm.ts";

/**
 * Targets that sum to 0 for each class: 1 - 1/K at its place and -1/K elsewhere, so that no class is favoured by the start.
 * @example centredOneHot(tensor([1, 0], { type: "int64" }), 2).entries // Float64Array [-0.5, 0.5, 0.5, -0.5]
 */
export function centredOneHot(labels: Tensor, classes: number): Matrix {
  const values = numbers(labels);
  const entries = new Float64Array(values.length * classes).fill(-1 / classes);
  values.forEach((label, i) => {
    entries[i * classes + label]! += 1;
  });
  return { rows: values.length, columns: classes, entries };
}

/**
 * The squared distance to the targets, summed over the outputs: the mean over the examples.
 * @example meanSquaredError(matrixOfRows([[1, 2]]), matrixOfRows([[0, 0]])) // 5
 */
export function meanSquaredError(predictions: Matrix, targets: Matrix): number {
  const sum = predictions.entries.reduce((s, p, k) => s + (p - targets.entries[k]!) ** 2, 0);
  return sum / targets.rows;
}

/**
 * The share of examples whose greatest prediction is at another place than their greatest target.
 * @example misclassified(matrixOfRows([[0.2, 0.1], [0, 1]]), matrixOfRows([[0.5, -0.5], [0.5, -0.5]])) // 0.5
 */
export function misclassified(predictions: Matrix, targets: Matrix): number {
  let wrong = 0;
  for (let i = 0; i < targets.rows; i++) if (greatestAt(predictions, i) !== greatestAt(targets, i)) wrong++;
  return wrong / targets.rows;
}

function greatestAt({ columns, entries }: Matrix, row: number): number {
  let best = 0;
  for (let k = 1; k < columns; k++)
    if (entries[row * columns + k]! > entries[row * columns + best]!) best = k;
  return best;
}
