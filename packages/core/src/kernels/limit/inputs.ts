// Data as the limit kernel reads it: examples side by side for each position and unit, and the covariance of the input,
// K_0 = x x' / d with the number d of units.

import { elementCount, numbers, type Tensor } from "../../graph/tensor.ts";
import { matrixBlock } from "../../linear-algebra/block.ts";
import { subtractProduct } from "../../linear-algebra/product.ts";
import { KernelError } from "../error.ts";

export interface Examples {
  readonly count: number;
  readonly features: number;
  readonly sides: readonly number[];
  readonly unitsLast: boolean;
  /** Unit c of example i at position p: at (p features + c) count + i. */
  readonly values: Float64Array;
  /** |x|^2 / d at each position of each example, at p count + i. */
  readonly variances: Float64Array;
}

/** Multiplications from which on a matrix product is worth a call. */
const worthAProduct = 2 ** 14;

export function examplesOf(x: Tensor, unitsLast: boolean): Examples {
  const [count, ...rest] = x.dims as readonly [number, ...number[]];
  if (count < 1 || rest.length === 0)
    throw new KernelError(`a kernel needs examples along the first axis of its data, not [${x.dims}]`);
  const features = unitsLast ? rest.at(-1)! : rest[0]!;
  const sides = unitsLast ? rest.slice(0, -1) : rest.slice(1);
  const positions = elementCount(sides);
  const data = numbers(x);
  const values = new Float64Array(data.length);
  const [unitStep, positionStep] = unitsLast ? [1, features] : [positions, 1];
  for (let p = 0; p < positions; p++)
    for (let c = 0; c < features; c++)
      for (let i = 0; i < count; i++)
        values[(p * features + c) * count + i] =
          data[i * features * positions + c * unitStep + p * positionStep]!;
  const wrong = values.findIndex((v) => !Number.isFinite(v));
  if (wrong >= 0) throw new KernelError(`example ${wrong % count} of the data holds ${values[wrong]}`);
  return {
    count,
    features,
    sides,
    unitsLast,
    values,
    variances: squares(values, features, positions, count),
  };
}

function squares(values: Float64Array, features: number, positions: number, count: number): Float64Array {
  const result = new Float64Array(positions * count);
  for (let p = 0; p < positions; p++)
    for (let c = 0; c < features; c++)
      for (let i = 0; i < count; i++) {
        const v = values[(p * features + c) * count + i]!;
        result[p * count + i]! += (v * v) / features;
      }
  return result;
}

/** K_0 of examples with themselves: all pairs of positions, or each position with itself. */
export function ownCovariance(
  x: Examples,
  [from, to]: readonly [number, number],
  all: boolean,
): Float64Array {
  const [length, positions] = [to - from, elementCount(x.sides)];
  const result = new Float64Array((all ? positions * positions : positions) * length);
  for (let m = 0; m < result.length / length; m++) {
    const [p, q] = all ? [Math.floor(m / positions), m % positions] : [m, m];
    for (let c = 0; c < x.features; c++) {
      const [a, b] = [(p * x.features + c) * x.count + from, (q * x.features + c) * x.count + from];
      for (let i = 0; i < length; i++)
        result[m * length + i]! += (x.values[a + i]! * x.values[b + i]!) / x.features;
    }
  }
  return result;
}

export type Range = readonly [number, number];

/** K_0 of a tile of pairs of examples. */
export async function covariance(
  x: Examples,
  rows: Range,
  z: Examples,
  columns: Range,
  all: boolean,
): Promise<Float64Array> {
  const positions = elementCount(x.sides);
  const [height, width] = [rows[1] - rows[0], columns[1] - columns[0]];
  const length = height * width;
  const result = new Float64Array((all ? positions * positions : positions) * length);
  for (let m = 0; m < result.length / length; m++) {
    const [p, q] = all ? [Math.floor(m / positions), m % positions] : [m, m];
    const to = result.subarray(m * length, (m + 1) * length);
    if (x.features * length >= worthAProduct && x.features >= 16)
      await byProduct(to, x, p, rows, z, q, columns);
    else plainly(to, x, p, rows, z, q, columns);
  }
  if (x === z) shareDiagonal(result, x, rows, columns, all);
  return result;
}

function plainly(
  to: Float64Array,
  x: Examples,
  p: number,
  rows: Range,
  z: Examples,
  q: number,
  columns: Range,
): void {
  const width = columns[1] - columns[0];
  for (let i = rows[0]; i < rows[1]; i++) {
    const row = (i - rows[0]) * width;
    for (let c = 0; c < x.features; c++) {
      const factor = x.values[(p * x.features + c) * x.count + i]!;
      const from = (q * x.features + c) * z.count + columns[0];
      for (let j = 0; j < width; j++) to[row + j]! += (factor * z.values[from + j]!) / x.features;
    }
  }
}

/** C - A^T B on ONNX Runtime, with C = 0. */
async function byProduct(
  to: Float64Array,
  x: Examples,
  p: number,
  rows: Range,
  z: Examples,
  q: number,
  columns: Range,
): Promise<void> {
  const width = columns[1] - columns[0];
  const matrixAt = (e: Examples, at: number) => ({
    rows: e.features,
    columns: e.count,
    entries: e.values.subarray(at * e.features * e.count, (at + 1) * e.features * e.count),
  });
  const target = { rows: rows[1] - rows[0], columns: width, start: 0, stride: width, entries: to };
  const [a, b] = [
    matrixBlock(matrixAt(x, p), [0, x.features], rows),
    matrixBlock(matrixAt(z, q), [0, x.features], columns),
  ];
  await subtractProduct(target, a, b, { transposed: true });
  for (let n = 0; n < to.length; n++) to[n] = -to[n]! / x.features;
}

/** An example with itself has its variance, to the last bit: a difference of rounding would become an angle. */
function shareDiagonal(result: Float64Array, x: Examples, rows: Range, columns: Range, all: boolean): void {
  const [height, width] = [rows[1] - rows[0], columns[1] - columns[0]];
  const positions = elementCount(x.sides);
  for (let i = Math.max(rows[0], columns[0]); i < Math.min(rows[1], columns[1]); i++)
    for (let p = 0; p < positions; p++) {
      const m = all ? p * (positions + 1) : p;
      result[m * height * width + (i - rows[0]) * width + (i - columns[0])] = x.variances[p * x.count + i]!;
    }
}
