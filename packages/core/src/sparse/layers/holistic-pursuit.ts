// Pursuits that know of all layers: zeros of intermediate codes are found one by one (holistic), or a code of the effective
// dictionary is cut down until all layers are sparse enough (projection).
import { SparseError } from "../error.ts";
import {
  correlation,
  type Dictionary,
  requireSignal,
  residualOf,
  synthesize,
} from "../pursuit/dictionary.ts";
import { fitOn, orthogonalMatching } from "../pursuit/greedy-pursuits.ts";
import { largest } from "../pursuit/thresholds.ts";
import { generalizedLasso } from "./generalized-lasso.ts";
import {
  codesOf,
  effectiveDictionary,
  type LayerPattern,
  modelDimension,
  nonzeros,
  nullSpace,
} from "./model.ts";

export interface LayeredCode {
  /** x_1, ..., x_L, of which each is made of the next. */
  readonly codes: readonly Float64Array[];
  readonly residual: Float64Array;
  readonly iterations: number;
}

function requireSparsities(layers: readonly Dictionary[], sparsities: readonly number[]): void {
  if (layers.length === 0) throw new SparseError("no dictionary");
  if (sparsities.length !== layers.length)
    throw new SparseError(`${sparsities.length} sparsities for ${layers.length} dictionaries`);
  sparsities.forEach((s, i) => {
    if (!(Number.isSafeInteger(s) && s >= 1 && s <= layers[i]!.count))
      throw new SparseError(`sparsity ${i + 1} is a whole number from 1 to ${layers[i]!.count}, not ${s}`);
  });
}

/** Vectors as the columns of a dictionary. */
const spanned = (size: number, vectors: readonly Float64Array[]): Dictionary => {
  const atoms = new Float64Array(size * vectors.length);
  vectors.forEach((v, j) => {
    atoms.set(v, j * size);
  });
  return { size, count: vectors.length, atoms };
};

/**
 * Holistic pursuit (Aberdam, Sulam and Elad 2019): basis pursuit, the least entry of the intermediate codes is taken for a zero,
 * basis pursuit among codes in which it is one, and so on; then least squares on the pattern that was found.
 */
export async function holisticPursuit(
  layers: readonly Dictionary[],
  y: Float64Array,
  sparsities: readonly number[],
  { lambda, iterations = 300 }: { readonly lambda?: number; readonly iterations?: number } = {},
): Promise<LayeredCode> {
  requireSparsities(layers, sparsities);
  requireSignal(layers[0]!, y);
  const whole = effectiveDictionary(layers);
  const inner = layers.slice(1).map((_, i) => effectiveDictionary(layers, i + 2));
  const last = layers.at(-1)!.count;
  const most = sparsities.at(-1)!;
  const weight = lambda ?? greatestCorrelation(whole, y) * 1e-2;
  const zeros: number[][] = inner.map(() => []);
  const wanted = inner.map(({ size }, i) => size - sparsities[i]!);
  let free: readonly Float64Array[] = Array.from({ length: last }, (_, j) => {
    const unit = new Float64Array(last);
    unit[j] = 1;
    return unit;
  });
  let x = await codeWithin(whole, y, free, weight, iterations);
  let rounds = 1;
  for (;;) {
    const next = leastEntry(inner, zeros, wanted, x);
    if (!next) break;
    zeros[next.layer]!.push(next.row);
    const rows = zeros.flatMap((set, i) => set.map((row) => rowOf(inner[i]!, row)));
    const smaller = nullSpace(rows, last);
    // A model that is empty has no code: what was found before is as sparse as the zeros allow.
    if (smaller.length === 0) break;
    free = smaller;
    x = await codeWithin(whole, y, free, weight, iterations);
    rounds++;
  }
  const support = largest(x, most);
  const fitted = fittedOn(layers, whole, y, { support, zeros }) ?? keepOnly(x, support);
  return { codes: codesOf(layers, fitted), residual: residualOf(whole, y, fitted), iterations: rounds };
}

const keepOnly = (x: Float64Array, support: readonly number[]): Float64Array =>
  x.map((v, j) => (support.includes(j) ? v : 0));

