// Data as the limit kernel reads it: examples side by side for each position and unit, and the covariance of the input,
// K_0 = x x' / d with the number d of units.

import { runInto } from "../../engine/run.ts";
import { float64, graph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { elementCount, numbers, type Tensor, view } from "../../graph/tensor.ts";
import { packedTranspose } from "../../linear-algebra/block-moves.ts";
import { KernelError } from "../error.ts";

export interface Examples {
  readonly count: number;
  readonly features: number;
  readonly sides: readonly number[];
  readonly unitsLast: boolean;
  /** Unit c of example i at position p: at (p features + c) count + i. */
  readonly values: Float64Array;
  /** Of vectors of many units, instead of that: the examples one after the other. */
  readonly vectors?: Float64Array;
  /** |x|^2 / d at each position of each example, at p count + i. */
  readonly variances: Float64Array;
}

export function examplesOf(x: Tensor, unitsLast: boolean): Examples {
  const [count, ...rest] = x.dims as readonly [number, ...number[]];
  if (count < 1 || rest.length === 0)
    throw new KernelError(`a kernel needs examples along the first axis of its data, not [${x.dims}]`);
  const features = unitsLast ? rest.at(-1)! : rest[0]!;
  const sides = unitsLast ? rest.slice(0, -1) : rest.slice(1);
  const positions = elementCount(sides);
  const given = numbers(x);
  const data = given instanceof Float64Array ? given : Float64Array.from(given);
  const size = features * positions;
  if (positions === 1 && features >= leastUnits) {
    const variances = squaredLengths(data, count, features);
    if (!variances.every(Number.isFinite)) refuseWrong(data, size);
    return { count, features, sides, unitsLast, values: new Float64Array(0), variances, vectors: data };
  }
  refuseWrong(data, size);
  const turned = packedTranspose({ entries: data, start: 0, stride: size, rows: count, columns: size });
  const values = unitsLast || positions === 1 ? turned : unitsInside(turned, features, positions, count);
  return {
    count,
    features,
    sides,
    unitsLast,
    values,
    variances: squares(values, features, positions, count),
  };
}

/** Units from which on all pairs of a block are best found by one matrix product. */
const leastUnits = 16;

/** |x|^2 / d of vectors, one after the other. */
function squaredLengths(data: Float64Array, count: number, features: number): Float64Array {
  const result = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    let sum = 0;
    for (let c = i * features; c < (i + 1) * features; c++) sum += data[c]! * data[c]!;
    result[i] = sum / features;
  }
  return result;
}

/** Says which example holds what is no number. */
function refuseWrong(data: Float64Array, size: number): void {
  for (let n = 0; n < data.length; n++)
    if (!Number.isFinite(data[n]))
      throw new KernelError(`example ${Math.floor(n / size)} of the data holds ${data[n]}`);
}

/** Rows [c, p] as rows [p, c]. */
function unitsInside(rows: Float64Array, features: number, positions: number, count: number): Float64Array {
  const result = new Float64Array(rows.length);
  for (let c = 0; c < features; c++)
    for (let p = 0; p < positions; p++) {
      const from = (c * positions + p) * count;
      result.set(rows.subarray(from, from + count), (p * features + c) * count);
    }
  return result;
}

function squares(values: Float64Array, features: number, positions: number, count: number): Float64Array {
  const result = new Float64Array(positions * count);
  for (let p = 0; p < positions; p++)
    for (let c = 0; c < features; c++)
      for (let i = 0; i < count; i++) {
        const v = values[(p * features + c) * count + i]!;
        result[p * count + i]! += v * v;
      }
  for (let n = 0; n < result.length; n++) result[n]! /= features;
  return result;
}

/** K_0 of examples with themselves: all pairs of positions, or each position with itself. */
export function ownCovariance(
  x: Examples,
  [from, to]: readonly [number, number],
  all: boolean,
  array: ArrayOf,
): Float64Array {
  const [length, positions] = [to - from, elementCount(x.sides)];
  const result = array((all ? positions * positions : positions) * length).fill(0);
  for (let m = 0; m < result.length / length; m++) {
    const [p, q] = all ? [Math.floor(m / positions), m % positions] : [m, m];
    if (p === q) {
      const at = p * x.count + from;
      result.set(x.variances.subarray(at, at + length), m * length);
      continue;
    }
    for (let c = 0; c < x.features; c++) {
      const [a, b] = [(p * x.features + c) * x.count + from, (q * x.features + c) * x.count + from];
      for (let i = 0; i < length; i++)
        result[m * length + i]! += (x.values[a + i]! * x.values[b + i]!) / x.features;
    }
  }
  return result;
}

/** An array of this length, with whatever stands in it. */
type ArrayOf = (length: number) => Float64Array;

export type Range = readonly [number, number];

/** K_0 of a tile of pairs of examples. */
export function covariance(
  x: Examples,
  rows: Range,
  z: Examples,
  columns: Range,
  all: boolean,
  array: ArrayOf,
): Float64Array {
  const positions = elementCount(x.sides);
  const length = (rows[1] - rows[0]) * (columns[1] - columns[0]);
  const result = array((all ? positions * positions : positions) * length).fill(0);
  for (let m = 0; m < result.length / length; m++) {
    const [p, q] = all ? [Math.floor(m / positions), m % positions] : [m, m];
    plainly(result.subarray(m * length, (m + 1) * length), x, p, rows, z, q, columns);
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
      const factor = x.values[(p * x.features + c) * x.count + i]! / x.features;
      const from = (q * x.features + c) * z.count + columns[0];
      for (let j = 0; j < width; j++) to[row + j]! += factor * z.values[from + j]!;
    }
  }
}

let gram: Graph | undefined;
const gramGraph = (): Graph => {
  gram ??= graph(
    { a: float64("M", "K"), b: float64("N", "K") },
    ({ a, b }) => ({ c: a.op("Gemm", [b], { transB: 1 }) }),
    { name: "gram" },
  );
  return gram;
};

/** d K_0 of a block of pairs of vectors, into an array for it: A B^T on ONNX Runtime. */
export async function productsOfVectors(
  x: Examples,
  rows: Range,
  z: Examples,
  columns: Range,
  into: Float64Array,
): Promise<void> {
  const d = x.features;
  const some = ({ vectors }: Examples, [from, to]: Range): Tensor =>
    view("float64", [to - from, d], vectors!.subarray(from * d, to * d));
  const c = view("float64", [rows[1] - rows[0], columns[1] - columns[0]], into);
  await runInto(gramGraph(), { a: some(x, rows), b: some(z, columns) }, { c });
}

/** An example with itself has its variance, to the last bit: a difference of rounding would become an angle. */
export function shareDiagonal(
  result: Float64Array,
  x: Examples,
  rows: Range,
  columns: Range,
  all: boolean,
): void {
  const [height, width] = [rows[1] - rows[0], columns[1] - columns[0]];
  const positions = elementCount(x.sides);
  for (let i = Math.max(rows[0], columns[0]); i < Math.min(rows[1], columns[1]); i++)
    for (let p = 0; p < positions; p++) {
      const m = all ? p * (positions + 1) : p;
      result[m * height * width + (i - rows[0]) * width + (i - columns[0])] = x.variances[p * x.count + i]!;
    }
}
