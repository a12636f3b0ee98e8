// The covariance behind a function that is applied to each unit.
import type { Dual } from "../../functions/dual.ts";
import { seriesDual } from "../../functions/series-dual.ts";
import type { Context, Variances } from "./context.ts";
import { type Applied, type Field, pairsOf, positionsOf } from "./meaning.ts";
import { type LayerBehind, noLayer, type PairKernel, pairKernel, type TileOfPairs } from "./pair-kernel.ts";
import type { UnitFunction } from "./unit-function.ts";

const series = new WeakMap<UnitFunction, Dual>();

function dualOf(f: UnitFunction): Dual {
  const found = f.dual ?? series.get(f) ?? seriesDual(f);
  if (!f.dual) series.set(f, found);
  return found;
}

const resolved = new WeakMap<Applied, Field>();

/**
 * The field of c f(u): the covariance is c^2 E f(u) f(v), the tangent kernel is c^2 E f'(u) f'(v) times that of u.
 */
export function resolve(value: Field | Applied, context: Context): Field {
  if (value.kind === "field") return value;
  const found = resolved.get(value) ?? through(value, context);
  resolved.set(value, found);
  return found;
}

/** Both kernels behind a layer that reads the value: in one go with a function that nobody has resolved so far. */
export function resolveLayer(value: Field | Applied, layer: LayerBehind, context: Context): Kernels {
  if (value.kind === "applied" && value.factor === 1 && value.field.ntk && !resolved.has(value)) {
    const kernel = kernelFor(value, context);
    if (kernel) return byKernel(kernel, value.field, layer, context);
  }
  return behind(resolve(value, context), layer, context);
}

type Kernels = Pick<Field, "nngp" | "ntk">;

/** w nngp + shift, and own nngp + before ntk + tangentShift. */
export const behind = ({ nngp, ntk }: Kernels, layer: LayerBehind, { array }: Context): Kernels =>
  writeLayer({ nngp, ntk }, layer, [array(nngp.length), array(nngp.length)]);

/** The same over the arrays themselves, which nobody else reads. */
export const behindInPlace = ({ nngp, ntk }: Kernels, layer: LayerBehind, { array }: Context): Kernels =>
  writeLayer({ nngp, ntk }, layer, [nngp, ntk ?? array(nngp.length)]);

function writeLayer(
  { nngp, ntk }: Kernels,
  { w, shift, own, before, tangentShift }: LayerBehind,
  [covariance, tangent]: readonly [Float64Array, Float64Array],
): Kernels {
  if (ntk)
    for (let n = 0; n < nngp.length; n++) {
      const k = nngp[n]!;
      covariance[n] = w * k + shift;
      tangent[n] = own * k + before * ntk[n]! + tangentShift;
    }
  else
    for (let n = 0; n < nngp.length; n++) {
      const k = nngp[n]!;
      covariance[n] = w * k + shift;
      tangent[n] = own * k + tangentShift;
    }
  return { nngp: covariance, ntk: tangent };
}

/** The kernel of the function in WebAssembly, if it has one that is good for these variances. */
function kernelFor({ f, field }: Applied, { tile, variances }: Context): PairKernel | undefined {
  const { formula } = dualOf(f);
  return formula && variances(field).every(isModerate) ? pairKernel(formula, tile.itself) : undefined;
}

function through(value: Applied, context: Context): Field {
  const { key, field, f, factor } = value;
  const kernel = kernelFor(value, context);
  const { nngp, ntk } = kernel
    ? byKernel(kernel, field, noLayer, context)
    : byPairs(dualOf(f), field, context);
  multiply(nngp, factor * factor);
  if (ntk) multiply(ntk, factor * factor);
  return { ...field, key, nngp, ntk, gaussian: false, terms: undefined, multiple: undefined };
}

function multiply(entries: Float64Array, factor: number): void {
  if (factor !== 1) for (let n = 0; n < entries.length; n++) entries[n]! *= factor;
}

