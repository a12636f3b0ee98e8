// Two-layer networks through given points: m neurons, the labels enter linearly (Proposition 1.17).

import type { Graph } from "../../graph/graph.ts";
import { luSolveTransposed, type Matrix } from "../../linear-algebra/index.ts";
import { network, type Precision } from "../../networks/layers/layers.ts";
import { fromDense } from "../../networks/layers/matrix.ts";
import {
  type BasisOptions,
  type InterpolationBasis,
  InterpolationFailure,
  interpolationBasis,
} from "./basis.ts";
import { distinctValues } from "./data.ts";
import { greatestSize, missesOf } from "./misses.ts";

export interface InterpolateOptions extends BasisOptions {
  /** The residual that is still called a fit, as a part of the greatest value; default 1e-6. */
  readonly tolerance?: number;
}

export interface InterpolatedPoints {
  /** In float64, with m hidden units and no output bias. */
  readonly network: Graph;
  /** The same weights, rounded to float32, with the residual that is left then. */
  readonly float32: { readonly network: Graph; readonly residual: number };
  readonly basis: InterpolationBasis;
  /** Estimate, in the maximum norm. */
  readonly condition: number;
  /** The greatest |network(x_i) - y_i|, on ONNX Runtime. */
  readonly residual: number;
  /** The residual in units of 2^-53 condition max |y|: small where the solution is as good as the problem allows. */
  readonly relativeResidual: number;
  /** max |W2|. */
  readonly greatestWeight: number;
  /** m d + m + k m + k, as the architecture (d, m, k) has them. */
  readonly parameters: number;
}

/**
 * The network with m hidden units that has these values (rows) at these points (rows).
 * @example (await interpolatePoints(matrixOfRows([[0], [1]]), matrixOfRows([[3], [5]]))).residual < 1e-12 // true
 */
export async function interpolatePoints(
  points: Matrix,
  values: Matrix,
  { tolerance, ...options }: InterpolateOptions = {},
): Promise<InterpolatedPoints> {
  return interpolateOn(await interpolationBasis(points, options), values, tolerance);
}

/** Other values at the points of a basis; its factors are used again. */
export async function interpolateOn(
  basis: InterpolationBasis,
  values: Matrix,
  tolerance = 1e-6,
): Promise<InterpolatedPoints> {
  const y = distinctValues(basis.distinct, values);
  const greatest = greatestSize(y.entries);
  let found = await withWeights(basis, await outputWeights(basis, y), y);
  for (let step = 0; step < 2 && found.residual > 0; step++) {
    const correction = await outputWeights(basis, found.rest);
    const refined = found.weights.map((w, k) => w + correction[k]!);
    const next = await withWeights(basis, refined, y);
    if (!(next.residual < found.residual)) break;
    found = next;
  }
  const { condition } = basis;
  if (!(found.residual <= tolerance * greatest))
    throw new InterpolationFailure(
      `the network misses the values by ${found.residual.toExponential(1)}, more than ${tolerance} of the greatest value ` +
        `${greatest.toExponential(1)}: condition number ${condition.toExponential(1)}. What helps: more candidates, another scale or activation`,
      condition,
    );
  const [m, d, k] = [basis.lu.size, basis.distinct.points.columns, y.columns];
  const rounded = networkOf(basis, found.weights, "float32");
  return {
    network: found.network,
    float32: {
      network: rounded,
      residual: greatestSize((await missesOf(rounded, basis.distinct.points, y)).entries),
    },
    basis,
    condition,
    residual: found.residual,
    relativeResidual: found.residual / (2 ** -53 * condition * greatest || 1),
    greatestWeight: greatestSize(found.weights),
    parameters: m * d + m + k * m + k,
  };
}

/** W2 by rows, m x k: A^T W = Y with A's rows scaled, so that row j of the solution counts `factors[j]` times. */
export async function outputWeights({ lu, factors }: InterpolationBasis, y: Matrix): Promise<Float64Array> {
  const { entries, columns } = await luSolveTransposed(lu, y);
  return entries.map((w, k) => w * factors[Math.floor(k / columns)]!);
}

interface Attempt {
  readonly weights: Float64Array;
  readonly network: Graph;
  /** y - network(x). */
  readonly rest: Matrix;
  readonly residual: number;
}

async function withWeights(basis: InterpolationBasis, weights: Float64Array, y: Matrix): Promise<Attempt> {
  const made = networkOf(basis, weights, "float64");
  const rest = await missesOf(made, basis.distinct.points, y);
  return { weights, network: made, rest, residual: greatestSize(rest.entries) };
}

function networkOf(
  { neurons, rho, lu }: InterpolationBasis,
  weights: Float64Array,
  precision: Precision,
): Graph {
  const { rows, columns, entries } = neurons.weights;
  const k = weights.length / lu.size;
  const first = { weights: fromDense(rows, columns, entries), bias: neurons.biases };
  const second = { weights: fromDense(k, lu.size, weights, true), bias: new Float64Array(k) };
  return network([first, second], { activation: rho.name, name: "interpolating", precision });
}