const rowOf = ({ size, count, atoms }: Dictionary, row: number): number[] =>
  Array.from({ length: count }, (_, j) => atoms[j * size + row]!);

function greatestCorrelation({ size, count, atoms }: Dictionary, y: Float64Array): number {
  let greatest = 0;
  for (let j = 0; j < count; j++) greatest = Math.max(greatest, Math.abs(correlation(atoms, j * size, y)));
  if (greatest === 0) throw new SparseError("no atom correlates with the signal: every code is 0");
  return greatest;
}

/** Basis pursuit among the codes K a: |y - D K a|^2 / 2 + lambda |K a|_1. */
async function codeWithin(
  whole: Dictionary,
  y: Float64Array,
  free: readonly Float64Array[],
  weight: number,
  iterations: number,
): Promise<Float64Array> {
  const basis = spanned(whole.count, free);
  const seen = spanned(
    whole.size,
    free.map((direction) => synthesize(whole, direction)),
  );
  const { x: along } = await generalizedLasso(seen, y, [{ weight, of: basis }], { iterations, gap: 1e-9 });
  return synthesize(basis, along);
}

/** The entry nearest to 0, for its row's length, of the codes that still want zeros. */
function leastEntry(
  inner: readonly Dictionary[],
  zeros: readonly (readonly number[])[],
  wanted: readonly number[],
  x: Float64Array,
): { readonly layer: number; readonly row: number } | undefined {
  let [best, least]: [{ layer: number; row: number } | undefined, number] = [
    undefined,
    Number.POSITIVE_INFINITY,
  ];
  inner.forEach((matrix, layer) => {
    if (zeros[layer]!.length >= wanted[layer]!) return;
    synthesize(matrix, x).forEach((v, row) => {
      if (zeros[layer]!.includes(row) || !(Math.abs(v) < least)) return;
      [best, least] = [{ layer, row }, Math.abs(v)];
    });
  });
  return best;
}

/** Least squares among the codes of a pattern; undefined where only 0 has it. */
export function fittedOn(
  layers: readonly Dictionary[],
  whole: Dictionary,
  y: Float64Array,
  pattern: LayerPattern,
): Float64Array | undefined {
  const { basis } = modelDimension(layers, pattern);
  if (basis.length === 0) return undefined;
  const codes = basis.map((direction) => {
    const x = new Float64Array(whole.count);
    pattern.support.forEach((j, k) => {
      x[j] = direction[k]!;
    });
    return x;
  });
  const seen = spanned(
    whole.size,
    codes.map((x) => synthesize(whole, x)),
  );
  const along = fitOn(seen, Array.from(codes.keys()), y);
  return along && synthesize(spanned(whole.count, codes), along);
}

/**
 * Projection (Sulam et al. 2018): orthogonal matching in the effective dictionary, then atoms with the least weight are given up
 * and the others fitted again, until every intermediate code is sparse enough.
 */
export function projectionPursuit(
  layers: readonly Dictionary[],
  y: Float64Array,
  sparsities: readonly number[],
): LayeredCode {
  requireSparsities(layers, sparsities);
  requireSignal(layers[0]!, y);
  const whole = effectiveDictionary(layers);
  const found = orthogonalMatching(whole, y, Math.min(sparsities.at(-1)!, whole.size, whole.count));
  let [support, x, rounds]: [readonly number[], Float64Array, number] = [found.support, found.x, 1];
  const isSparse = (): boolean => codesOf(layers, x).every((code, i) => nonzeros(code) <= sparsities[i]!);
  while (support.length > 0 && !isSparse()) {
    const weakest = support.reduce((least, j) => (Math.abs(x[j]!) < Math.abs(x[least]!) ? j : least));
    support = support.filter((j) => j !== weakest);
    x =
      support.length === 0
        ? new Float64Array(whole.count)
        : (fitOn(whole, support, y) ?? keepOnly(x, support));
    rounds++;
  }
  return { codes: codesOf(layers, x), residual: residualOf(whole, y, x), iterations: rounds };
}
