// Products of two numbers from squares (Telgarsky, Corollary 4.3, mended; Yarotsky 2017).

import { ConstructError } from "../../functions/error.ts";
import type { Graph } from "../../graph/graph.ts";
import { mul } from "../../numbers/exact/rational.ts";
import { addUp, mulUp, powerOfTwoAbove } from "../../numbers/exact/rounding.ts";
import { requireAccuracy, requireCount } from "../calculus/conditions.ts";
import type { Certified } from "../circuit/certified.ts";
import { type Circuit, CircuitBuilder } from "../circuit/circuit.ts";
import { boundsOf } from "../circuit/error-bounds.ts";
import { type Form, form, variable } from "../circuit/form.ts";
import { type LowerOptions, lower } from "../circuit/layers.ts";

export interface ProductOptions {
  /** Both factors lie in [-bound, bound], or in [0, bound]. */
  readonly bound?: number;
}

/**
 * x y on [0, B]^2 as B^2 2 [h_i((x+y)/2B) - h_i(x/2B) - h_i(y/2B)]: error in [-B^2 4^-i, 0], zero on the axes.
 * Hidden widths 6, 7, ..., 7 (7 i - 1 units): one accumulator for the three squares.
 * @example complexity(product(3)).architecture // [2, 6, 7, 7, 1]
 */
export const product = (levels: number, { bound = 1 }: ProductOptions = {}): Graph =>
  lower(threeSquares(levels, bound, true), levelsEverywhere(levels), named(`product_${levels}`)).network;

/**
 * x y on [-B, B]^2 by the same three squares of |x+y|, |x|, |y|: error in [-B^2 4^-i, 0], zero on the axes.
 * Hidden widths 6, 6, 7, ..., 7 (7 i + 5 units); the accumulator A in [-B^2, B^2] is carried as relu(A + B^2) - B^2
 * (with a power of two in place of B^2, so that nothing rounds).
 * @example complexity(signedProduct(3)).architecture // [2, 6, 6, 7, 7, 1]
 */
export const signedProduct = (levels: number, { bound = 1 }: ProductOptions = {}): Graph =>
  lower(threeSquares(levels, bound, false), levelsEverywhere(levels), named(`signed_product_${levels}`))
    .network;

export interface MultiplicationOptions extends ProductOptions {
  /** separate: the two squares side by side; shared: one unit carries the sum of both. */
  readonly accumulators?: "separate" | "shared";
}

/**
 * x y on [-D, D]^2 as D^2 [f_m(|x+y|/2D) - f_m(|x-y|/2D)]: |error| <= D^2 4^-(m+1), zero on the axes, values in
 * [-D^2, D^2]. L = m + 2, N = 6 m + 5, M = 16 m + 6; with a shared accumulator N = 5 m + 6.
 * @example complexity(multiplication(3)).neurons // 23
 */
export const multiplication = (levels: number, options: MultiplicationOptions = {}): Graph =>
  lower(multiplicationCircuit(levels, options), levelsEverywhere(levels), named(`multiplication_${levels}`))
    .network;

function multiplicationCircuit(
  levels: number,
  { bound = 1, accumulators = "separate" }: MultiplicationOptions,
): Circuit {
  const options = { least: leastProduct(bound), separate: accumulators === "separate" };
  return sumOfSquares([plus, minus], [1 / 4, -1 / 4], levels, bound, options);
}

/**
 * x y on [-D, D]^2 as 2 D^2 [f_m(|x+y|/2D) - f_m(|x|/2D) - f_m(|y|/2D)], the three squares side by side:
 * the function of `signedProduct`, N = 9 m + 6. Four times the error of `multiplication`.
 * @example complexity(polarizedMultiplication(3)).neurons // 33
 */
export function polarizedMultiplication(levels: number, { bound = 1 }: ProductOptions = {}): Graph {
  const circuit = sumOfSquares([plus, variable(0), variable(1)], polarized, levels, bound, {
    separate: true,
  });
  return lower(circuit, levelsEverywhere(levels), named(`polarized_multiplication_${levels}`)).network;
}

