// Sound upper bounds on the operator norms of layers, where they are cheap; large products run on ONNX Runtime.

import { run } from "../engine/run.ts";
import { float64, graph } from "../graph/builder.ts";
import type { Graph } from "../graph/graph.ts";
import { elementCount, numbers, tensor } from "../graph/tensor.ts";
import {
  columnSumNorm,
  frobeniusNorm,
  type Matrix,
  rowSumNorm,
  spectralNorm,
} from "../linear-algebra/matrix-norm.ts";
import { addUp, mulUp, nextUp, sqrtUp } from "../numbers/rounding.ts";
import type { LinearLayer } from "./linear-layers.ts";
import { torusBound } from "./torus-norm.ts";

/** Up to this size the sum in place is faster than a session. */
const smallSize = 96;
/** Multiplications for one bound: the number of squarings follows. */
const workLimit = 1.2e10;
const mostSquarings = 9;
/** Below this number of multiplications one thread is enough. */
const smallProduct = 1e7;

let gramGraph: Graph | undefined;

/** A^T A on ONNX Runtime, in f64. */
export async function gramOf({ rows, columns, entries }: Matrix): Promise<Float64Array> {
  gramGraph ??= graph({ a: float64("M", "N") }, ({ a }) => ({ gram: a.transpose([1, 0]).matmul(a) }));
  const { gram } = await run(
    gramGraph,
    { a: tensor(entries, { dims: [rows, columns] }) },
    rows * columns ** 2 < smallProduct ? { threads: 1 } : {},
  );
  return numbers(gram!) as Float64Array;
}

/** The matrix, or its transpose if that has fewer columns. */
export function tall(matrix: Matrix): Matrix {
  const { rows, columns, entries } = matrix;
  if (columns <= rows) return matrix;
  const turned = new Float64Array(entries.length);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) turned[j * rows + i] = entries[i * columns + j]!;
  return { rows: columns, columns: rows, entries: turned };
}

/**
 * |M|^2 = |M^T M|, again and again, and the Frobenius norm at the end; every product is off by at most
 * (n + 4) 2^-52 |M|_F^2 in norm, in whatever order its sums are taken.
 * @example await spectralUpper({ rows: 2, columns: 2, entries: Float64Array.of(3, 0, 0, 4) }) < 4.05 // true
 */
export async function spectralUpper(matrix: Matrix): Promise<number> {
  const smaller = Math.min(matrix.rows, matrix.columns);
  if (smaller <= smallSize) return spectralNorm(matrix);
  const simple = Math.min(
    frobeniusNorm(matrix.entries),
    sqrtUp(mulUp(columnSumNorm(matrix), rowSumNorm(matrix))),
  );
  const isModerate = simple < 2 ** 200 && simple > 2 ** -200;
  if (!isModerate || smaller ** 2 * Math.max(matrix.rows, matrix.columns) > workLimit) return simple;
  const squarings = Math.min(mostSquarings, Math.floor(workLimit / smaller ** 3));
  const steps: { readonly scale: number; readonly slack: number }[] = [];
  let m = tall(matrix);
  for (let k = 0; k <= squarings; k++) {
    const scale = 2 ** -Math.floor(Math.log2(frobeniusNorm(m.entries))); // exact: the norm stays near 1
    const scaled = { ...m, entries: m.entries.map((a) => a * scale) };
    const size = frobeniusNorm(scaled.entries);
    steps.push({ scale, slack: nextUp((m.rows + 4) * 2 ** -52 * mulUp(size, size)) });
    m = { rows: m.columns, columns: m.columns, entries: await gramOf(scaled) };
  }
  const bound = steps.reduceRight(
    (norm, { scale, slack }) => nextUp(sqrtUp(addUp(norm, slack)) / scale),
    frobeniusNorm(m.entries),
  );
  return Math.min(simple, bound);
}

/** A sound upper bound on the operator norm of a layer in the Euclidean norm. */
export async function layerNormBound(layer: LinearLayer): Promise<number> {
  if (layer.kind === "scale") return layer.entries.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
  if (layer.kind === "dense") return spectralUpper(layer);
  const candidates = [schurBound(layer), await windowBound(layer), torusBound(layer) ?? Infinity];
  return Math.min(...candidates);
}

/** Schur's test: the geometric mean of the greatest sums over what an output reads and what an input is read by. */
function schurBound(layer: LinearLayer): number {
  const { rows, columns, entries, convolution } = layer;
  const groups = convolution?.groups ?? 1;
  const taps = elementCount(convolution?.kernel ?? [columns]);
  const perGroup = columns / taps;
  const readBy = new Float64Array(groups * perGroup);
  for (let k = 0; k < entries.length; k++) {
    const group = Math.floor(Math.floor(k / columns) / (rows / groups));
    const channel = group * perGroup + Math.floor((k % columns) / taps);
    readBy[channel] = addUp(readBy[channel]!, Math.abs(entries[k]!));
  }
  return sqrtUp(
    mulUp(
      rowSumNorm(layer),
      readBy.reduce((a, b) => Math.max(a, b), 0),
    ),
  );
}

/**
 * The kernel as a matrix acts on windows, and an input lies in at most `overlap` windows: |T| <= sqrt(overlap) |R|. This
 * is an equality where windows do not overlap and cover the input.
 */
async function windowBound(layer: LinearLayer): Promise<number> {
  const { rows, columns, entries, convolution } = layer;
  if (!convolution) return Number.POSITIVE_INFINITY;
  const { kernel, strides, dilations, groups } = convolution;
  const overlap = kernel.reduce(
    (n, size, k) => n * (dilations[k]! > 1 ? size : Math.ceil(size / strides[k]!)),
    1,
  );
  const height = rows / groups;
  let greatest = 0;
  for (let g = 0; g < groups; g++) {
    const part = entries.subarray(g * height * columns, (g + 1) * height * columns);
    greatest = Math.max(greatest, await spectralUpper({ rows: height, columns, entries: part }));
  }
  return mulUp(sqrtUp(overlap), greatest);
}
