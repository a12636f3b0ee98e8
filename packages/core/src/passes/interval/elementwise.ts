// Arithmetic and elementary functions, element by element.

import { enclosureOfOperator } from "../../functions/by-operator.ts";
import type { Node } from "../../graph/graph.ts";
import type { DataType } from "../../graph/tensor.ts";
import {
  abs,
  add,
  arePoints,
  div,
  type Interval,
  increasing,
  interval,
  max,
  min,
  mul,
  neg,
  point,
  pow,
  type RealFunction,
  squared,
  sub,
  zipIntervals,
} from "../../numbers/interval/index.ts";
import type { Rules } from "../pass.ts";
import {
  firstDims,
  type Inputs,
  type IntervalTensor,
  isIntegral,
  mapped,
  placesIn,
  Unreadable,
} from "./tensor.ts";

type Combine = (x: Interval, y: Interval) => Interval;

/** A function of two numbers at each place of a shape to which both tensors are broadcast. */
export function combined(
  x: IntervalTensor,
  y: IntervalTensor,
  dims: readonly number[],
  f: Combine,
  type: DataType = x.type,
): IntervalTensor {
  const length = dims.reduce((n, d) => n * d, 1);
  const places = [placesIn(x, dims), placesIn(y, dims)] as const;
  const result = zipIntervals(x, y, f, places);
  if (result.lower.length !== length) throw new Unreadable(`cannot broadcast to [${dims}]`);
  return { type, dims, lower: result.lower, upper: arePoints(result) ? result.lower : result.upper };
}

const binary =
  (f: Combine) =>
  ([x, y]: Inputs, _: unknown, node: Node): IntervalTensor =>
    combined(x!, y!, firstDims(node, [x, y]), f);

const variadic =
  (f: Combine) =>
  (inputs: Inputs, _: unknown, node: Node): IntervalTensor => {
    const dims = firstDims(node, inputs);
    const [first, ...others] = inputs as readonly IntervalTensor[];
    return others.reduce((sum, x) => combined(sum, x, dims, f), first!);
  };

const each =
  (f: RealFunction) =>
  ([x]: Inputs): IntervalTensor =>
    mapped(x!, f);

/** Both inputs are one and the same value. */
const isTwice = ({ inputs }: Node): boolean => inputs[0] === inputs[1];

/** A number at infinity (not merely without bound): times zero it would be no number. */
export function withoutInfinities(x: IntervalTensor): IntervalTensor {
  for (let k = 0; k < x.lower.length; k++)
    if (x.lower[k] === Number.POSITIVE_INFINITY || x.upper[k] === Number.NEGATIVE_INFINITY)
      throw new Unreadable("one of its factors is infinite");
  return x;
}

const monotone = (f: (x: number) => number): RealFunction => increasing({ down: f, up: f });
export const truncated = monotone((x) => Math.trunc(x) + 0); // not -0

/** What is computed as a real number and stored as an integer loses its fraction. */
export const wholeIfIntegral = (x: IntervalTensor): IntervalTensor =>
  isIntegral(x) ? mapped(x, truncated) : x;

/** To the nearest integer, ties to the even one. */
function roundedToEven(x: number): number {
  const below = Math.floor(x);
  if (!Number.isFinite(x) || x - below !== 0.5)
    return x - below < 0.5 || !Number.isFinite(x) ? below : below + 1;
  return below % 2 === 0 ? below : below + 1;
}

const integerRatio: Combine = (x, y) => truncated(div(x, y));

/**
 * x - y q with the quotient q rounded down (fmod = 0) or towards zero (fmod = 1). Where q is not the same throughout,
 * the remainder lies between 0 and the divisor, with the sign of the divisor or of x.
 */
const remainder =
  (fmod: boolean): Combine =>
  (x, y) => {
    if (y.lower !== y.upper) throw new Unreadable("its divisor is not a constant");
    const whole = fmod ? truncated : monotone(Math.floor);
    const q = whole(div(x, y));
    const size = Math.abs(y.lower);
    const range = fmod
      ? { lower: x.lower < 0 ? -size : 0, upper: x.upper > 0 ? size : 0 }
      : { lower: y.lower < 0 ? -size : 0, upper: y.lower > 0 ? size : 0 };
    if (q.lower !== q.upper) return range;
    const rest = sub(x, mul(y, q));
    return { lower: Math.max(rest.lower, range.lower), upper: Math.min(rest.upper, range.upper) };
  };

export const arithmetic: Rules<IntervalTensor> = {
  Add: binary(add),
  Sub: ([x, y], _, node) =>
    isTwice(node) ? mapped(x!, () => point(0)) : combined(x!, y!, firstDims(node, [x, y]), sub),
  Mul: ([x, y], _, node) =>
    isTwice(node)
      ? mapped(x!, squared)
      : combined(withoutInfinities(x!), withoutInfinities(y!), firstDims(node, [x, y]), mul),
  Div: ([x, y], _, node) =>
    combined(withoutInfinities(x!), y!, firstDims(node, [x, y]), isIntegral(x!) ? integerRatio : div),
  Mod: ([x, y], { fmod }, node) => combined(x!, y!, firstDims(node, [x, y]), remainder(fmod === 1)),
  /** The type is that of the base: a power of integers loses its fraction. */
  Pow: ([x, y], _, node) => wholeIfIntegral(combined(x!, y!, firstDims(node, [x, y]), pow)),
  Max: variadic(max),
  Min: variadic(min),
  Sum: variadic(add),
  Mean: (inputs, _, node) => mapped(variadic(add)(inputs, _, node), (sum) => div(sum, point(inputs.length))),
  /** min(max(x, least), greatest); a bound that is left out is the last number of the type. */
  Clip: ([x, least, greatest]) => {
    const last = lastNumber[x!.type] ?? Number.MAX_VALUE;
    const above = least
      ? combined(x!, least, x!.dims, max)
      : mapped(x!, ({ lower, upper }) => interval(lower, Math.max(upper, -last)));
    return greatest
      ? combined(above, greatest, x!.dims, min)
      : mapped(above, ({ lower, upper }) => interval(Math.min(lower, last), upper));
  },
};

/** What is beyond the numbers of its type is computed as infinite, and then clipped: both are enclosed. */
const lastNumber: Partial<Record<DataType, number>> = {
  float16: 65504,
  bfloat16: 255 * 2 ** 120,
  float32: (2 - 2 ** -23) * 2 ** 127,
};

export const functions: Rules<IntervalTensor> = {
  Abs: each(abs),
  Neg: each(neg),
  Sign: each(monotone(Math.sign)),
  Floor: each(monotone(Math.floor)),
  Ceil: each(monotone((x) => Math.ceil(x) + 0)),
  Round: each(monotone(roundedToEven)),
  ...Object.fromEntries([...enclosureOfOperator].map(([op, f]) => [op, each(f)])),
};
