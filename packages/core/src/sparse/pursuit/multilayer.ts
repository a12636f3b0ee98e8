// Multilayer sparse coding: x_(i-1) = D_i x_i with all x_i sparse. Layered pursuits, and the iterations that treat all layers
// together.
import { type Rows, VectorWorkspace } from "../../linear-algebra/vector-workspace.ts";
import { SparseError } from "../error.ts";
import { analyze, type Dictionary, requireSignal, squaredNormAbove, synthesize } from "./dictionary.ts";
import { lassoCode } from "./lasso-code.ts";
import { rectifiedThreshold, softThreshold } from "./thresholds.ts";

export function requireLayers(layers: readonly Dictionary[], thresholds: readonly number[]): void {
  if (layers.length === 0) throw new SparseError("no dictionary");
  layers.slice(1).forEach((layer, k) => {
    if (layer.size !== layers[k]!.count)
      throw new SparseError(
        `dictionary ${k + 2} has atoms of ${layer.size} numbers, but dictionary ${k + 1} has ${layers[k]!.count} atoms`,
      );
  });
  if (thresholds.length !== layers.length)
    throw new SparseError(`${thresholds.length} thresholds for ${layers.length} dictionaries`);
  const bad = thresholds.find((t) => !(t >= 0 && t < Number.POSITIVE_INFINITY));
  if (bad !== undefined) throw new SparseError(`a threshold is a number from 0 up, not ${bad}`);
}

export interface LayeredOptions {
  /** Codes x >= 0: thresholds are ReLUs. */
  readonly nonnegative?: boolean;
}

/** x_i = T(D_i^T x_(i-1)): with nonnegative codes the forward pass of a ReLU network. */
export function layeredThresholding(
  layers: readonly Dictionary[],
  y: Float64Array,
  thresholds: readonly number[],
  { nonnegative = false }: LayeredOptions = {},
): readonly Float64Array[] {
  requireLayers(layers, thresholds);
  requireSignal(layers[0]!, y);
  const threshold = nonnegative ? rectifiedThreshold : softThreshold;
  const codes: Float64Array[] = [];
  for (const [i, layer] of layers.entries())
    codes.push(analyze(layer, codes.at(-1) ?? y).map((v) => threshold(v, thresholds[i]!)));
  return codes;
}

/** Layer by layer the code of the one before, by basis pursuit. */
export function layeredBasisPursuit(
  layers: readonly Dictionary[],
  y: Float64Array,
  lambdas: readonly number[],
  { nonnegative = false }: LayeredOptions = {},
): readonly Float64Array[] {
  requireLayers(layers, lambdas);
  const codes: Float64Array[] = [];
  for (const [i, layer] of layers.entries())
    codes.push(lassoCode(layer, codes.at(-1) ?? y, lambdas[i]!, { nonnegative }).x);
  return codes;
}

export interface MultilayerOptions extends LayeredOptions {
  readonly iterations?: number;
  /** Nesterov's momentum: ML-FISTA. */
  readonly accelerated?: boolean;
  /** Steps rho_1, ..., rho_(L-1), t; by default the greatest that are safe, times this number: at most 1. */
  readonly steps?: readonly number[] | number;
  /** Where x_L begins; by default 0. */
  readonly start?: Float64Array;
}

export interface MultilayerCode {
  /** x_1 = D_2 ... D_L x_L, ..., x_L. */
  readonly codes: readonly Float64Array[];
  /** After each iteration. */
  readonly objectives: readonly number[];
  /** |x_L - the one before| at the end. */
  readonly moved: number;
  readonly iterations: number;
}

/** rho_1 = 1 / |D_1|^2, rho_i = 3 rho_(i-1) / (4 |D_i|^2), and t less than 3 rho_(L-1) / (2 |D_L|^2): the last as the others. */
export function safeSteps(layers: readonly Dictionary[]): readonly number[] {
  const steps: number[] = [];
  for (const layer of layers) {
    const norm = squaredNormAbove(layer);
    if (norm === 0) throw new SparseError("a dictionary is zero");
    steps.push(steps.length === 0 ? 1 / norm : (0.75 * steps.at(-1)!) / norm);
  }
  return steps;
}

/** |y - D_1 ... D_L x_L|^2 / 2 + sum_i lambda_i |D_(i+1) ... D_L x_L|_1. */
export function multilayerObjective(
  layers: readonly Dictionary[],
  y: Float64Array,
  lambdas: readonly number[],
  x: Float64Array,
): number {
  const codes = propagated(layers, x);
  return objectiveOf(y, synthesize(layers[0]!, codes[0]!), codes, lambdas);
}

function objectiveOf(
  y: Float64Array,
  fit: Float64Array,
  codes: readonly Float64Array[],
  lambdas: readonly number[],
): number {
  const penalty = codes.reduce((sum, code, i) => sum + lambdas[i]! * norm1(code), 0);
  return y.reduce((sum, v, i) => sum + (v - fit[i]!) ** 2, 0) / 2 + penalty;
}

