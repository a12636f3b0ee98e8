// Linear maps that know three things: their value, their transpose, and how they are written into a graph. Operators of
// inverse problems are made of four of them (a matrix, products of matrices on the sides of a picture, a choice of entries,
// sums and successions of maps), so that whoever solves a problem never asks which operator it has.

import { encode, view } from "../graph/tensor.ts";
import type { Value } from "../graph/value.ts";
import type { Matrix } from "../linear-algebra/matrix-norm.ts";
import { InverseError } from "./error.ts";

export interface LinearMap {
  readonly inputs: number;
  readonly outputs: number;
  apply(x: Float64Array): Float64Array;
  /** The transposed map. */
  transpose(r: Float64Array): Float64Array;
  /** Of each row of x [N, inputs], in the type of x: [N, outputs]. */
  write(x: Value): Value;
}

const weightOf = (like: Value, dims: readonly number[], entries: ArrayLike<number>, stem: string): Value => {
  const type = like.type.type as "float32" | "float64";
  return like.builder.weight(view(type, dims, encode(entries, type)), stem);
};

/**
 * A matrix, a row a measurement.
 * @example denseMap(matrixOfRows([[1, 2]])).apply(Float64Array.of(3, 4)) // Float64Array [11]
 */
export function denseMap({ rows, columns, entries }: Matrix): LinearMap {
  return {
    inputs: columns,
    outputs: rows,
    apply(x) {
      const y = new Float64Array(rows);
      for (let i = 0, at = 0; i < rows; i++) {
        let [a, b] = [0, 0];
        const end = at + columns;
        let j = 0;
        for (; at + 1 < end; at += 2, j += 2) {
          a += entries[at]! * x[j]!;
          b += entries[at + 1]! * x[j + 1]!;
        }
        if (at < end) a += entries[at++]! * x[j]!;
        y[i] = a + b;
      }
      return y;
    },
    transpose(r) {
      const x = new Float64Array(columns);
      for (let i = 0, at = 0; i < rows; i++, at += columns) {
        const factor = r[i]!;
        if (factor !== 0) for (let j = 0; j < columns; j++) x[j]! += factor * entries[at + j]!;
      }
      return x;
    },
    write: (x) =>
      x.matmul(
        weightOf(x, [columns, rows], transposedMatrix({ rows, columns, entries }).entries, "measurements"),
      ),
  };
}

/** Entries of x, in this order. */
export function selectionMap(inputs: number, places: readonly number[]): LinearMap {
  const bad = places.find((k) => !(Number.isInteger(k) && k >= 0 && k < inputs));
  if (bad !== undefined) throw new InverseError(`there is no entry ${bad} of ${inputs}`);
  return {
    inputs,
    outputs: places.length,
    apply: (x) => Float64Array.from(places, (k) => x[k]!),
    transpose(r) {
      const x = new Float64Array(inputs);
      for (const [i, k] of places.entries()) x[k]! += r[i]!;
      return x;
    },
    write: (x) => x.gather(view("int64", [places.length], BigInt64Array.from(places, BigInt)), 1),
  };
}

/** The rows of a matrix without the zeros at their ends. */
interface Banded extends Matrix {
  readonly from: Int32Array;
  readonly to: Int32Array;
}

function banded(matrix: Matrix): Banded {
  const { rows, columns, entries } = matrix;
  const [from, to] = [new Int32Array(rows), new Int32Array(rows)];
  for (let i = 0; i < rows; i++) {
    let [a, b] = [0, columns];
    while (a < b && entries[i * columns + a] === 0) a++;
    while (b > a && entries[i * columns + b - 1] === 0) b--;
    [from[i], to[i]] = [a, b];
  }
  return { ...matrix, from, to };
}

/** Rows as columns. */
export const transposedMatrix = ({ rows, columns, entries }: Matrix): Matrix => {
  const turned = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) turned[j * rows + i] = entries[i * columns + j]!;
  return { rows: columns, columns: rows, entries: turned };
};

/** L X R^T of one picture. */
function sided(left: Banded, right: Banded, x: Float64Array, offset: number, y: Float64Array, into: number) {
  const [h, w] = [left.columns, right.columns];
  const half = new Float64Array(h * right.rows); // X R^T
  for (let i = 0; i < h; i++)
    for (let j = 0; j < right.rows; j++) {
      let sum = 0;
      for (let k = right.from[j]!; k < right.to[j]!; k++)
        sum += right.entries[j * w + k]! * x[offset + i * w + k]!;
      half[i * right.rows + j] = sum;
    }
  for (let i = 0; i < left.rows; i++)
    for (let k = left.from[i]!; k < left.to[i]!; k++) {
      const factor = left.entries[i * h + k]!;
      if (factor === 0) continue;
      const [at, row] = [into + i * right.rows, k * right.rows];
      for (let j = 0; j < right.rows; j++) y[at + j]! += factor * half[row + j]!;
    }
}

