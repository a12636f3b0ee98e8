// The Mhaskar-Poggio theorem as a calculator: units for an error, and the error for units. The theorem leaves its
// constants open; here they are a parameter.
import { type FunctionGraph, isUnivariate } from "../../formula/nodes.ts";

/** A constituent: how many variables it has, and how many bounded derivatives. */
export interface Constituent {
  readonly arity: number;
  readonly smoothness: number;
}

/**
 * C sum_v eps^(-d_v / m_v): a network that follows the graph.
 * @example deepUnits([{ arity: 2, smoothness: 2 }, { arity: 2, smoothness: 2 }], 0.01) // 200
 */
export const deepUnits = (constituents: readonly Constituent[], eps: number, constant = 1): number =>
  constant * constituents.reduce((sum, { arity, smoothness }) => sum + eps ** (-arity / smoothness), 0);

/**
 * C eps^(-n / m), m the least smoothness: one hidden layer for a function of n variables.
 * @example shallowUnits(4, [{ arity: 2, smoothness: 2 }], 0.01) // 10000
 */
export const shallowUnits = (
  variables: number,
  constituents: readonly Constituent[],
  eps: number,
  constant = 1,
): number => constant * eps ** (-variables / Math.min(...constituents.map((c) => c.smoothness)));

/**
 * The error that `units` reach in a network that follows the graph: deepUnits, inverted by bisection.
 * @example reachableError([{ arity: 2, smoothness: 2 }], 100) // 0.01
 */
export function reachableError(constituents: readonly Constituent[], units: number, constant = 1): number {
  let [low, high] = [-700, 700];
  for (let step = 0; step < 200 && high - low > 0; step++) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (deepUnits(constituents, Math.exp(middle), constant) > units) low = middle;
    else high = middle;
  }
  return Math.exp(high);
}

/**
 * Below this error, following the graph takes fewer units: where `ratio` sum_v eps^(-d_v / m_v) = eps^(-n / m), by
 * bisection. Every d_v / m_v is less than n / m.
 * @example crossoverError(3, [{ arity: 2, smoothness: 1 }], 2) // 0.5
 */
export function crossoverError(variables: number, constituents: readonly Constituent[], ratio = 1): number {
  let [low, high] = [-300, 300];
  for (let step = 0; step < 200; step++) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    const eps = Math.exp(middle);
    if (deepUnits(constituents, eps, ratio) < shallowUnits(variables, constituents, eps)) low = middle;
    else high = middle;
  }
  return Math.exp(low);
}

/**
 * The constituents of a function graph that need units: affine ones and max, min and abs are exact in a few ReLUs.
 * @example constituentsOf(functionGraph("sin(x * y) + x", ["x", "y"]), 2).length // 2
 */
export const constituentsOf = ({ nodes }: FunctionGraph, smoothness: number): readonly Constituent[] =>
  nodes
    .filter((node) => isUnivariate(node) || node.op === "product" || node.op === "square")
    .map((node) => ({ arity: node.args.length, smoothness }));
