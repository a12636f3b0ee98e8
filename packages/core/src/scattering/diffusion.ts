// Diffusion on a weighted graph: the lazy walk, its gap, and wavelets as differences of its dyadic powers (book 1, 8.5).
import { type Matrix, matrixProduct, spectralDecomposition } from "../linear-algebra/index.ts";
import { ScatteringError } from "./error.ts";

export interface Diffusion {
  /** T = (I + D^-1/2 W D^-1/2) / 2, symmetric with spectrum in [0, 1]. */
  readonly operator: Matrix;
  /** v = (d / |d|_1)^1/2, the unit vector with T v = v. */
  readonly stationary: Float64Array;
  /** Ascending. */
  readonly eigenvalues: Float64Array;
  /** The largest eigenvalue but one: below 1 exactly if the graph is connected, and 1 where no edges join its parts. */
  readonly gap: number;
}

/**
 * The lazy diffusion of a graph with symmetric, non-negative weights and no isolated vertex.
 * @example (await lazyDiffusion([[0, 1], [1, 0]])).stationary.length // 2
 */
export async function lazyDiffusion(given: readonly ArrayLike<number>[]): Promise<Diffusion> {
  const n = given.length;
  const weights = ofOrderOne(given);
  const degrees = Float64Array.from(weights, (row, i) => checkedDegree(weights, row, i));
  const total = degrees.reduce((a, b) => a + b, 0);
  const operator: Matrix = { rows: n, columns: n, entries: new Float64Array(n * n) };
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++)
      operator.entries[i * n + j] =
        weights[i]![j]! / (2 * Math.sqrt(degrees[i]! * degrees[j]!)) + (i === j ? 0.5 : 0);
  const { values } = await spectralDecomposition(operator);
  const eigenvalues = Float64Array.from(values).sort();
  return {
    ...{ operator, eigenvalues, gap: n === 1 ? 0 : isConnected(weights) ? eigenvalues[n - 2]! : 1 },
    stationary: degrees.map((d) => Math.sqrt(d / total)),
  };
}

/** The operator does not see the size of the weights: by a power of two the largest is near 1, so that no degree overflows. */
function ofOrderOne(weights: readonly ArrayLike<number>[]): readonly Float64Array[] {
  const most = weights.reduce((a, row) => Array.from(row).reduce((b, w) => Math.max(b, w), a), 0);
  const factor = 2 ** -Math.floor(Math.log2(most));
  // Of the smallest numbers the factor itself would overflow.
  const [first, second] = Number.isFinite(factor) ? [factor, 1] : [2 ** 600, 2 ** 400];
  return weights.map((row) => Float64Array.from(row, (w) => (most > 0 ? w * first * second : w)));
}

/** Whether edges of positive weight lead from the first vertex to all others. */
function isConnected(weights: readonly ArrayLike<number>[]): boolean {
  const reached = new Set([0]);
  for (const i of reached) for (let j = 0; j < weights.length; j++) if (weights[i]![j]! > 0) reached.add(j);
  return reached.size === weights.length;
}

function checkedDegree(weights: readonly ArrayLike<number>[], row: ArrayLike<number>, i: number): number {
  if (row.length !== weights.length)
    throw new ScatteringError(`row ${i} of the weights has ${row.length} numbers, not ${weights.length}`);
  let degree = 0;
  for (let j = 0; j < row.length; j++) {
    if (!(row[j]! >= 0 && Number.isFinite(row[j]!)) || row[j] !== weights[j]![i])
      throw new ScatteringError(
        `the weight of the edge ${i} - ${j} must be finite, symmetric and not negative`,
      );
    degree += row[j]!;
  }
  if (degree === 0) throw new ScatteringError(`vertex ${i} is isolated: it has no edge of positive weight`);
  return degree;
}

/**
 * psi_0 = I - T, psi_j = T^(2^(j-1)) - T^(2^j) for 1 <= j < J: they add up to I - T^(2^(J-1)).
 * @example (await diffusionWavelets(await lazyDiffusion([[0, 1], [1, 0]]), 3)).length // 3
 */
export async function diffusionWavelets({ operator }: Diffusion, scales: number): Promise<readonly Matrix[]> {
  const n = operator.rows;
  const identity = new Float64Array(n * n).map((_, k) => (k % (n + 1) === 0 ? 1 : 0));
  let before: Matrix = { rows: n, columns: n, entries: identity };
  let power = operator;
  const wavelets: Matrix[] = [];
  for (let j = 0; j < scales; j++) {
    const [larger, smaller] = [before.entries, power.entries];
    wavelets.push({ rows: n, columns: n, entries: larger.map((v, k) => v - smaller[k]!) });
    before = power;
    if (j < scales - 1) power = await matrixProduct(power, power);
  }
  return wavelets;
}

/** Q_J(t) = (1 - t)^2 + sum_{j=1}^{J-1} (t^(2^(j-1)) - t^(2^j))^2, whose values at eigenvalues are squared gains. */
export function diffusionSymbol(t: number, scales: number): number {
  let [sum, power] = [(1 - t) ** 2, t];
  for (let j = 1; j < scales; j++) {
    sum += (power - power * power) ** 2;
    power *= power;
  }
  return sum;
}

/**
 * Exact frame bounds of the wavelets on what is orthogonal to v: extremes of the symbol over the eigenvalues but the last.
 * @example diffusionFrame(await lazyDiffusion([[0, 1], [1, 0]]), 1).upper <= 1 // true
 */
export function diffusionFrame(
  { eigenvalues }: Diffusion,
  scales: number,
): { readonly lower: number; readonly upper: number } {
  if (eigenvalues.length < 2)
    throw new ScatteringError(
      "one vertex has no edge to another: nothing is orthogonal to its stationary vector",
    );
  const gains = Array.from(eigenvalues.subarray(0, -1), (t) => diffusionSymbol(Math.max(0, t), scales));
  return { lower: Math.min(...gains), upper: Math.max(...gains) };
}

/**
 * J with 2^(J-1) about the time after which the walk has mixed: 1 + ceil(log2(-1 / log2 beta)), at least 1.
 * @example scalesOf({ gap: 0.8 }) // 3
 */
export const scalesOf = ({ gap }: Pick<Diffusion, "gap">): number => {
  if (!(gap < 1)) throw new ScatteringError("the graph is not connected: its diffusion never mixes");
  return gap <= 0 ? 1 : Math.max(1, 1 + Math.ceil(Math.log2(-1 / Math.log2(gap))));
};