const norm1 = (v: Float64Array): number => v.reduce((sum, e) => sum + Math.abs(e), 0);

/** x_1 .. x_L from x_L. */
export function propagated(layers: readonly Dictionary[], x: Float64Array): readonly Float64Array[] {
  const codes = [x];
  for (let i = layers.length - 1; i >= 1; i--) codes.unshift(synthesize(layers[i]!, codes[0]!));
  return codes;
}

/** Products with the dictionaries of all layers, in a memory where they are quick. */
class LayerProducts {
  readonly #workspace: VectorWorkspace;
  readonly #layers: readonly {
    readonly rows: Rows;
    readonly atom: Float64Array;
    readonly code: Float64Array;
  }[];

  constructor(layers: readonly Dictionary[]) {
    const numbers = layers.reduce((sum, { size, count }) => sum + size * count + size + count, 0);
    this.#workspace = new VectorWorkspace(numbers, 3 * layers.length);
    this.#layers = layers.map(({ size, count, atoms }) => {
      const entries = this.#workspace.arrayOf(atoms);
      const [atom, code] = [this.#workspace.array(size), this.#workspace.array(count)];
      return { rows: { entries, start: 0, stride: size, rows: count, columns: size }, atom, code };
    });
  }

  /** D_1 x_1 = D_1 ... D_L x_L, x_1, ..., x_L. */
  chain(x: Float64Array): readonly Float64Array[] {
    const found = [x];
    for (const { rows, atom, code } of this.#layers.toReversed()) {
      for (const [j, v] of found[0]!.entries()) code[j] = -v;
      this.#workspace.subtractCombination(rows, { entries: code, at: 0 }, { entries: atom.fill(0), at: 0 });
      found.unshift(atom.slice());
    }
    return found;
  }

  /** D_i^T (a - b). */
  slope(i: number, a: Float64Array, b: Float64Array): Float64Array {
    const { rows, atom, code } = this.#layers[i]!;
    for (let k = 0; k < atom.length; k++) atom[k] = a[k]! - b[k]!;
    this.#workspace.times(rows, { entries: atom, at: 0 }, { entries: code, at: 0 });
    return code;
  }

  release(): void {
    this.#workspace.release();
  }
}

/**
 * ML-ISTA, or ML-FISTA: g_0 = y, g_i = T(x_i - c_i D_i^T (D_i x_i - g_(i-1))) with c_i = rho_i / rho_(i-1) and thresholds
 * rho_i lambda_i, where x_i = D_(i+1) ... D_L x_L; x_L <- g_L.
 */
export function multilayerPursuit(
  layers: readonly Dictionary[],
  y: Float64Array,
  lambdas: readonly number[],
  { iterations = 500, accelerated = false, nonnegative = false, steps = 1, start }: MultilayerOptions = {},
): MultilayerCode {
  requireLayers(layers, lambdas);
  requireSignal(layers[0]!, y);
  const rho = typeof steps === "number" ? safeSteps(layers).map((r) => steps * r) : steps;
  if (rho.length !== layers.length || rho.some((r) => !(r > 0)))
    throw new SparseError(`steps are ${layers.length} positive numbers, not ${rho.join(", ")}`);
  const threshold = nonnegative ? rectifiedThreshold : softThreshold;
  const products = new LayerProducts(layers);
  /** D_i x_i stands before x_i. */
  const update = (chain: readonly Float64Array[]): Float64Array => {
    let g = y;
    for (let i = 0; i < layers.length; i++) {
      const slope = products.slope(i, chain[i]!, g);
      const [c, least] = [i === 0 ? rho[0]! : rho[i]! / rho[i - 1]!, rho[i]! * lambdas[i]!];
      g = chain[i + 1]!.map((v, k) => threshold(v - c * slope[k]!, least));
    }
    return g;
  };
  try {
    let x = products.chain(start?.slice() ?? new Float64Array(layers.at(-1)!.count));
    let [z, theta, moved] = [x, 1, 0];
    const objectives: number[] = [];
    for (let k = 0; k < iterations; k++) {
      const next = products.chain(update(z));
      const after = (1 + Math.sqrt(1 + 4 * theta ** 2)) / 2;
      const momentum = accelerated ? (theta - 1) / after : 0;
      // The products of a combination are the combination of the products.
      const before = x;
      z = next.map((now, i) => now.map((v, j) => v + momentum * (v - before[i]![j]!)));
      moved = distance(next.at(-1)!, before.at(-1)!);
      [x, theta] = [next, after];
      const [fit, ...codes] = x as [Float64Array, ...Float64Array[]];
      objectives.push(objectiveOf(y, fit, codes, lambdas));
      if (moved === 0) break;
    }
    return { codes: x.slice(1), objectives, moved, iterations: objectives.length };
  } finally {
    products.release();
  }
}

const distance = (a: Float64Array, b: Float64Array): number => Math.hypot(...a.map((v, j) => v - b[j]!));
