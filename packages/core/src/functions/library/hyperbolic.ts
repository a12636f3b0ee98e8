// The hyperbolic sine and cosine.
import * as I from "../../numbers/interval/index.ts";
import { intervals } from "../arithmetic.ts";
import { always, bend, turning } from "../curvature.ts";
import type { FunctionOfOneVariable } from "../definition.ts";
import { inflectionAtZero, noInflection } from "../inflections.ts";
import { wave } from "../taylor.ts";

export const sinh = {
  operator: "Sinh",
  formula: {
    name: "sinh",
    value: Math.sinh,
    derivative: Math.cosh,
    second: Math.sinh,
    enclosure: I.sinh,
    taylor: (x, order) => wave(intervals, I.sinh(x), I.cosh(x), 1, order),
    inflections: inflectionAtZero,
    isEven: false,
    isSteep: false,
  },
  bend: bend("Sinh", I.sinh, I.cosh, turning(-1)),
} satisfies FunctionOfOneVariable;

export const cosh = {
  operator: "Cosh",
  formula: {
    name: "cosh",
    value: Math.cosh,
    derivative: Math.sinh,
    second: Math.cosh,
    enclosure: I.cosh,
    taylor: (x, order) => wave(intervals, I.cosh(x), I.sinh(x), 1, order),
    inflections: noInflection,
    isEven: true,
    isSteep: false,
  },
  bend: bend("Cosh", I.cosh, I.sinh, always(1)),
} satisfies FunctionOfOneVariable;
