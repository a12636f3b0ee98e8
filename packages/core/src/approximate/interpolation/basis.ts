// m neurons whose values at m points are linearly independent: the first layer of an interpolating network, which
// depends on the points alone (Proposition 1.17).
import { type Activation, type ActivationName, activation } from "../../functions/activation.ts";
import { ConstructError } from "../../functions/error.ts";
import {
  conditionNumber,
  type LuFactors,
  type Matrix,
  selectIndependentRows,
} from "../../linear-algebra/index.ts";
import { createRandom, type Random } from "../../numbers/random.ts";
import { chosenRows, type DistinctPoints, distinctPoints, nearestPair } from "./data.ts";
import { type Neurons, neuronsAmong, neuronValues } from "./neurons.ts";

export interface BasisOptions {
  /** Any that is not a polynomial; default "relu". */
  readonly activation?: ActivationName;
  /** Neurons drawn, of which as many as there are points are taken; default 4 m, fewer for m > 500. */
  readonly candidates?: number;
  /** Standard deviation of <w, x> over the data; default: 1, 4, 16, ... until the condition is good. */
  readonly scale?: number;
  readonly seed?: number | string;
}

export interface InterpolationBasis {
  readonly rho: Activation;
  readonly distinct: DistinctPoints;
  /** As many as there are distinct points. */
  readonly neurons: Neurons;
  /** The factors of the matrix of their values, a row a neuron, row j multiplied by factors[j]. */
  readonly lu: LuFactors;
  /** Powers of two. */
  readonly factors: Float64Array;
  /** Estimate of the condition number of that matrix, in the maximum norm. */
  readonly condition: number;
  readonly scale: number;
  readonly candidates: number;
}

/** Good enough to stop looking for a better scale: nine digits are left. */
const goodCondition = 1e7;
/** Nothing of the values is left after a solution in doubles. */
const hopelessCondition = 2 ** 50;

/** The dimension of the polynomials of degree q in d variables: C(q + d, d). */
export function polynomialDimension(q: number, d: number): number {
  let count = 1;
  for (let k = 1; k <= Math.min(q, d); k++) count = (count * (q + d + 1 - k)) / k;
  return Math.round(count);
}

function requireAdmissible(name: ActivationName, m: number, d: number): Activation {
  const rho = activation(name);
  const q = rho.polynomialDegree;
  if (q === undefined) return rho;
  throw new ConstructError(
    `${rho.name} is a polynomial of degree ${q}: its neurons span at most C(${q + d}, ${d}) = ` +
      `${polynomialDimension(q, d)} dimensions of functions on R^${d}, however many there are, and ${m} points need ${m}`,
  );
}

/** 4 m for few points; for many, elimination of so many rows is too dear. */
const usualCandidates = (m: number): number => m + Math.min(3 * m, 1000);

/**
 * Neurons for an interpolating network on these points (rows); fails with the condition number if doubles cannot do it.
 * @example (await interpolationBasis(matrixOfRows([[0], [1], [2]]))).neurons.biases.length // 3
 */
export async function interpolationBasis(
  points: Matrix,
  options: BasisOptions = {},
): Promise<InterpolationBasis> {
  const distinct = distinctPoints(points);
  const m = distinct.points.rows;
  const rho = requireAdmissible(options.activation ?? "relu", m, points.columns);
  const { scale, candidates = usualCandidates(m), seed = 0 } = options;
  if (!(Number.isSafeInteger(candidates) && candidates >= m))
    throw new ConstructError(`${m} points need ${m} neurons: ${candidates} candidates are too few`);
  if (scale !== undefined && !(scale > 0 && scale < Number.POSITIVE_INFINITY))
    throw new ConstructError(`a scale is a positive number, not ${scale}`);
  // Homogeneous neurons are the same at every scale.
  const scales = scale !== undefined ? [scale] : rho.homogeneity === undefined ? scalesFor(m) : [1];
  let best: InterpolationBasis | undefined;
  for (const tried of scales) {
    const found = await basisAt(tried, {
      distinct,
      rho,
      candidates,
      random: createRandom(seed).split(`scale ${tried}`),
    });
    if (!best || found.condition < best.condition) best = found;
    if (best.condition <= goodCondition) break;
  }
  if (!(best!.condition < hopelessCondition)) throw failure(best!, scales);
  return best!;
}

function scalesFor(m: number): readonly number[] {
  const scales = [1];
  while (scales.at(-1)! < 2 * m) scales.push(4 * scales.at(-1)!);
  return scales;
}

async function basisAt(
  scale: number,
  {
    distinct,
    rho,
    candidates,
    random,
  }: {
    readonly distinct: DistinctPoints;
    readonly rho: Activation;
    readonly candidates: number;
    readonly random: Random;
  },
): Promise<InterpolationBasis> {
  const drawn = neuronsAmong(distinct.points, candidates, scale, random);
  const values = await neuronValues(drawn, distinct.points, rho);
  const all = equilibrate(values);
  const { selected, lu } = await selectIndependentRows(values, { overwrite: true });
  return {
    rho,
    distinct,
    neurons: {
      weights: chosenRows(drawn.weights, selected),
      biases: Float64Array.from(selected, (j) => drawn.biases[j]!),
    },
    factors: Float64Array.from(selected, (j) => all[j]!),
    lu,
    condition: await conditionNumber(lu),
    scale,
    candidates,
  };
}

/** Multiplies each row by the power of two that brings its greatest entry near 1: large neurons are not better ones. */
function equilibrate({ rows, columns, entries }: Matrix): Float64Array {
  return Float64Array.from({ length: rows }, (_, j) => {
    const row = entries.subarray(j * columns, (j + 1) * columns);
    let greatest = 0;
    for (let i = 0; i < columns; i++) greatest = Math.max(greatest, Math.abs(row[i]!));
    if (!(greatest > 2 ** -30 && greatest < 2 ** 1000)) {
      row.fill(0); // overflowed, or hardly ever on: a neuron of no use
      return 1;
    }
    const factor = 2 ** -Math.floor(Math.log2(greatest));
    for (let i = 0; i < columns; i++) row[i]! *= factor;
    return factor;
  });
}

/** An interpolation that doubles cannot do, with its condition number. */
export class InterpolationFailure extends ConstructError {
  override readonly name: string = "InterpolationFailure";
  readonly condition: number;

  constructor(message: string, condition: number) {
    super(message);
    this.condition = condition;
  }
}

function failure(
  { distinct, rho, condition }: InterpolationBasis,
  scales: readonly number[],
): InterpolationFailure {
  const { points, given } = distinct;
  const { pair, distance } = nearestPair(points);
  const tried = scales.length > 1 ? `scales ${scales[0]} to ${scales.at(-1)}` : `scale ${scales[0]}`;
  const size = Number.isFinite(condition)
    ? `condition number ${condition.toExponential(1)}`
    : "a singular matrix";
  return new InterpolationFailure(
    `${points.rows} neurons of ${rho.name} at ${tried} give ${size}: doubles cannot solve that. ` +
      `The nearest points are rows ${given[pair[0]]} and ${given[pair[1]]}, ${distance.toExponential(1)} apart. ` +
      `What helps: merge such points, ${rho.pieces ? "" : "a piecewise-linear activation, "}more candidates, ` +
      "or knots at the data (interpolateAlongLine)",
    condition,
  );
}
