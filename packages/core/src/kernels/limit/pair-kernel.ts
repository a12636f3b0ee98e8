// Gaussian expectations of many pairs at once, by a kernel in WebAssembly: in place where the arrays are in its memory, elsewhere
// some rows at a time through a part of it that stays in the nearest cache.
import type { PairFormula } from "../../functions/pair-formula.ts";
import { isSimdThere } from "../../linear-algebra/simd-memory.ts";
import { assemble } from "../../linear-algebra/wasm-code.ts";
import { mostPairs, type PairFunctions, pairFunctions, place } from "./pair-code.ts";
import { isInTileMemory, tileMemory } from "./tile-memory.ts";

/** A layer behind the function: w E f f + shift, and own E f f + before E f' f' T + tangentShift for the tangent kernel T before. */
export interface LayerBehind {
  readonly w: number;
  readonly shift: number;
  readonly own: number;
  readonly before: number;
  readonly tangentShift: number;
}

/** E f f and E f' f' T themselves. */
export const noLayer: LayerBehind = { w: 1, shift: 0, own: 0, before: 1, tangentShift: 0 };

/**
 * Pairs of rows and columns, row by row: pair (i, j) has the covariance k[from + i columns + j] and the variances a[aFrom + i]
 * and b[bFrom + j]; with `own` there is one row, and a[aFrom + j] belongs to pair j. What is found stands at the same
 * places of `value`, and of the tangent kernel's array.
 */
export interface TileOfPairs {
  readonly k: Float64Array;
  readonly from: number;
  readonly rows: number;
  readonly columns: number;
  readonly own: boolean;
  readonly a: Float64Array;
  readonly aFrom: number;
  readonly b: Float64Array;
  readonly bFrom: number;
  readonly value: Float64Array;
  /** Left out where nothing comes before. */
  readonly tangent?: { readonly before: Float64Array; readonly into: Float64Array } | undefined;
  readonly layer: LayerBehind;
}

export type PairKernel = (tile: TileOfPairs) => void;

const kernels = {
  own: new WeakMap<PairFormula, PairKernel>(),
  other: new WeakMap<PairFormula, PairKernel>(),
};

/** The kernel of a formula, made once; undefined where there is no SIMD. */
export function pairKernel(formula: PairFormula, own: boolean): PairKernel | undefined {
  const known = kernels[own ? "own" : "other"];
  const found = known.get(formula) ?? (isSimdThere() ? kernelOf(formula, own) : undefined);
  if (found) known.set(formula, found);
  return found;
}

function kernelOf(formula: PairFormula, own: boolean): PairKernel {
  const { functions, memory: size } = pairFunctions(formula, own);
  const { memory, staged } = tileMemory();
  if (size > 8 * staged.length) throw new RangeError(`a formula of pairs needs ${size} bytes`);
  const module = new WebAssembly.Module(assemble(functions));
  const kernel = new WebAssembly.Instance(module, { js: { memory } }).exports as unknown as PairFunctions;
  return (tile) => {
    if (isInPlace(tile)) inPlace(kernel, staged, tile);
    else
      for (let left = 0; left < tile.columns; left += mostPairs) {
        const columns = Math.min(mostPairs, tile.columns - left);
        throughColumns(kernel, staged, tile, left, columns);
      }
  };
}

const isInPlace = ({ k, value, tangent, rows, columns }: TileOfPairs): boolean =>
  rows <= mostPairs &&
  columns <= mostPairs &&
  isInTileMemory(k) &&
  isInTileMemory(value) &&
  (!tangent || (isInTileMemory(tangent.before) && isInTileMemory(tangent.into)));

/** All rows where they are. */
function inPlace(kernel: PairFunctions, staged: Float64Array, tile: TileOfPairs): void {
  const { a, aFrom, b, bFrom, rows, columns, tangent, k, value, from } = tile;
  const { w, shift, own, before, tangentShift } = tile.layer;
  const length = 8 * (columns + (columns & 1));
  move(b, bFrom, staged, place.columns / 8, columns);
  if (tile.own) move(a, aFrom, staged, place.others / 8, columns);
  else move(a, aFrom, staged, place.rows / 8, rows);
  kernel.columns(place.columns + length);
  const at = (array: Float64Array): number => array.byteOffset + 8 * from;
  const [t, into] = [at(tangent?.before ?? k), at(tangent?.into ?? value)];
  const gap = 8 * columns - length;
  kernel.pairs(rows, length, gap, at(k), t, at(value), into, w, shift, own, before, tangentShift);
}

/** Columns left .. left + width - 1 of all rows, as many rows at a time as there is room for. */
function throughColumns(
  kernel: PairFunctions,
  staged: Float64Array,
  tile: TileOfPairs,
  left: number,
  width: number,
): void {
  const { a, aFrom, b, bFrom, rows, tangent } = tile;
  const { w, shift, own, before, tangentShift } = tile.layer;
  const stride = width + (width & 1);
  const length = 8 * stride;
  move(b, bFrom + left, staged, place.columns / 8, width);
  if (tile.own) move(a, aFrom + left, staged, place.others / 8, width);
  kernel.columns(place.columns + length);
  const high = Math.floor(mostPairs / stride);
  for (let top = 0; top < rows; top += high) {
    const count = Math.min(high, rows - top);
    if (!tile.own) move(a, aFrom + top, staged, place.rows / 8, count);
    // All rows at once where they stand together.
    const steps = stride === tile.columns ? 1 : count;
    const part = steps === 1 ? count * width : width;
    const start = tile.from + top * tile.columns + left;
    for (let i = 0; i < steps; i++) {
      const [at, to] = [start + i * tile.columns, i * stride];
      move(tile.k, at, staged, place.k / 8 + to, part);
      if (tangent) move(tangent.before, at, staged, place.tangent / 8 + to, part);
    }
    const { k, tangent: t } = place;
    kernel.pairs(count, length, 0, k, t, k, t, w, shift, own, before, tangentShift);
    for (let i = 0; i < steps; i++) {
      const [at, to] = [start + i * tile.columns, i * stride];
      move(staged, place.k / 8 + to, tile.value, at, part);
      if (tangent) move(staged, place.tangent / 8 + to, tangent.into, at, part);
    }
  }
}

function move(from: Float64Array, at: number, to: Float64Array, place: number, count: number): void {
  to.set(from.subarray(at, at + count), place);
}
