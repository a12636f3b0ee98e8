// The phrases that definitions are made of.

import { type Tensor, tensor } from "../tensor.ts";
import type { Operand, Value } from "../value.ts";

/** A vector of integers: sizes, axes, positions. */
export const integers = (values: readonly number[], dims: readonly number[] = [values.length]): Tensor =>
  tensor(values, { type: "int64", dims });

/** yes where the condition holds, no elsewhere; numbers are of the element type of `like`. */
export function where(condition: Value, yes: Operand, no: Operand, like: Value): Value {
  const { builder } = condition;
  const { type } = like.type;
  return builder.apply("Where", [condition, builder.lift(yes, type), builder.lift(no, type)])[0]!;
}

export const less = (x: Value, bound: Operand): Value => x.op("Less", [bound]);
export const greater = (x: Value, bound: Operand): Value => x.op("Greater", [bound]);

/** A number in the element type of a value, to start an expression with. */
export const constant = (like: Value, c: number): Value => like.builder.lift(c, like.type.type);

/** c0 x^n + c1 x^(n-1) + ... + cn, by Horner's rule; n is at least 1. */
export const polynomial = (x: Value, [first, second, ...rest]: readonly number[]): Value =>
  rest.reduce((sum, c) => sum.mul(x).add(c), x.mul(first!).add(second!));

/** The odd function with these values at x >= 0; unlike Abs it has a slope at 0. */
export function odd(x: Value, f: (magnitude: Value) => Value): Value {
  const negative = less(x, 0);
  const result = f(where(negative, x.neg(), x, x));
  return where(negative, result.neg(), result, x);
}

/** sum^power for sum >= 0 and 0 < power < 1, whose slope at 0 counts as 0 instead of as infinite. */
export function root(sum: Value, power = 0.5): Value {
  const none = sum.op("Equal", [0]);
  const positive = where(none, 1, sum, sum);
  return where(none, 0, power === 0.5 ? positive.sqrt() : positive.pow(power), sum);
}