/** L X R^T for each of so many pictures X (channels) that stand one after the other. */
export function sidesMap(left: Matrix, right: Matrix, channels = 1): LinearMap {
  const [l, r] = [banded(left), banded(right)];
  const [lt, rt] = [banded(transposedMatrix(left)), banded(transposedMatrix(right))];
  const [size, result] = [left.columns * right.columns, left.rows * right.rows];
  const each = (a: Banded, b: Banded, x: Float64Array, from: number, to: number): Float64Array => {
    const y = new Float64Array(channels * to);
    for (let c = 0; c < channels; c++) sided(a, b, x, c * from, y, c * to);
    return y;
  };
  return {
    inputs: channels * size,
    outputs: channels * result,
    apply: (x) => each(l, r, x, size, result),
    transpose: (y) => each(lt, rt, y, result, size),
    write(x) {
      const pictures = x.reshape([-1, channels, left.columns, right.columns]);
      const rightSide = pictures.matmul(
        weightOf(x, [right.columns, right.rows], transposedMatrix(right).entries, "right"),
      );
      const both = weightOf(x, [left.rows, left.columns], left.entries, "left").matmul(rightSide);
      return both.reshape([-1, channels * result]);
    },
  };
}

/** The second map after the first. */
export function successionMap(first: LinearMap, second: LinearMap): LinearMap {
  if (first.outputs !== second.inputs)
    throw new InverseError(`${first.outputs} numbers for a map that takes ${second.inputs}`);
  return {
    inputs: first.inputs,
    outputs: second.outputs,
    apply: (x) => second.apply(first.apply(x)),
    transpose: (r) => first.transpose(second.transpose(r)),
    write: (x) => second.write(first.write(x)),
  };
}

type Term = readonly [factor: number, map: LinearMap];

/** A sum of two maps, each with a factor. */
export function sumMap([p, a]: Term, [q, b]: Term): LinearMap {
  const added = (u: Float64Array, v: Float64Array): Float64Array => u.map((e, k) => p * e + q * v[k]!);
  return {
    inputs: a.inputs,
    outputs: a.outputs,
    apply: (x) => added(a.apply(x), b.apply(x)),
    transpose: (r) => added(a.transpose(r), b.transpose(r)),
    write: (x) => a.write(x).mul(p).add(b.write(x).mul(q)),
  };
}

/** The outputs of a, then those of b. */
export function stackedMap(a: LinearMap, b: LinearMap): LinearMap {
  return {
    inputs: a.inputs,
    outputs: a.outputs + b.outputs,
    apply(x) {
      const y = new Float64Array(a.outputs + b.outputs);
      y.set(a.apply(x));
      y.set(b.apply(x), a.outputs);
      return y;
    },
    transpose(r) {
      const back = b.transpose(r.subarray(a.outputs));
      return a.transpose(r.subarray(0, a.outputs)).map((v, k) => v + back[k]!);
    },
    write: (x) => a.write(x).concat([b.write(x)], 1),
  };
}

/**
 * All of x.
 * @example identityOperator(3).outputs // 3
 */
export const identityOperator = (inputs: number): LinearMap => ({
  ...{ inputs, outputs: inputs, apply: (x: Float64Array) => x.slice() },
  ...{ transpose: (r: Float64Array) => r.slice(), write: (x: Value) => x },
});

/**
 * The matrix of a map, a column an input: for small ones.
 * @example matrixOfMap(selectionMap(2, [1])).entries // Float64Array [0, 1]
 */
export function matrixOfMap(map: LinearMap): Matrix {
  const { inputs, outputs } = map;
  const entries = new Float64Array(inputs * outputs);
  const unit = new Float64Array(inputs);
  for (let j = 0; j < inputs; j++) {
    unit[j] = 1;
    for (const [i, v] of map.apply(unit).entries()) entries[i * inputs + j] = v;
    unit[j] = 0;
  }
  return { rows: outputs, columns: inputs, entries };
}

/**
 * |A|^2 by power iterations from a fixed start, as far as they came: it may be a little below, so that a step that is made of
 * it is checked by what it does.
 * @example Math.round(squaredNormOf(denseMap(matrixOfRows([[3, 0], [0, 1]])))) // 9
 */
export function squaredNormOf(map: LinearMap, iterations = 60): number {
  let x: Float64Array = Float64Array.from(
    { length: map.inputs },
    (_, k) => 1 + 0.5 * Math.sin(12.9898 * (k + 1)),
  );
  let value = 0;
  for (let k = 0; k < iterations; k++) {
    const length = lengthOf(x);
    if (length === 0) return 0;
    x = map.transpose(map.apply(x.map((v) => v / length)));
    const next = lengthOf(x);
    if (Math.abs(next - value) <= 1e-6 * next) return next;
    value = next;
  }
  return value;
}

/** |x|; Math.hypot would take its numbers from the stack. */
export const lengthOf = (x: Float64Array): number => Math.sqrt(x.reduce((sum, v) => sum + v * v, 0));
