// The kernels of an infinitely wide network at initialization: the covariance of its output (NNGP) and its tangent kernel
// (NTK), between all pairs of examples, tile by tile.
import type { Tensor } from "../graph/tensor.ts";
import { KernelError } from "./error.ts";
import { type Architecture, type ReadArchitecture, readArchitecture } from "./limit/architecture.ts";
import type { Parameterization } from "./limit/context.ts";
import type { Examples } from "./limit/inputs.ts";
import { arrayPool } from "./limit/pool.ts";
import {
  type ContextOf,
  type Pairs,
  type PreparedExamples,
  prepare,
  type Target,
  writeBlock,
} from "./limit/tiles.ts";

export type { Pairs, PreparedExamples, Target } from "./limit/tiles.ts";

export interface LimitKernelOptions {
  /** Default "ntk". */
  readonly parameterization?: Parameterization;
  /** The standard deviation of weights, before the fan-in; default 1. */
  readonly wStd?: number;
  /** The standard deviation of biases; default 0. */
  readonly bStd?: number;
}

export interface LimitKernelFunction {
  prepare(x: Tensor): PreparedExamples;
  /** Writes the kernels of a block of pairs of examples into matrices, with memory for tiles of it alone. */
  write(pairs: Pairs, into: Target): Promise<void>;
  /** Estimate of how far the maps of activations without a closed form were off so far, as a part of the second moments. */
  readonly error: () => number;
}

/** One for all kernels: nothing waits between the first array of a tile and the last. */
const pool = arrayPool();

/**
 * The limit kernels of a network as a function of pairs of examples, which it reads for its structure: layers become
 * infinitely wide, weights are drawn anew.
 * @example (await limitKernelFunction("2-8-relu-1").prepare(tensor([[1, 1]]))).ntk // Float64Array [1]
 */
export function limitKernelFunction(
  model: Architecture,
  options: LimitKernelOptions = {},
): LimitKernelFunction {
  const { parameterization = "ntk", wStd = 1, bStd = 0 } = options;
  checkOptions(parameterization, wStd, bStd);
  const memo = new Map<string, object>();
  let known: ReadArchitecture | undefined;
  let error = 0;
  const read = (example: readonly number[]): ReadArchitecture => {
    if (!known || `${known.example}` !== `${example}`) {
      known = readArchitecture(model, example);
      memo.clear();
    }
    return known;
  };
  const contextOf: ContextOf = (of, tile, variances) => ({
    ...{
      tile,
      parameterization,
      wStd,
      bStd,
      allPairs: of.allPairs,
      shape: of.shape,
      variances,
      array: pool.take,
      free: pool.free,
    },
    once: <T extends object>(key: string, make: () => T): T => {
      const found = (memo.get(key) as T | undefined) ?? make();
      memo.set(key, found);
      return found;
    },
    note: (each) => {
      error = Math.max(error, each);
    },
  });
  return {
    prepare: (x) => prepare(x, read(x.dims.slice(1)), contextOf, pool),
    write: (pairs, into) => writeBlock(pairs, into, read(exampleDims(pairs.x.examples)), contextOf, pool),
    error: () => error,
  };
}

const exampleDims = ({ features, sides, unitsLast }: Examples): readonly number[] =>
  unitsLast ? [...sides, features] : [features, ...sides];

function checkOptions(parameterization: Parameterization, wStd: number, bStd: number): void {
  if (parameterization !== "ntk" && parameterization !== "standard")
    throw new KernelError(`no parameterization "${String(parameterization)}"; there are ntk, standard`);
  if (!(wStd >= 0 && wStd < Number.POSITIVE_INFINITY) || !(bStd >= 0 && bStd < Number.POSITIVE_INFINITY))
    throw new KernelError(
      `the deviations of weights and biases are finite and at least 0, not ${wStd} and ${bStd}`,
    );
}

export interface LimitKernel {
  readonly rows: number;
  readonly columns: number;
  /** Both row by row. */
  readonly nngp: Float64Array;
  readonly ntk: Float64Array;
  /** The NNGP variance of each example of the rows. */
  readonly variances: Float64Array;
  /** Estimate of the error of maps without a closed form, as a part of the second moments; 0: all are closed forms. */
  readonly error: number;
}

/** Entries of a whole kernel that are found at once. */
const entriesAtOnce = 2 ** 16;

/**
 * The NNGP and NTK between all pairs of examples, or between those of `x` (rows) and `other` (columns).
 * @example (await limitKernel("2-8-relu-1", tensor([[1, 0], [0, 1]]))).nngp.map((k) => Number(k.toFixed(6))) // Float64Array [0.25, 0.079577, 0.079577, 0.25]
 */
export async function limitKernel(
  model: Architecture,
  x: Tensor,
  {
    other,
    progress,
    ...options
  }: LimitKernelOptions & {
    readonly other?: Tensor;
    /** Called with the part that is done. */
    readonly progress?: (part: number) => void;
  } = {},
): Promise<LimitKernel> {
  const kernel = limitKernelFunction(model, options);
  const rows = kernel.prepare(x);
  const columns = other ? kernel.prepare(other) : rows;
  const [n, m] = [rows.examples.count, columns.examples.count];
  const [nngp, ntk] = [new Float64Array(n * m), new Float64Array(n * m)];
  const rowsAtOnce = Math.min(n, Math.max(32, Math.floor(entriesAtOnce / m)));
  for (let from = 0; from < n; from += rowsAtOnce) {
    const to = Math.min(n, from + rowsAtOnce);
    const width = other ? m : to; // of a symmetric kernel, what is left of the diagonal
    const into = { nngp, ntk, start: from * m, stride: m, isLower: !other };
    await kernel.write({ x: rows, rows: [from, to], z: columns, columns: [0, width] }, into);
    if (!other) for (const k of [nngp, ntk]) mirrorRows(k, n, from, to);
    progress?.(other ? to / n : (to / n) ** 2);
  }
  return { rows: n, columns: m, nngp, ntk, variances: rows.nngp, error: kernel.error() };
}

/** Copies what is left of the diagonal in rows from .. to - 1 above it. */
function mirrorRows(matrix: Float64Array, n: number, from: number, to: number): void {
  const side = 16; // squares of 16 by 16 keep both sides in the cache
  for (let top = from; top < to; top += side) {
    const bottom = Math.min(to, top + side);
    for (let left = 0; left < bottom; left += side)
      for (let j = left; j < Math.min(bottom, left + side); j++) {
        const row = j * n;
        for (let i = Math.max(top, j + 1), at = i * n + j; i < bottom; i++, at += n)
          matrix[row + i] = matrix[at]!;
      }
  }
}
