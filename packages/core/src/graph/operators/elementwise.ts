// Arithmetic on each element, with broadcasting where there are several inputs.
import type { Dim } from "../graph.ts";
import { isFloat } from "../tensor.ts";
import { combined } from "./constant.ts";
import { addDims, broadcast, multiplyDims, sameAsFirst } from "./dims.ts";
import { operator } from "./operator.ts";
import { flag, type Inferred, type ShapeContext } from "./spec.ts";

type Inputs = readonly (Inferred | undefined)[];
type Fold = (...entries: readonly Dim[]) => Dim;

const typeOf = (inputs: Inputs) => inputs.find((x) => x && x.type !== "undefined")?.type ?? "undefined";

/** A rule: all inputs are broadcast together. */
export const broadcastAll = (inputs: Inputs, _: unknown, context: ShapeContext): Inferred => ({
  type: typeOf(inputs),
  shape: broadcast(
    inputs.map((x) => x?.shape),
    context,
  ),
});

/** The same, and constants are combined. */
const folding =
  (fold: Fold) =>
  (inputs: Inputs, _: unknown, context: ShapeContext): Inferred => {
    const { type, shape } = broadcastAll(inputs, _, context);
    return combined(inputs, type, shape, fold);
  };

/** Arithmetic on numbers; a name or unknown entry gives an unknown one. */
export const onNumbers =
  (f: (...numbers: readonly number[]) => number): Fold =>
  (...entries) =>
    entries.every((e) => typeof e === "number") ? f(...entries) : undefined;

const unary = operator({ inputs: [1, 1], shape: sameAsFirst });
const foldedUnary = (f: (x: number) => number) =>
  operator({ inputs: [1, 1], shape: folding(onNumbers(f as never)) });
const binary = (fold: Fold) => operator({ inputs: [2, 2], shape: folding(fold) });
const variadic = (fold: (a: Dim, b: Dim) => Dim) =>
  operator({
    inputs: [1, Number.POSITIVE_INFINITY],
    shape: folding((...entries) => entries.reduce(fold)),
  });

const add = (a: Dim, b: Dim): Dim => (typeof a === "number" && typeof b === "number" ? a + b : addDims(a, b));
const multiply = (a: Dim, b: Dim): Dim =>
  typeof a === "number" && typeof b === "number" ? a * b : multiplyDims(a, b);
const subtract = (a: Dim, b: Dim): Dim =>
  typeof b === "number" ? add(a, -b) : a === b && a !== undefined ? 0 : undefined;

/** Integers are divided towards zero; by zero is left unknown. */
const divide =
  (integer: boolean) =>
  (a: Dim, b: Dim): Dim => {
    if (b === 1) return a;
    if (typeof a !== "number" || typeof b !== "number") return undefined;
    if (!integer) return a / b;
    return b === 0 ? undefined : Math.trunc(a / b);
  };

/** The remainder with the sign of the divisor (fmod = 0), or of the dividend (fmod = 1). */
const remainder = (fmod: boolean) =>
  onNumbers((a, b) => (fmod ? a! % b! : b === 0 ? Number.NaN : a! - b! * Math.floor(a! / b!)));

const maximum = (a: Dim, b: Dim) => (a === b ? a : onNumbers(Math.max)(a, b));
const minimum = (a: Dim, b: Dim) => (a === b ? a : onNumbers(Math.min)(a, b));

export const elementwise = {
  Add: binary(add as Fold),
  Sub: binary(subtract as Fold),
  Mul: binary(multiply as Fold),
  Div: operator({
    inputs: [2, 2],
    shape: (inputs, _, context) => folding(divide(!isFloat(typeOf(inputs))) as Fold)(inputs, _, context),
  }),
  Mod: operator({
    inputs: [2, 2],
    attributes: { fmod: flag(0) },
    shape: (inputs, { fmod }, context) => folding(remainder(fmod === 1))(inputs, undefined, context),
  }),
  Pow: operator({
    inputs: [2, 2],
    shape: (inputs, _, context) => ({
      ...broadcastAll(inputs, _, context),
      type: inputs[0]?.type ?? "undefined",
    }),
  }),
  Max: variadic(maximum),
  Min: variadic(minimum),
  Sum: variadic(add),
  Mean: operator({ inputs: [1, Number.POSITIVE_INFINITY], shape: broadcastAll }),
  Clip: operator({ inputs: [1, 3], shape: sameAsFirst }),
  Abs: foldedUnary(Math.abs),
  Sign: foldedUnary(Math.sign),
  Neg: foldedUnary((x) => 0 - x),
  Reciprocal: unary,
  Floor: foldedUnary(Math.floor),
  Ceil: foldedUnary(Math.ceil),
  Round: unary,
  Sqrt: foldedUnary(Math.sqrt),
  Exp: unary,
  Log: unary,
  Erf: unary,
  Sin: unary,
  Cos: unary,
  Tan: unary,
  Asin: unary,
  Acos: unary,
  Atan: unary,
  Sinh: unary,
  Cosh: unary,
  Tanh: unary,
  Asinh: unary,
  Acosh: unary,
  Atanh: unary,
};
