// Gradients of arithmetic and of functions of one number, with broadcasting.
// Conventions: Abs'(0) = 0; a tie of Max or Min goes to the first of the inputs that attain it; at a bound Clip follows
// the bound (the upper one where both are equal); Pow has derivative 0 with respect to the exponent where the base is
// not positive; Floor, Ceil, Round and Sign are constant, at their jumps too. Where a slope is 0 because the function is
// constant there, nothing comes back, not even from an infinite cotangent: it is chosen, not multiplied by 0 or 1.

import { scalarOf } from "../../graph/operators/constant.ts";
import { isFloat, type NumericType } from "../../graph/tensor.ts";
import type { Operand, Value } from "../../graph/value.ts";
import type { BackwardRule, BackwardRules, Shares, Step } from "../backward.ts";
import { scalarLike, unbroadcast } from "./shapes.ts";

type Plain = BackwardRule<"Neg">;

/** f applied to each element: the cotangent times f'(x), written from x and y = f(x). */
export const chain =
  (derivative: (x: Value, y: Value) => Operand): Plain =>
  ({ g, x: [x], y: [y] }) => [() => g.mul(derivative(x, y))];

/** No change of the output, or none but at jumps: nothing comes back. */
export const constant: Plain = () => [];

/** 1 where the condition holds and 0 elsewhere, in the type of `like`. */
export const indicator = (condition: Value, like: Value): Value =>
  like.type.type === "undefined"
    ? condition.op("CastLike", [like])
    : condition.cast(like.type.type as NumericType);

/** The cotangent where the condition holds, 0 elsewhere. */
export const where = (condition: Value, g: Value): Value => condition.op("Where", [g, scalarLike(g, 0)]);

/** The cotangent times a factor that is constant but for jumps; 0 where that is 0, even for an infinite cotangent. */
export const scaledBy = (g: Value, factor: Value): Value =>
  factor
    .op("Equal", [0])
    .op("Where", [scalarLike(g, 0), g])
    .mul(factor);

/** Max and Min of several: an element's cotangent goes to the first input that attains it. */
const extreme =
  (beats: "GreaterOrEqual" | "LessOrEqual") =>
  ({ g, x, y: [y] }: Step): Shares => {
    const inputs = x as readonly Value[];
    if (inputs.length === 1) return [() => g];
    const [a, b] = inputs as readonly [Value, Value];
    const first = () => a.op(beats, [b]);
    if (inputs.length === 2)
      return [
        () => unbroadcast(where(first(), g), a),
        () => unbroadcast(first().op("Where", [scalarLike(g, 0), g]), b),
      ];
    const attained = inputs.map((input) => input.op("Equal", [y]));
    return inputs.map((input, k) => () => {
      const earlier = attained.slice(0, k);
      const first = earlier.reduce((won, other) => won.op("And", [other.op("Not")]), attained[k]!);
      return unbroadcast(where(first, g), input);
    });
  };

const sum: BackwardRule<"Sum"> = ({ g, x }) =>
  (x as readonly Value[]).map((input) => () => unbroadcast(g, input));

/**
 * d/da a^b = b a^(b-1), where b = 0 gives 0 also at a = 0; d/db a^b = a^b log a, and 0 where a is not positive.
 * The exponent may be an integer, and has no derivative then.
 */
const power: BackwardRule<"Pow"> = ({ g, x: [a, b], y: [y] }) => [
  () => unbroadcast(baseShare(g, a, b), a),
  isFloat(b.type.type)
    ? () => {
        const positive = a.op("Greater", [0]);
        const log = positive.op("Where", [a, scalarLike(a, 1)]).log();
        // Chosen at last: where the base is not positive, the power may be infinite or NaN.
        const share = where(positive, g.mul(y).mul(log));
        return unbroadcast(a.type.type === b.type.type ? share : share.op("CastLike", [b]), b);
      }
    : undefined,
];

function baseShare(g: Value, a: Value, b: Value): Value {
  const known = scalarOf(b.type);
  if (known === 2) return g.mul(a.mul(2));
  if (typeof known === "number" && known !== 0) return g.mul(a.pow(known - 1).mul(known));
  const [isZero, one] = [b.op("Equal", [0]), scalarLike(b, 1)];
  const lowered = isZero.op("Where", [one, b.sub(one)]);
  const factor = b.type.type === a.type.type ? b : b.op("CastLike", [a]);
  return isZero.op("Where", [scalarLike(g, 0), g]).mul(a.pow(lowered).mul(factor));
}

