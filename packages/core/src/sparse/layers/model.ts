// Signals of several sparse layers, x_(i-1) = D_i x_i: which of them there are for given supports, and how to draw one.
import { leftSingular } from "../../linear-algebra/small-svd.ts";
import type { Random } from "../../numbers/random.ts";
import { SparseError } from "../error.ts";
import { type Dictionary, synthesize } from "../pursuit/dictionary.ts";

/** Where a signal's codes may be different from 0. */
export interface LayerPattern {
  /** Atoms of the last dictionary that are used. */
  readonly support: readonly number[];
  /** For x_1, ..., x_(L-1): entries that are 0. */
  readonly zeros: readonly (readonly number[])[];
}

/** D_from ... D_to, counted from 1. */
export function effectiveDictionary(layers: readonly Dictionary[], from = 1, to = layers.length): Dictionary {
  let product = layers[to - 1];
  if (!product || from < 1 || from > to)
    throw new SparseError(`dictionaries ${from} to ${to} of ${layers.length}`);
  for (let i = to - 2; i >= from - 1; i--) product = productOf(layers[i]!, product);
  return product;
}

function productOf(left: Dictionary, right: Dictionary): Dictionary {
  if (left.count !== right.size)
    throw new SparseError(`atoms of ${right.size} numbers in a dictionary of ${left.count} atoms`);
  const atoms = new Float64Array(left.size * right.count);
  for (let j = 0; j < right.count; j++)
    atoms.set(synthesize(left, right.atoms.subarray(j * right.size, (j + 1) * right.size)), j * left.size);
  return { size: left.size, count: right.count, atoms };
}

/** Atoms of length 1. */
export function unitAtoms({ size, count, atoms }: Dictionary): Dictionary {
  const unit = atoms.slice();
  for (let j = 0; j < count; j++) {
    const atom = unit.subarray(j * size, (j + 1) * size);
    const length = Math.hypot(...atom);
    if (length === 0) throw new SparseError(`atom ${j} is zero`);
    for (let i = 0; i < size; i++) atom[i]! /= length;
  }
  return { size, count, atoms: unit };
}

export interface ModelDimension {
  /** r: the rank of Phi on the support, where Phi are the rows of D_(i+1) ... D_L that must give 0. */
  readonly rank: number;
  /** s_L - r; there are signals other than 0 only where it is above 0. */
  readonly dimension: number;
  /** Orthonormal: codes x_L on the support, from which the intermediate codes are 0 where they should be. */
  readonly basis: readonly Float64Array[];
}

/** Singular values below this share of the greatest count as 0. */
const negligible = 2 ** -40;

/**
 * The codes x_L with a given pattern are a linear space: its dimension is s_L less the rank of what must vanish.
 * @example modelDimension([dictionaryOf(matrixOfRows([[1, 0], [0, 1]])), dictionaryOf(matrixOfRows([[1, 0, 1], [0, 1, 1]]))], { support: [0, 2], zeros: [[1]] }).dimension // 1
 */
export function modelDimension(layers: readonly Dictionary[], pattern: LayerPattern): ModelDimension {
  const { support, zeros } = pattern;
  requirePattern(layers, pattern);
  const rows = zeros.flatMap((set, i) => {
    const { size, atoms } = effectiveDictionary(layers, i + 2);
    return set.map((row) => support.map((j) => atoms[j * size + row]!));
  });
  const kernel = nullSpace(rows, support.length);
  return { rank: support.length - kernel.length, dimension: kernel.length, basis: kernel };
}

/** Vectors x with rows x = 0, orthonormal. */
export function nullSpace(rows: readonly (readonly number[])[], columns: number): readonly Float64Array[] {
  // Columns are turned until they are orthogonal: a turn whose column has no length left is in the kernel.
  const turned = Array.from({ length: columns }, (_, j) => Float64Array.from(rows, (row) => row[j]!));
  const { values, left } = leftSingular(turned);
  const greatest = values.reduce((m, v) => Math.max(m, v), 0);
  return left.filter((_, k) => values[k]! <= negligible * greatest);
}

function requirePattern(layers: readonly Dictionary[], { support, zeros }: LayerPattern): void {
  if (zeros.length !== layers.length - 1)
    throw new SparseError(`zeros of ${zeros.length} codes for ${layers.length} dictionaries`);
  const within = (set: readonly number[], count: number, what: string): void => {
    const bad = set.find((j) => !(Number.isSafeInteger(j) && j >= 0 && j < count));
    if (bad !== undefined || new Set(set).size < set.length)
      throw new SparseError(`${what}: entries are different whole numbers from 0 to ${count - 1}`);
  };
  within(support, layers.at(-1)!.count, "the support");
  zeros.forEach((set, i) => {
    within(set, layers[i]!.count, `the zeros of code ${i + 1}`);
  });
}

/** A code x_L of the pattern with normal coordinates, of which all codes and the signal follow; undefined where only 0 has it. */
export function drawnCode(
  layers: readonly Dictionary[],
  pattern: LayerPattern,
  random: Random,
): Float64Array | undefined {
  const { basis } = modelDimension(layers, pattern);
  if (basis.length === 0) return undefined;
  const x = new Float64Array(layers.at(-1)!.count);
  for (const direction of basis) {
    const along = random.normal();
    pattern.support.forEach((j, k) => {
      x[j]! += along * direction[k]!;
    });
  }
  return x;
}

/** x_1, ..., x_L from x_L, with what is rounding beside the largest entry as 0. */
export function codesOf(
  layers: readonly Dictionary[],
  x: Float64Array,
  rounding = 2 ** -40,
): readonly Float64Array[] {
  const codes = [x];
  for (let i = layers.length - 1; i >= 1; i--) {
    const code = synthesize(layers[i]!, codes[0]!);
    const greatest = code.reduce((m, v) => Math.max(m, Math.abs(v)), 0);
    codes.unshift(code.map((v) => (Math.abs(v) <= rounding * greatest ? 0 : v)));
  }
  return codes;
}

/** How many entries are not 0. */
export const nonzeros = (x: Float64Array): number => x.reduce((n, v) => n + Number(v !== 0), 0);

/** The pattern that codes x_1, ..., x_L have. */
export function patternOf(codes: readonly Float64Array[]): LayerPattern {
  const places = (x: Float64Array, isZero: boolean): readonly number[] =>
    Array.from(x.keys()).filter((j) => (x[j] === 0) === isZero);
  return { support: places(codes.at(-1)!, false), zeros: codes.slice(0, -1).map((x) => places(x, true)) };
}
