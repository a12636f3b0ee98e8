// A polynomial of one variable with 2 K + 1 units: the differences of all orders up to K share their nodes j h / 2.
import { ConstructError } from "../../functions/error.ts";
import type { SmoothActivation } from "../../functions/smooth.ts";
import type { Graph } from "../../graph/graph.ts";
import { layer, network } from "../../networks/layers/layers.ts";
import { addUp, mulUp } from "../../numbers/rounding.ts";
import { differenceError, differenceWeights, leadingDerivative } from "./difference.ts";
import { differenceRounding, genericPoint } from "./monomial-network.ts";

export interface DifferencePolynomialOptions {
  readonly h?: number;
  /** |x| is at most this. */
  readonly radius?: number;
  readonly at?: number;
}

/** sum_j outer_j sigma(inner_j t + at) + bias, near sum_k c_k t^k. */
export interface RidgeUnits {
  readonly inner: readonly number[];
  readonly outer: readonly number[];
  readonly bias: number;
  readonly at: number;
  readonly h: number;
  /** sup on [-R, R] before rounding. */
  readonly error: number;
  /** What rounding may add, if the activation is computed within 4 ulp. */
  readonly rounding: number;
}

/**
 * The units of c_0 + c_1 t + ... + c_K t^K. Without h, the power of two with the least sum of errors.
 * @example differenceUnits("tanh", [0, 0, 1], {}).inner.length // 3
 */
export function differenceUnits(
  name: SmoothActivation,
  coefficients: readonly number[],
  { h, radius = 1, at = genericPoint(name) }: DifferencePolynomialOptions = {},
): RidgeUnits {
  const degree = coefficients.findLastIndex((c) => c !== 0);
  if (degree > 12) throw new ConstructError(`differences make degrees up to 12, not ${degree}`);
  const step = h ?? bestStep(name, coefficients, radius, at);
  const outer = new Map<number, number>();
  for (let k = 1; k <= degree; k++) {
    if (coefficients[k] === 0) continue;
    const { lower, upper } = leadingDerivative(name, k, at);
    const scale = coefficients[k]! / (step ** k * ((lower + upper) / 2));
    differenceWeights(k).forEach((w, i) => {
      outer.set(k - 2 * i, (outer.get(k - 2 * i) ?? 0) + w * scale);
    });
  }
  const nodes = [...outer.keys()].sort((a, b) => a - b);
  return {
    inner: nodes.map((j) => (j * step) / 2),
    outer: nodes.map((j) => outer.get(j)!),
    bias: coefficients[0] ?? 0,
    at,
    h: step,
    ...errorsOf(name, coefficients, step, radius, at),
  };
}

/** The network of those units. */
export interface DifferencePolynomial {
  readonly network: Graph;
  readonly h: number;
  readonly error: number;
  readonly rounding: number;
}

/**
 * c_0 + c_1 x + ... + c_K x^K on [-R, R] with at most 2 K + 1 units; K + 1 if all its degrees have one parity.
 * @example complexity(differencePolynomial("tanh", [1, 2, 3]).network).architecture // [1, 5, 1]
 */
export function differencePolynomial(
  name: SmoothActivation,
  coefficients: readonly number[],
  options: DifferencePolynomialOptions = {},
): DifferencePolynomial {
  const { inner, outer, bias, at, h, error, rounding } = differenceUnits(name, coefficients, options);
  if (inner.length === 0) throw new ConstructError("a constant needs no network of differences");
  const first = layer(
    inner.map((w) => [w]),
    inner.map(() => at),
  );
  return {
    network: network([first, layer([outer], [bias])], { activation: name, name: "difference_polynomial" }),
    h,
    error,
    rounding,
  };
}

/** Errors of the orders, weighted by the coefficients. */
function errorsOf(
  name: SmoothActivation,
  coefficients: readonly number[],
  h: number,
  radius: number,
  at: number,
): { readonly error: number; readonly rounding: number } {
  let [error, rounding] = [0, 0];
  coefficients.forEach((c, k) => {
    if (k === 0 || c === 0) return;
    const options = { h, radius, at };
    error = addUp(error, mulUp(Math.abs(c), differenceError(name, k, options)));
    rounding = addUp(rounding, mulUp(Math.abs(c), differenceRounding(name, k, options).rounding));
  });
  // A sum of all units adds up to 2 K terms more than one order alone does.
  return { error, rounding: mulUp(rounding, 2) };
}

function bestStep(
  name: SmoothActivation,
  coefficients: readonly number[],
  radius: number,
  at: number,
): number {
  let [best, least] = [1, Number.POSITIVE_INFINITY];
  for (let exponent = 1; exponent >= -24; exponent--) {
    const { error, rounding } = errorsOf(name, coefficients, 2 ** exponent, radius, at);
    if (error + rounding < least) [best, least] = [2 ** exponent, error + rounding];
  }
  return best;
}