/** Strictly between the bounds the output follows the input; elsewhere the bound: min(max(x, lower), upper). */
const clip: BackwardRule<"Clip"> = ({ g, x: [x], given }) => {
  const [lower, upper] = [given(1), given(2)];
  const inside = [
    ...(lower ? [() => x.op("Greater", [lower])] : []),
    ...(upper ? [() => x.op("Less", [upper])] : []),
  ];
  const raised = () => (lower ? x.max(lower) : x);
  const [first, second] = inside;
  return [
    () => (first ? where(second ? first().op("And", [second()]) : first(), g) : g),
    lower &&
      (() => {
        const below = x.op("LessOrEqual", [lower]);
        return unbroadcast(where(upper ? below.op("And", [lower.op("Less", [upper])]) : below, g), lower);
      }),
    upper && (() => unbroadcast(where(raised().op("GreaterOrEqual", [upper]), g), upper)),
  ];
};

export const elementwise: BackwardRules = {
  Add: ({ g, x: [a, b] }) => [() => unbroadcast(g, a), () => unbroadcast(g, b)],
  Sub: ({ g, x: [a, b] }) => [() => unbroadcast(g, a), () => unbroadcast(g, b).neg()],
  Mul: ({ g, x: [a, b] }) => [() => unbroadcast(g.mul(b), a), () => unbroadcast(g.mul(a), b)],
  Div: ({ g, x: [a, b], y: [y] }) => [
    () => unbroadcast(g.div(b), a),
    () => unbroadcast(g.mul(y).div(b).neg(), b),
  ],
  // fmod: a - b trunc(a / b); otherwise a - b floor(a / b). The quotient is locally constant.
  Mod: ({ g, x: [a, b], y: [y] }) => [
    () => unbroadcast(g, a),
    () => unbroadcast(scaledBy(g, y.sub(a).div(b).op("Round")), b),
  ],
  Pow: power,
  Max: extreme("GreaterOrEqual"),
  Min: extreme("LessOrEqual"),
  Sum: sum,
  Mean: ({ g, x }) =>
    (x as readonly Value[]).map(
      (input) => () => (x.length === (1 as number) ? g : unbroadcast(g.div(x.length), input)),
    ),
  Clip: clip,
  Abs: ({ g, x: [x] }) => [() => scaledBy(g, x.op("Sign"))],
  Neg: ({ g }) => [() => g.neg()],
  Sign: constant,
  Floor: constant,
  Ceil: constant,
  Round: constant,
  Reciprocal: ({ g, y: [y] }) => [() => g.mul(y).mul(y).neg()],
  Sqrt: ({ g, y: [y] }) => [() => g.div(y.mul(2))],
  Exp: chain((_, y) => y),
  Log: ({ g, x: [x] }) => [() => g.div(x)],
  // 2 / sqrt(pi) exp(-x^2)
  Erf: chain((x) =>
    x
      .mul(x)
      .neg()
      .exp()
      .mul(2 / Math.sqrt(Math.PI)),
  ),
  Sin: chain((x) => x.cos()),
  Cos: chain((x) => x.sin().neg()),
  Tan: chain((_, y) => y.mul(y).add(1)),
  Asin: ({ g, x: [x] }) => [() => g.div(oneLessSquare(x).sqrt())],
  Acos: ({ g, x: [x] }) => [() => g.div(oneLessSquare(x).sqrt()).neg()],
  Atan: ({ g, x: [x] }) => [() => g.div(x.mul(x).add(1))],
  Sinh: chain((x) => x.op("Cosh")),
  Cosh: chain((x) => x.op("Sinh")),
  // Near 1 the rounding of y itself costs more digits than that of its square.
  Tanh: chain((_, y) => oneLess(y.mul(y))),
  Asinh: ({ g, x: [x] }) => [() => g.div(x.mul(x).add(1).sqrt())],
  Acosh: ({ g, x: [x] }) => [() => g.div(x.sub(1).mul(x.add(1)).sqrt())],
  Atanh: ({ g, x: [x] }) => [() => g.div(oneLessSquare(x))],
};

/** 1 - x */
export const oneLess = (x: Value): Value => scalarLike(x, 1).sub(x);

/** 1 - x^2, without losing digits near 1. */
const oneLessSquare = (x: Value): Value => oneLess(x).mul(x.add(1));
