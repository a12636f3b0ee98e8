// Enclosures of derivatives against the same derivatives in plain numbers, and bounds of them against many points.
import { describe, expect, it } from "vitest";
import { activation } from "../../src/functions/activation.ts";
import {
  derivativeEnclosure,
  roundingScale,
  smoothActivations,
  smoothDerivativeBound,
} from "../../src/functions/smooth.ts";

describe("derivatives of smooth activations", () => {
  it.each(smoothActivations)("of %s are enclosed", (name) => {
    for (let order = 0; order <= 12; order++)
      for (const x of [-2.5, -0.3, 0, 0.7, 1.9]) {
        const exact = activation(name).derivative(order, x);
        const { lower, upper } = derivativeEnclosure(name, order, { lower: x, upper: x });
        const slack = 1e-11 * Math.max(1, Math.abs(exact)); // the recurrences in doubles, not the enclosure
        expect(lower).toBeLessThanOrEqual(exact + slack);
        expect(upper).toBeGreaterThanOrEqual(exact - slack);
        expect(upper - lower).toBeLessThan(1e-5 * Math.max(1, Math.abs(exact)));
      }
  });

  it.each(smoothActivations)("of %s are bounded, and not by much more than they reach", (name) => {
    for (const order of [1, 2, 4]) {
      const seen = Math.max(
        ...Array.from({ length: 201 }, (_, k) => Math.abs(activation(name).derivative(order, 0.2 + k / 500))),
      );
      const bound = smoothDerivativeBound(name, order, 0.2, 0.6);
      expect(bound).toBeGreaterThanOrEqual(seen * (1 - 1e-9));
      expect(bound).toBeLessThan(1.2 * seen);
    }
  });
});

it.each(smoothActivations)(
  "a relative rounding of %s and of its argument costs no more than is said",
  (name) => {
    for (const [centre, reach] of [
      [0, 0.5],
      [-1.3, 0.25],
      [2, 1],
    ] as const) {
      const costs = Array.from({ length: 201 }, (_, k) => {
        const t = centre - reach + (k * reach) / 100;
        return Math.abs(activation(name).value(t)) + Math.abs(t * activation(name).derivative(1, t));
      });
      const scale = roundingScale(name, centre, reach);
      expect(scale).toBeGreaterThanOrEqual(Math.max(...costs) * (1 - 1e-9));
      // twice the argument, and each of the three at its greatest
      expect(scale).toBeLessThan(8 * Math.max(...costs));
    }
  },
);

it("enclosures hold over whole intervals, to the greatest order", () => {
  for (const name of smoothActivations)
    for (const order of [0, 1, 3, 12]) {
      const { lower, upper } = derivativeEnclosure(name, order, { lower: 0.1, upper: 0.2 });
      for (const x of [0.1, 0.13, 0.17, 0.2]) {
        const exact = activation(name).derivative(order, x);
        const slack = 1e-11 * Math.max(1, Math.abs(exact));
        expect([name, order, x, lower <= exact + slack, exact - slack <= upper]).toEqual([
          name,
          order,
          x,
          true,
          true,
        ]);
      }
    }
  // sin^(16) = sin, sin^(18) = -sin
  for (const [order, sign] of [
    [16, 1],
    [18, -1],
  ] as const) {
    const { lower, upper } = derivativeEnclosure("sin", order, { lower: 1, upper: 1 });
    expect(lower).toBeCloseTo(sign * Math.sin(1), 9);
    expect(upper).toBeCloseTo(sign * Math.sin(1), 9);
  }
  expect(() => derivativeEnclosure("sin", 19, { lower: 1, upper: 1 })).toThrow("up to order 18");
});
