// The macrocanonical model of Boltzmann and Gibbs (book 1, section 8.6.2): of all laws with E S(x) = y the one of greatest
// entropy, p(x) = e^<theta, S(x)> / Z. On states that can be counted theta is found exactly, by Newton's method on the convex
// function log Z(theta) - <theta, y>; a chain of Metropolis draws from p without Z.
import { type Matrix, matrixOfRows, pseudoInverse } from "../linear-algebra/index.ts";
import type { Random } from "../numbers/random.ts";
import { ScatteringError } from "./error.ts";

export interface GibbsModel {
  readonly theta: Float64Array;
  /** log Z */
  readonly logPartition: number;
  /** p of each state. */
  readonly probabilities: Float64Array;
  /** E S under p. */
  readonly moments: Float64Array;
  /** |E S - y| */
  readonly misfit: number;
}

/** Steps of Newton at most; a step must gain this share of what its slope promises, and is not halved below the last. */
const [mostSteps, sufficient, shortest] = [200, 1e-4, 1e-12];

/**
 * log Z, p and E S at a theta, for states given by their statistics (a row a state).
 * @example gibbsLaw({ rows: 2, columns: 1, entries: Float64Array.of(0, 1) }, [0]).moments // Float64Array [0.5]
 */
export function gibbsLaw(
  { rows, columns, entries }: Matrix,
  theta: ArrayLike<number>,
): Pick<GibbsModel, "logPartition" | "probabilities" | "moments"> {
  const exponents = new Float64Array(rows);
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < rows; i++) {
    for (let k = 0; k < columns; k++) exponents[i]! += theta[k]! * entries[i * columns + k]!;
    most = Math.max(most, exponents[i]!);
  }
  const weights = exponents.map((v) => Math.exp(v - most));
  const sum = weights.reduce((a, b) => a + b, 0);
  const probabilities = weights.map((v) => v / sum);
  const moments = new Float64Array(columns);
  for (let i = 0; i < rows; i++)
    for (let k = 0; k < columns; k++) moments[k]! += probabilities[i]! * entries[i * columns + k]!;
  return { logPartition: most + Math.log(sum), probabilities, moments };
}

/**
 * The model with E S = y; y must lie inside of the convex hull of the statistics, or theta runs away and an error says so.
 * @example (await gibbsModel({ rows: 2, columns: 1, entries: Float64Array.of(0, 1) }, [0.5])).theta // Float64Array [0]
 */
export async function gibbsModel(states: Matrix, wanted: ArrayLike<number>): Promise<GibbsModel> {
  const { columns } = states;
  if (wanted.length !== columns)
    throw new ScatteringError(`${wanted.length} moments for ${columns} statistics`);
  const size = 1 + Math.sqrt(Float64Array.from(wanted).reduce((sum, v) => sum + v * v, 0));
  const misfitOf = (moments: Float64Array): Float64Array => moments.map((v, k) => wanted[k]! - v);
  const objective = (theta: Float64Array, logPartition: number): number =>
    theta.reduce((value, v, k) => value - v * wanted[k]!, logPartition);
  let theta: Float64Array = new Float64Array(columns);
  let law = gibbsLaw(states, theta);
  for (let step = 0; ; step++) {
    const rest = misfitOf(law.moments);
    const misfit = Math.sqrt(rest.reduce((sum, v) => sum + v * v, 0));
    if (misfit <= 1e-12 * size) return { theta, ...law, misfit };
    const direction = await newtonStep(states, law, rest);
    const slope = direction.reduce((sum, v, k) => sum + v * rest[k]!, 0);
    const before = objective(theta, law.logPartition);
    const from = theta;
    const at = (length: number) => {
      const moved = from.map((v, k) => v + length * direction[k]!);
      return { theta: moved, law: gibbsLaw(states, moved) };
    };
    let length = 1;
    let tried = at(length);
    while (
      objective(tried.theta, tried.law.logPartition) > before - sufficient * length * slope &&
      length > shortest
    ) {
      length /= 2;
      tried = at(length);
    }
    const isStuck = length <= shortest || step === mostSteps;
    if (isStuck && misfit <= 1e-9 * size) return { theta, ...law, misfit };
    if (isStuck)
      throw new ScatteringError(
        `no finite theta gives these moments: they are off by ${misfit.toPrecision(2)} (a value at the edge of what the statistics can be has none)`,
      );
    ({ theta, law } = tried);
  }
}

/** Cov(S)^+ (y - E S). */
async function newtonStep(
  { rows, columns, entries }: Matrix,
  { probabilities, moments }: Pick<GibbsModel, "probabilities" | "moments">,
  rest: Float64Array,
): Promise<Float64Array> {
  const covariance = Array.from({ length: columns }, () => new Float64Array(columns));
  for (let i = 0; i < rows; i++)
    for (let k = 0; k < columns; k++)
      for (let l = 0; l < columns; l++)
        covariance[k]![l]! +=
          probabilities[i]! *
          (entries[i * columns + k]! - moments[k]!) *
          (entries[i * columns + l]! - moments[l]!);
  const inverse = await pseudoInverse(matrixOfRows(covariance));
  return Float64Array.from({ length: columns }, (_, k) => {
    let sum = 0;
    for (let l = 0; l < columns; l++) sum += inverse.entries[k * columns + l]! * rest[l]!;
    return sum;
  });
}

export interface ChainOptions {
  readonly steps: number;
  readonly random: Random;
  /** Another state from a state, with equal chances for the way there and back. */
  readonly propose: (state: number, random: Random) => number;
}

/**
 * Where a chain of Metropolis ends that starts in a state: a proposal is taken with probability min(1, e^<theta, S' - S>).
 * @example metropolis({ rows: 1, columns: 1, entries: Float64Array.of(0) }, [1], 0, { steps: 3, random: createRandom(1), propose: () => 0 }) // 0
 */
export function metropolis(
  { columns, entries }: Matrix,
  theta: ArrayLike<number>,
  start: number,
  { steps, random, propose }: ChainOptions,
): number {
  let state = start;
  for (let step = 0; step < steps; step++) {
    const other = propose(state, random);
    let rise = 0;
    for (let k = 0; k < columns; k++)
      rise += theta[k]! * (entries[other * columns + k]! - entries[state * columns + k]!);
    if (rise >= 0 || random.uniform() < Math.exp(rise)) state = other;
  }
  return state;
}
