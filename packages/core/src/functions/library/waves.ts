// The sine and the cosine.
import type { Interval } from "../../numbers/interval/index.ts";
import * as I from "../../numbers/interval/index.ts";
import { intervals, numbers } from "../arithmetic.ts";
import type { Curvature } from "../bends.ts";
import { bend } from "../curvature.ts";
import { type FunctionOfOneVariable, plain, type Row, type Taylor } from "../definition.ts";
import { type OfPair, pointwise } from "../dual.ts";
import { inflectionsFrom } from "../inflections.ts";
import { wave } from "../taylor.ts";

const facts = {
  limits: [undefined, undefined],
  bounded: true,
  lipschitz: 1,
  smoothness: Number.POSITIVE_INFINITY,
  genericPoint: 0.75,
} satisfies Partial<Row>;

/** E sin u sin v = e^(-(a + b) / 2) sinh k, and E cos u cos v the same with cosh. */
const sines: OfPair = (k, a, b) => (Math.exp(k - (a + b) / 2) - Math.exp(-k - (a + b) / 2)) / 2;
const cosines: OfPair = (k, a, b) => (Math.exp(k - (a + b) / 2) + Math.exp(-k - (a + b) / 2)) / 2;

const sinTaylor: Taylor = (x, order) => wave(intervals, I.sin(x), I.cos(x), -1, order);
const cosTaylor: Taylor = (x, order) => wave(intervals, I.cos(x), I.neg(I.sin(x)), -1, order);

export const sin = {
  operator: "Sin",
  activation: plain({
    ...facts,
    apply: (x) => x.sin(),
    jet: (x, order) => wave(numbers, Math.sin(x), Math.cos(x), -1, order),
  }),
  taylor: sinTaylor,
  formula: {
    name: "sin",
    value: Math.sin,
    derivative: Math.cos,
    second: (x) => -Math.sin(x),
    enclosure: I.sin,
    taylor: sinTaylor,
    inflections: inflectionsFrom(0),
    isEven: false,
    isSteep: false,
  },
  bend: bend("Sin", I.sin, I.cos, (low, high) => turnsFrom(0, low, high)),
  dual: () => pointwise(sines, cosines),
} satisfies FunctionOfOneVariable;

export const cos = {
  operator: "Cos",
  activation: plain({
    ...facts,
    apply: (x) => x.cos(),
    jet: (x, order) => wave(numbers, Math.cos(x), -Math.sin(x), -1, order),
  }),
  taylor: cosTaylor,
  formula: {
    name: "cos",
    value: Math.cos,
    derivative: (x) => -Math.sin(x),
    second: (x) => -Math.cos(x),
    enclosure: I.cos,
    taylor: cosTaylor,
    inflections: inflectionsFrom(Math.PI / 2),
    isEven: true,
    isSteep: false,
  },
  bend: bend(
    "Cos",
    I.cos,
    (x) => I.neg(I.sin(x)),
    (low, high) => turnsFrom(-Math.PI / 2, low, high),
  ),
  dual: () => pointwise(cosines, sines),
} satisfies FunctionOfOneVariable;

/** Beyond so many turns a wave's lines are horizontal ones. */
const mostTurns = 16;

/** A sine bends the other way at every multiple of pi after its phase: down from an even one on. */
function turnsFrom(phase: number, low: number, high: number): Curvature {
  const [first, last] = [
    Math.ceil((low - phase) / Math.PI - 0.5),
    Math.floor((high - phase) / Math.PI + 0.5),
  ];
  if (!(last - first < mostTurns) || Math.abs(low) > 2 ** 20 || Math.abs(high) > 2 ** 20)
    return { turns: [{ lower: low, upper: high }], ways: [0, 0] };
  const turns: Interval[] = [];
  const ways: (1 | -1)[] = [];
  for (let k = first; k <= last; k++) {
    const at = phase + k * Math.PI;
    const room = (2 + Math.abs(at)) * 2 ** -50;
    turns.push({ lower: at - room, upper: at + room });
    ways.push(k % 2 === 0 ? 1 : -1);
  }
  ways.push(last % 2 === 0 ? -1 : 1);
  return { turns, ways };
}
