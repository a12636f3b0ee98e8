// Dictionaries of several layers from examples: codes for dictionaries, dictionaries for codes, and so on. Every step lowers
// (7.18), with its sparsity of inner dictionaries as a bound on the nonzeros of an atom.
import { SparseError } from "../error.ts";
import { analyze, type Dictionary, residualOf, squaredNormAbove, synthesize } from "../pursuit/dictionary.ts";
import { lassoCode } from "../pursuit/lasso-code.ts";
import { largest } from "../pursuit/thresholds.ts";
import { effectiveDictionary } from "./model.ts";

export interface LearningOptions {
  /** lambda of (7.18): weight of |x_L|_1. */
  readonly lambda: number;
  /** iota: weight of all squared entries of the dictionaries; above 0, or atoms grow without bound. */
  readonly decay: number;
  /** Nonzeros of an atom of D_2, ..., D_L at most: their induced norm |D|_0. */
  readonly perAtom: readonly number[];
  readonly rounds?: number;
  /** Steps of each dictionary in a round. */
  readonly steps?: number;
  readonly onRound?: (round: number, objective: number) => void | Promise<void>;
}

export interface LearnedDictionaries {
  readonly layers: readonly Dictionary[];
  readonly codes: readonly Float64Array[];
  /** After the first codes, and after each round: no number is greater than the one before. */
  readonly objectives: readonly number[];
}

/** (7.18) with its last term inside of the mean over the signals: 1/N sum (|y - D x|^2 / 2 + lambda |x|_1) + iota sum |D_l|_F^2. */
export function learningObjective(
  layers: readonly Dictionary[],
  signals: readonly Float64Array[],
  codes: readonly Float64Array[],
  { lambda, decay }: Pick<LearningOptions, "lambda" | "decay">,
): number {
  const whole = effectiveDictionary(layers);
  const fit = signals.reduce((sum, y, k) => {
    const rest = residualOf(whole, y, codes[k]!);
    const size = codes[k]!.reduce((total, v) => total + Math.abs(v), 0);
    return sum + rest.reduce((total, v) => total + v * v, 0) / 2 + lambda * size;
  }, 0);
  return (
    fit / signals.length +
    decay * layers.reduce((sum, { atoms }) => sum + atoms.reduce((total, v) => total + v * v, 0), 0)
  );
}

/** The most nonzeros of an atom: |D|_0, for which |D x|_0 <= |D|_0 |x|_0. */
export function atomNonzeros({ size, count, atoms }: Dictionary): number {
  let most = 0;
  for (let j = 0; j < count; j++) {
    let here = 0;
    for (let i = 0; i < size; i++) if (atoms[j * size + i] !== 0) here++;
    most = Math.max(most, here);
  }
  return most;
}

/** Alternates between codes (basis pursuit, from the codes before) and each dictionary (steps downhill, then the largest entries). */
export async function learnedDictionaries(
  start: readonly Dictionary[],
  signals: readonly Float64Array[],
  { rounds = 20, steps = 5, onRound, ...options }: LearningOptions,
): Promise<LearnedDictionaries> {
  const { lambda, decay, perAtom } = options;
  if (signals.length === 0) throw new SparseError("no signal to learn from");
  if (!(decay > 0)) throw new SparseError(`a decay is a positive number, not ${decay}`);
  if (perAtom.length !== start.length - 1)
    throw new SparseError(`nonzeros of ${perAtom.length} dictionaries' atoms for ${start.length - 1}`);
  let layers = start.map((layer, l) => (l === 0 ? layer : sparseAtoms(layer, perAtom[l - 1]!)));
  let codes: readonly Float64Array[] = [];
  const coded = (): readonly Float64Array[] => {
    const whole = effectiveDictionary(layers);
    return signals.map((y, k) => {
      const before = codes[k];
      return lassoCode(whole, y, lambda, { gap: 1e-8, ...(before && { start: before }) }).x;
    });
  };
  codes = coded();
  const objectives = [learningObjective(layers, signals, codes, options)];
  for (let round = 1; round <= rounds; round++) {
    for (let l = 0; l < layers.length; l++)
      for (let k = 0; k < steps; k++) {
        const better = stepped(layers, l, signals, codes, options);
        layers = layers.map((layer, at) => (at === l ? better : layer));
      }
    codes = coded();
    objectives.push(learningObjective(layers, signals, codes, options));
    await onRound?.(round, objectives.at(-1)!);
  }
  return { layers, codes, objectives };
}

/** The largest entries of each atom. */
function sparseAtoms({ size, count, atoms }: Dictionary, most: number): Dictionary {
  if (!(Number.isSafeInteger(most) && most >= 1 && most <= size))
    throw new SparseError(`nonzeros of an atom are a whole number from 1 to ${size}, not ${most}`);
  const kept = new Float64Array(atoms.length);
  for (let j = 0; j < count; j++)
    for (const i of largest(atoms.subarray(j * size, (j + 1) * size), most))
      kept[j * size + i] = atoms[j * size + i]!;
  return { size, count, atoms: kept };
}

/**
 * One step of D_l along the slope of its objective, by the inverse of its curvature: with P = D_1 ... D_(l-1) and codes
 * z = D_(l+1) ... x, the slope is mean P^T (P D_l z - y) z^T + 2 iota D_l, the curvature at most |P|^2 |mean z z^T| + 2 iota.
 */
function stepped(
  layers: readonly Dictionary[],
  l: number,
  signals: readonly Float64Array[],
  codes: readonly Float64Array[],
  { decay, perAtom }: LearningOptions,
): Dictionary {
  const layer = layers[l]!;
  const { size, count, atoms } = layer;
  const before = l === 0 ? undefined : effectiveDictionary(layers, 1, l);
  const after = l === layers.length - 1 ? undefined : effectiveDictionary(layers, l + 2);
  const slope = atoms.map((v) => 2 * decay * v);
  const inner = codes.map((x) => (after ? synthesize(after, x) : x));
  for (const [k, z] of inner.entries()) {
    const made = synthesize(layer, z);
    const fit = before ? synthesize(before, made) : made;
    const rest = fit.map((v, i) => v - signals[k]![i]!);
    const back = before ? analyze(before, rest) : rest;
    z.forEach((v, j) => {
      if (v !== 0) for (let i = 0; i < size; i++) slope[j * size + i]! += (v * back[i]!) / signals.length;
    });
  }
  const stacked = new Float64Array(count * inner.length);
  inner.forEach((z, k) => {
    stacked.set(z, k * count);
  });
  const codeNorm = squaredNormAbove({ size: count, count: inner.length, atoms: stacked }) / signals.length;
  const curvature = (before ? squaredNormAbove(before) : 1) * codeNorm + 2 * decay;
  const next = atoms.map((v, k) => v - slope[k]! / curvature);
  const moved = { size, count, atoms: next };
  return l === 0 ? moved : sparseAtoms(moved, perAtom[l - 1]!);
}
