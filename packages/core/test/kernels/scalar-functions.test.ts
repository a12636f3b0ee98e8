// The functions of one number that the limit kernel knows: slopes are those of the values, kinks are where slopes jump.
import { expect, it } from "vitest";
import {
  clipped,
  exponentialUnit,
  gelu,
  leaky,
  monomial,
  plainFunctions,
  tanhGelu,
} from "../../src/kernels/limit/scalar-functions.ts";
import type { UnitFunction } from "../../src/kernels/limit/unit-function.ts";

const functions: Readonly<Record<string, UnitFunction>> = {
  ...plainFunctions,
  "leaky relu": leaky(0.2),
  elu: exponentialUnit(1.3, 1, 1),
  celu: exponentialUnit(1.3, 1.3, 1),
  selu: exponentialUnit(1.7, 1, 1.05),
  clip: clipped(-0.4, 1.1),
  "hard sigmoid": clipped(0, 1, 0.2, 0.5),
  gelu,
  "gelu by tanh": tanhGelu,
  cube: monomial(3),
  constant: monomial(0),
};

it.each(Object.entries(functions))("%s has its slope", (name, { value, slope, kinks }) => {
  const step = 2 ** -18;
  const isPositive = /Sqrt|Log/.test(name);
  for (let k = 0; k < 400; k++) {
    const x = (isPositive ? 0.02 : -6) + 0.0301 * k;
    if (kinks.some((kink) => Math.abs(kink - x) < 0.01) || (name === "Reciprocal" && Math.abs(x) < 0.1))
      continue;
    const quotient = (value(x + step) - value(x - step)) / (2 * step);
    const size = 1 + Math.abs(slope(x)) + Math.abs(value(x));
    expect(Math.abs(quotient - slope(x))).toBeLessThan(1e-7 * size * (name === "Reciprocal" ? 1e3 : 1));
  }
});