/**
 * What `multiplication` errs by at most on [-D, D]^2: D^2 4^-(m+1) as a function, and more by rounding when it runs
 * in f64.
 * @example multiplicationError(3, { bound: 2 }).error // 0.015625
 */
export function multiplicationError(
  levels: number,
  options: MultiplicationOptions = {},
): Pick<Certified, "error" | "runError"> {
  const circuit = multiplicationCircuit(levels, options);
  const { run } = lower(circuit, levelsEverywhere(levels), named("multiplication"));
  const { bound = 1 } = options;
  const error = mulUp(mulUp(bound, bound), 4 ** -(levels + 1));
  const exactGates = levelsEverywhere(Number.POSITIVE_INFINITY);
  const rounding = boundsOf(circuit, exactGates, { run })[circuit.outputs[0]!]!.error;
  return { error, runError: addUp(error, rounding) };
}

/**
 * The fewest levels with which `multiplication` errs by at most eps on [-D, D]^2 when it runs in f64:
 * D^2 4^-(m+1) and what rounding adds.
 * @example multiplicationLevels(1e-6) // 9
 */
export function multiplicationLevels(eps: number, bound = 1): number {
  requireAccuracy("multiplication", eps);
  requireBound(bound);
  let levels = 1;
  while (bound ** 2 * 4 ** -(levels + 1) > eps) levels++;
  const enough = [levels, levels + 1, levels + 2].find(
    (m) => multiplicationError(m, { bound }).runError <= eps,
  );
  if (enough !== undefined) return enough;
  const { error, runError } = multiplicationError(levels, { bound });
  throw new ConstructError(
    `x y on [${-bound}, ${bound}]^2 cannot be certified to ${eps} in double precision: rounding alone may cost ${(runError - error).toPrecision(1)}`,
  );
}

const plus = form([
  [0, 1],
  [1, 1],
]);
const minus = form([
  [0, 1],
  [1, -1],
]);
/** x y = ((x+y)^2 - x^2 - y^2) / 2. */
const polarized = [1 / 2, -1 / 2, -1 / 2];
const leastProduct = (bound: number): number => {
  requireBound(bound);
  return -powerOfTwoAbove(mul(bound, bound));
};
function requireBound(bound: number): void {
  if (!(bound > 0 && bound < 2 ** 200))
    throw new ConstructError(`the bound of a product's factors is positive and below 2^200, not ${bound}`);
}
/** As the sources count weights: both units of a level go into the running sum. */
const named = (name: string): LowerOptions => ({ name, takeoff: "at once" });
const levelsEverywhere = (levels: number): number[] => new Array<number>(6).fill(levels);

/** 2 B^2 sum_{j<=i} 4^-j (T^j(x/2B) + T^j(y/2B) - T^j((x+y)/2B)), which stays above 0, or -B^2 where signs occur. */
const threeSquares = (levels: number, bound: number, nonnegative: boolean): Circuit =>
  sumOfSquares([plus, variable(0), variable(1)], polarized, levels, bound, {
    nonnegative,
    least: nonnegative ? 0 : leastProduct(bound),
  });

interface SumOptions {
  readonly nonnegative?: boolean;
  readonly least?: number;
  readonly separate?: boolean;
}

/** sum_k c_k s_k^2 for forms s_k of x and y with |s_k| <= 2 bound. */
function sumOfSquares(
  squared: readonly Form[],
  coefficients: readonly number[],
  levels: number,
  bound: number,
  { nonnegative = false, ...sum }: SumOptions,
): Circuit {
  requireCount("a product", "number of levels", levels, 1);
  requireBound(bound);
  const builder = new CircuitBuilder();
  const lowest = nonnegative ? 0 : -bound;
  for (const k of [0, 1]) builder.add({ kind: "source", of: variable(k), lower: lowest, upper: bound });
  const gates = squared.map((of) => builder.add({ kind: "square", of, bound: 2 * bound, nonnegative }));
  const of = form(gates.map((gate, k) => [gate, coefficients[k]!] as const));
  const output = builder.add({ kind: "sum", of, ...sum });
  return { dimension: 2, values: builder.values, outputs: [output] };
}
