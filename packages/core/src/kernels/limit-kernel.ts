// The kernels of an infinitely wide network at initialization: the covariance of its output (NNGP) and its tangent kernel
// (NTK), between all pairs of examples, tile by tile.
import type { Tensor } from "../graph/tensor.ts";
import { elementCount } from "../graph/tensor.ts";
import { KernelError } from "./error.ts";
import { resolve } from "./limit/activation.ts";
import { type Architecture, type ReadArchitecture, readArchitecture } from "./limit/architecture.ts";
import type { Context, Parameterization, Tile, Variances } from "./limit/context.ts";
import {
  covariance,
  type Examples,
  examplesOf,
  isProduct,
  ownCovariance,
  type Range,
} from "./limit/inputs.ts";
import { type Field, type Meaning, positionsOf, samePositions } from "./limit/meaning.ts";
import { limitPass } from "./limit/pass.ts";
import { type ArrayPool, arrayPool } from "./limit/pool.ts";

export interface LimitKernelOptions {
  /** Default "ntk". */
  readonly parameterization?: Parameterization;
  /** The standard deviation of weights, before the fan-in; default 1. */
  readonly wStd?: number;
  /** The standard deviation of biases; default 0. */
  readonly bStd?: number;
}

/** A block of both kernels, row by row. */
export interface KernelBlock {
  readonly rows: number;
  readonly columns: number;
  readonly nngp: Float64Array;
  readonly ntk: Float64Array;
}

/** Examples that the kernel has looked at one by one: their variances at every value of the network. */
export interface PreparedExamples {
  readonly examples: Examples;
  readonly variances: ReadonlyMap<string, Float64Array>;
  /** Both kernels of each example with itself. */
  readonly nngp: Float64Array;
  readonly ntk: Float64Array;
}

export interface LimitKernelFunction {
  prepare(x: Tensor): PreparedExamples;
  /** The kernels between examples from .. to - 1 of one set and those of another, in memory for this block. */
  block(x: PreparedExamples, rows: Range, z: PreparedExamples, columns: Range): Promise<KernelBlock>;
  /** Estimate of how far the maps of activations without a closed form were off so far, as a part of the second moments. */
  readonly error: () => number;
}

