// Both kernels tile by tile: each example with itself first, which gives the variances, then pairs of examples.
import type { Tensor } from "../../graph/tensor.ts";
import { elementCount } from "../../graph/tensor.ts";
import { giveBack, scratch } from "../../linear-algebra/scratch.ts";
import { KernelError } from "../error.ts";
import { resolve } from "./activation.ts";
import type { ReadArchitecture } from "./architecture.ts";
import type { Context, Tile, Variances } from "./context.ts";
import {
  covariance,
  type Examples,
  examplesOf,
  ownCovariance,
  productsOfVectors,
  type Range,
  shareDiagonal,
} from "./inputs.ts";
import { type Field, type Meaning, positionsOf, samePositions } from "./meaning.ts";
import { limitPass } from "./pass.ts";
import type { ArrayPool } from "./pool.ts";

/** Examples that the kernel has looked at one by one: their variances at every value of the network. */
export interface PreparedExamples {
  readonly examples: Examples;
  readonly variances: ReadonlyMap<string, Float64Array>;
  /** Both kernels of each example with itself. */
  readonly nngp: Float64Array;
  readonly ntk: Float64Array;
}

/** Entries of an array of one tile: what a cache holds. */
const entriesOfTile = 2 ** 15;
/** Pairs of examples that are looked at together at least, so that loops over them are worth their start, if memory allows. */
const leastPairs = 32;
/** Entries of an array of one tile at most, but for one pair of examples: 16 MB. */
const mostEntries = 2 ** 21;

export type ContextOf = (of: ReadArchitecture, tile: Tile, variances: Context["variances"]) => Context;

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
export function prepare(
  x: Tensor,
  of: ReadArchitecture,
  contextOf: ContextOf,
  pool: ArrayPool,
): PreparedExamples {
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

/** Where the entries of a block go: matrices of both kernels, row by row. */
export interface Target {
  readonly nngp: Float64Array;
  readonly ntk: Float64Array;
  readonly start: number;
  readonly stride: number;
  /** Of a symmetric kernel, tiles that lie above the diagonal are left out. */
  readonly isLower: boolean;
}

/** Pairs of examples: rows from .. to - 1 of one set, columns of another. */
export interface Pairs {
  readonly x: PreparedExamples;
  readonly rows: Range;
  readonly z: PreparedExamples;
  readonly columns: Range;
}

/** Writes the kernels between examples of two sets. */
export async function writeBlock(
  pairs: Pairs,
  into: Target,
  of: ReadArchitecture,
  contextOf: ContextOf,
  pool: ArrayPool,
): Promise<void> {
  const { x, rows, z, columns } = pairs;
  const [height, width] = [rows[1] - rows[0], columns[1] - columns[0]];
  const isAll = of.allPairs.has(of.input);
  const [high, wide] = tileSides(width, elementCount(x.examples.sides), isAll);
  // One product for the whole block where that pays; windows of few units tile by tile.
  const whole = x.examples.vectors && scratch(height * width);
  if (whole) await productsOfVectors(x.examples, rows, z.examples, columns, whole);
  for (let top = 0; top < height; top += high)
    for (let left = 0; left < width; left += wide) {
      const r: Range = [rows[0] + top, rows[0] + Math.min(height, top + high)];
      const end = columns[0] + Math.min(width, left + wide);
      const c: Range = [columns[0] + left, into.isLower ? Math.min(end, r[1]) : end];
      if (c[1] <= c[0]) continue;
      const tile: Tile = { rows: r[1] - r[0], columns: c[1] - c[0], itself: false };
      const context = contextOf(of, tile, ({ key }) => [
        { values: x.variances.get(key)!, stride: x.examples.count, start: r[0] },
        { values: z.variances.get(key)!, stride: z.examples.count, start: c[0] },
      ]);
      const start = whole
        ? part(whole, width, x.examples, r, z.examples, c, [top, left], pool)
        : covariance(x.examples, r, z.examples, c, isAll, pool.take);
      const output = through(of, inputField(of, x.examples, start), context);
      copyTile(output, tile, into, into.start + top * into.stride + left);
      pool.reset();
    }
  if (whole) giveBack(whole);
}

function copyTile({ nngp, ntk }: Field, { rows, columns }: Tile, into: Target, start: number): void {
  for (let i = 0; i < rows; i++) {
    const [to, from] = [start + i * into.stride, i * columns];
    into.nngp.set(nngp.subarray(from, from + columns), to);
    if (ntk) into.ntk.set(ntk.subarray(from, from + columns), to);
  }
}

/**
 * Rows and columns of a tile: as wide as the block, if the positions leave room for that. With all pairs of positions there is
 * one row: then all expectations are those of a matrix, with a row a position.
 */
function tileSides(width: number, positions: number, isAll: boolean): readonly [number, number] {
  const each = isAll ? positions ** 2 : positions;
  const pairs = Math.max(
    1,
    Math.floor(entriesOfTile / each),
    Math.min(leastPairs, Math.floor(mostEntries / each)),
  );
  const wide = Math.min(width, pairs);
  return [isAll ? 1 : Math.max(1, Math.floor(pairs / wide)), wide];
}

/** K_0 of a tile, from the products of all vectors of a block; the tile begins at this row and column of it. */
function part(
  products: Float64Array,
  width: number,
  x: Examples,
  rows: Range,
  z: Examples,
  columns: Range,
  [top, left]: readonly [number, number],
  pool: ArrayPool,
): Float64Array {
  const [height, count] = [rows[1] - rows[0], columns[1] - columns[0]];
  const result = pool.take(height * count);
  for (let i = 0; i < height; i++) {
    const [from, to] = [(top + i) * width + left, i * count];
    for (let j = 0; j < count; j++) result[to + j] = products[from + j]! / x.features;
  }
  if (x === z) shareDiagonal(result, x, rows, columns, false);
  return result;
}
