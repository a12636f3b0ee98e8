// Gradients of arithmetic and of functions of one number, with broadcasting.
import type { Operand } from "../../graph/builder.ts";
import type { Value } from "../../graph/value.ts";
import type { BackwardRule, BackwardRules, Shares, Step } from "../backward.ts";
import { fullLike, unbroadcast } from "./shapes.ts";

type Plain = BackwardRule<"Neg">;

/** f applied to each element: the cotangent times f'(x), written from x and y = f(x). */
export const chain =
  (derivative: (x: Value, y: Value) => Operand): Plain =>
  ({ g, x: [x], y: [y] }) => [() => g.mul(derivative(x, y))];

/** No change of the output, or none but at jumps: nothing comes back. */
export const constant: Plain = () => [];

/** 1 where the condition holds and 0 elsewhere, in the type of `like`. */
export const indicator = (condition: Value, like: Value): Value => condition.op("CastLike", [like]);

/**
 * Max and Min of several: an element's cotangent goes to the first input that attains it, as a tie is broken by
 * the order of the inputs.
 */
function extreme({ g, x, y: [y] }: Step): Shares {
  const inputs = x as readonly Value[];
  const wins = inputs.map((input) => input.op("Equal", [y]));
  return inputs.map((input, k) => () => {
    const earlier = wins.slice(0, k);
    const alone = earlier.reduce((won, other) => won.op("And", [other.op("Not")]), wins[k]!);
    return unbroadcast(g.mul(indicator(alone, g)), input);
  });
}

const sum: BackwardRule<"Sum"> = ({ g, x }) =>
  (x as readonly Value[]).map((input) => () => unbroadcast(g, input));

/** d/da a^b = b a^(b-1), written so that a = 0 with b = 1 or 2 is right; d/db a^b = a^b log a, 0 at a = 0. */
const power: BackwardRule<"Pow"> = ({ g, x: [a, b], y: [y] }) => [
  () => unbroadcast(g.mul(b.op("CastLike", [a]).mul(a.pow(b.sub(b.builder.lift(1, b.type.type))))), a),
  () => {
    const positive = a.op("Greater", [fullLike(a, 0)]);
    const log = positive.op("Where", [a, fullLike(a, 1)]).log();
    return unbroadcast(g.mul(y).mul(log), b);
  },
];

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
    () => unbroadcast(g.mul(y.sub(a).div(b).op("Round")), b),
  ],
  Pow: power,
  Max: extreme,
  Min: extreme,
  Sum: sum,
  Mean: ({ g, x }) => (x as readonly Value[]).map((input) => () => unbroadcast(g.div(x.length), input)),
  // Only strictly between the bounds does the output follow the input; at a bound it does not.
  Clip: ({ g, x: [x, ...bounds] }) => {
    const [lower, upper] = bounds as readonly (Value | undefined)[];
    const below = lower && (() => x.op("LessOrEqual", [lower]));
    const above = upper && (() => x.op("GreaterOrEqual", [upper]));
    const part = (where: Value) => g.mul(indicator(where, g));
    return [
      () =>
        [below, above].reduce(
          (rest, outside) => (outside ? rest.mul(indicator(outside().op("Not"), g)) : rest),
          g,
        ),
      below && (() => unbroadcast(part(below()), lower)),
      above && (() => unbroadcast(part(above()), upper)),
    ];
  },
  Abs: chain((x) => x.op("Sign")),
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
  Tanh: chain((_, y) => oneLessSquare(y)),
  Asinh: ({ g, x: [x] }) => [() => g.div(x.mul(x).add(1).sqrt())],
  Acosh: ({ g, x: [x] }) => [() => g.div(x.sub(1).mul(x.add(1)).sqrt())],
  Atanh: ({ g, x: [x] }) => [() => g.div(oneLessSquare(x))],
};

/** 1 - x^2, without losing digits near 1. */
const oneLessSquare = (x: Value): Value => x.neg().add(1).mul(x.add(1));