/** Entries of an array of one tile: what a cache holds. */
const entriesOfTile = 2 ** 15;
/** Pairs of examples that are looked at together at least, so that loops over them are worth their start. */
const leastPairs = 32;

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
  const pool = arrayPool();
  let known: ReadArchitecture | undefined;
  let error = 0;
  const read = (example: readonly number[]): ReadArchitecture => {
    if (!known || `${known.example}` !== `${example}`) {
      known = readArchitecture(model, example);
      memo.clear();
    }
    return known;
  };
  const contextOf = (of: ReadArchitecture, tile: Tile, variances: Context["variances"]): Context => ({
    ...{
      tile,
      parameterization,
      wStd,
      bStd,
      allPairs: of.allPairs,
      shape: of.shape,
      variances,
      array: pool.take,
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
    block: (x, rows, z, columns) =>
      blockOf(x, rows, z, columns, read(exampleDims(x.examples)), contextOf, pool),
    error: () => error,
  };
}

const exampleDims = ({ features, sides, unitsLast }: Examples): readonly number[] =>
  unitsLast ? [...sides, features] : [features, ...sides];

type ContextOf = (of: ReadArchitecture, tile: Tile, variances: Context["variances"]) => Context;

function checkOptions(parameterization: Parameterization, wStd: number, bStd: number): void {
  if (parameterization !== "ntk" && parameterization !== "standard")
    throw new KernelError(`no parameterization "${String(parameterization)}"; there are ntk, standard`);
  if (!(wStd >= 0 && wStd < Number.POSITIVE_INFINITY) || !(bStd >= 0 && bStd < Number.POSITIVE_INFINITY))
    throw new KernelError(
      `the deviations of weights and biases are finite and at least 0, not ${wStd} and ${bStd}`,
    );
}

/** The field of the data. */
const inputField = (
  of: ReadArchitecture,
  { features, sides, unitsLast }: Examples,
  nngp: Float64Array,
): Field => ({
  ...{ kind: "field", key: of.input, features, sides, unitsLast, all: of.allPairs.has(of.input), nngp },
  ...{ ntk: undefined, gaussian: false, terms: undefined, depends: new Set<string>() },
});

/** Runs the pass on a tile; `visit` sees every field that the pass made. */
function through(of: ReadArchitecture, x: Field, context: Context, visit?: (field: Field) => void): Field {
  const inputs = new Map<string, Meaning>([...of.weights, [of.input, x]]);
  const values = limitPass(context)(of.graph, inputs);
  if (visit) for (const value of values.values()) if (value.kind === "field") visit(value);
  const found = values.get(of.output);
  if (!found || found.kind === "weight")
    throw new KernelError("the output of the network does not depend on its data");
  const output = resolve(found, context);
  if (positionsOf(output) !== 1)
    throw new KernelError(
      `the output of the network has ${positionsOf(output)} positions; flatten it or take their mean, so that an example has one kernel`,
    );
  return output;
}

/** Each example with itself, some at a time. */
function prepare(x: Tensor, of: ReadArchitecture, contextOf: ContextOf, pool: ArrayPool): PreparedExamples {
  const examples = examplesOf(x, of.unitsLast);
  const { count } = examples;
  const variances = new Map<string, Float64Array>();
  const [nngp, ntk] = [new Float64Array(count), new Float64Array(count)];
  const positions = elementCount(examples.sides);
  const isAll = of.allPairs.has(of.input);
  const step = Math.max(1, Math.floor(entriesOfTile / (isAll ? positions ** 2 : positions)));
  for (let from = 0; from < count; from += step) {
    const to = Math.min(count, from + step);
    const width = to - from;
    const note = (field: Field): void => {
      const same = samePositions(field, width).nngp;
      const stored = variances.get(field.key) ?? new Float64Array(positionsOf(field) * count);
      variances.set(field.key, stored);
      for (let p = 0; p < positionsOf(field); p++)
        stored.set(same.subarray(p * width, (p + 1) * width), p * count + from);
    };
    const own = new WeakMap<Float64Array, Variances>();
    const context = contextOf(of, { rows: 1, columns: width, itself: true }, (field) => {
      const found = own.get(field.nngp) ?? {
        values: samePositions(field, width).nngp.slice(),
        stride: width,
        start: 0,
      };
      own.set(field.nngp, found);
      return [found, found];
    });
    const start = inputField(of, examples, ownCovariance(examples, [from, to], isAll, pool.take));
    const output = through(of, start, context, note);
    nngp.set(output.nngp, from);
    ntk.set(output.ntk ?? new Float64Array(width), from);
    pool.reset();
  }
  return { examples, variances, nngp, ntk };
}

async function blockOf(
  x: PreparedExamples,
  rows: Range,
  z: PreparedExamples,
  columns: Range,
  of: ReadArchitecture,
  contextOf: ContextOf,
  pool: ArrayPool,
): Promise<KernelBlock> {
  const [height, width] = [rows[1] - rows[0], columns[1] - columns[0]];
  const [nngp, ntk] = [new Float64Array(height * width), new Float64Array(height * width)];
  const isAll = of.allPairs.has(of.input);
  const [high, wide] = tileSides(width, elementCount(x.examples.sides), isAll);
  // One product for the whole block where that pays; windows of few units tile by tile.
  const whole = isProduct(x.examples)
    ? await covariance(x.examples, rows, z.examples, columns, false, (length) => new Float64Array(length))
    : undefined;
  for (let top = 0; top < height; top += high)
    for (let left = 0; left < width; left += wide) {
      const r: Range = [rows[0] + top, rows[0] + Math.min(height, top + high)];
      const c: Range = [columns[0] + left, columns[0] + Math.min(width, left + wide)];
      const tile: Tile = { rows: r[1] - r[0], columns: c[1] - c[0], itself: false };
      const context = contextOf(of, tile, ({ key }) => [
        { values: x.variances.get(key)!, stride: x.examples.count, start: r[0] },
        { values: z.variances.get(key)!, stride: z.examples.count, start: c[0] },
      ]);
      const start = whole
        ? part(whole, width, tile, top, left, pool)
        : await covariance(x.examples, r, z.examples, c, isAll, pool.take);
      const output = through(of, inputField(of, x.examples, start), context);
      for (let i = 0; i < tile.rows; i++) {
        const [to, from] = [(top + i) * width + left, i * tile.columns];
        nngp.set(output.nngp.subarray(from, from + tile.columns), to);
        if (output.ntk) ntk.set(output.ntk.subarray(from, from + tile.columns), to);
      }
      pool.reset();
    }
  return { rows: height, columns: width, nngp, ntk };
}

/** Rows and columns of a tile: as wide as the block, if the positions leave room for that. */
function tileSides(width: number, positions: number, isAll: boolean): readonly [number, number] {
  const pairs = Math.max(leastPairs, Math.floor(entriesOfTile / (isAll ? positions ** 2 : positions)));
  const wide = Math.min(width, pairs);
  return [Math.max(1, Math.floor(pairs / wide)), wide];
}

/** A tile of a matrix. */
function part(
  matrix: Float64Array,
  width: number,
  { rows, columns }: Tile,
  top: number,
  left: number,
  pool: ArrayPool,
): Float64Array {
  const result = pool.take(rows * columns);
  for (let i = 0; i < rows; i++) {
    const from = (top + i) * width + left;
    result.set(matrix.subarray(from, from + columns), i * columns);
  }
  return result;
}

export interface LimitKernel extends KernelBlock {
  /** The NNGP variance of each example of the rows. */
  readonly variances: Float64Array;
  /** Estimate of the error of maps without a closed form, as a part of the second moments; 0: all are closed forms. */
  readonly error: number;
}

/** Entries of a whole kernel that are found at once. */
const entriesAtOnce = 2 ** 17;

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
    const block = await kernel.block(rows, [from, to], columns, [0, width]);
    for (let i = from; i < to; i++) {
      const at = (i - from) * width;
      nngp.set(block.nngp.subarray(at, at + width), i * m);
      ntk.set(block.ntk.subarray(at, at + width), i * m);
    }
    progress?.(other ? to / n : (to / n) ** 2);
  }
  if (!other) for (const k of [nngp, ntk]) mirror(k, n);
  return { rows: n, columns: m, nngp, ntk, variances: rows.nngp, error: kernel.error() };
}

/** Copies what is below the diagonal above it. */
function mirror(matrix: Float64Array, n: number): void {
  const side = 16; // squares of 16 by 16 keep both sides in the cache
  for (let top = 0; top < n; top += side)
    for (let left = 0; left <= top; left += side)
      for (let i = top; i < Math.min(n, top + side); i++)
        for (let j = left; j < Math.min(i, left + side); j++) matrix[j * n + i] = matrix[i * n + j]!;
}