/** Calls with each pair of positions: its number, and where the variances of rows and columns begin. */
function overPositions(
  field: Field,
  [left, right]: readonly [Variances, Variances],
  visit: (m: number, aFrom: number, bFrom: number) => void,
): void {
  const positions = positionsOf(field);
  for (let m = 0; m < pairsOf(field); m++) {
    const [p, q] = field.all ? [Math.floor(m / positions), m % positions] : [m, m];
    visit(m, p * left.stride + left.start, q * right.stride + right.start);
  }
}

function byKernel(kernel: PairKernel, field: Field, layer: LayerBehind, context: Context): Kernels {
  const { nngp: k, ntk: before } = field;
  const { tile, variances, array } = context;
  const value = array(k.length);
  const tangent = before && { before, into: array(k.length) };
  const both = variances(field);
  const { rows, columns, itself: own } = tile;
  const given = { k, own, value, tangent, layer };
  if (field.all && rows === 1) {
    byPositions(kernel, given, positionsOf(field), both, context);
    return { nngp: value, ntk: tangent?.into };
  }
  const [a, b] = [both[0].values, both[1].values];
  overPositions(field, both, (m, aFrom, bFrom) =>
    // Written out: to spread an object takes as long as a hundred pairs.
    kernel({ k, own, value, tangent, layer, from: m * rows * columns, rows, columns, a, aFrom, b, bFrom }),
  );
  return { nngp: value, ntk: tangent?.into };
}

/**
 * All pairs of positions of a row of examples are a matrix: row p has the variance of the example at p, and columns are
 * positions and examples of the other side. With each example itself the variances of a row are the pairs' own.
 */
function byPositions(
  kernel: PairKernel,
  given: Pick<TileOfPairs, "k" | "own" | "value" | "tangent" | "layer">,
  positions: number,
  [left, right]: readonly [Variances, Variances],
  { tile, array, free }: Context,
): void {
  const count = tile.columns;
  const columns = positions * count;
  const [a, b] = [array(given.own ? columns : positions), array(columns)];
  for (let q = 0; q < positions; q++) {
    const at = q * right.stride + right.start;
    for (let j = 0; j < count; j++) b[q * count + j] = right.values[at + j]!;
  }
  if (given.own)
    for (let p = 0; p < positions; p++) {
      const at = p * left.stride + left.start;
      for (let q = 0; q < positions; q++)
        for (let j = 0; j < count; j++) a[q * count + j] = left.values[at + j]!;
      kernel({ ...given, from: p * columns, rows: 1, columns, a, aFrom: 0, b, bFrom: 0 });
    }
  else {
    for (let p = 0; p < positions; p++) a[p] = left.values[p * left.stride + left.start]!;
    kernel({ ...given, from: 0, rows: positions, columns, a, aFrom: 0, b, bFrom: 0 });
  }
  free(a);
  free(b);
}

function byPairs(dual: Dual, field: Field, { tile, variances, note, array }: Context): Kernels {
  const { nngp: k, ntk } = field;
  const [value, slope] = [array(k.length), array(k.length)];
  const both = variances(field);
  const [a, b] = [both[0].values, both[1].values];
  const aStep = tile.itself ? 1 : 0;
  const count = tile.columns;
  let error = 0;
  overPositions(field, both, (m, aFrom, bFrom) => {
    for (let i = 0; i < tile.rows; i++) {
      const from = (m * tile.rows + i) * count;
      error = Math.max(error, dual({ k, from, count, a, aFrom: aFrom + i, aStep, b, bFrom, value, slope }));
    }
  });
  note(error);
  if (ntk) for (let n = 0; n < slope.length; n++) slope[n]! *= ntk[n]!;
  return { nngp: value, ntk: ntk && slope };
}

const moderate = new WeakMap<Float64Array, boolean>();

/** Whether all variances are 0 or such that products of four of them are neither 0 nor infinite. */
function isModerate({ values }: Variances): boolean {
  const found = moderate.get(values) ?? values.every((v) => v === 0 || (v > 1e-70 && v < 1e70));
  moderate.set(values, found);
  return found;
}
