// What the theory near initialization rests on: the greatest curvature of a unit, balanced signs, a smooth risk.
import { describe, expect, it } from "vitest";
import { sizeAtPointBound, sizeOnBallBound } from "../../src/dynamics/initial-size.ts";
import { lazyCertificate } from "../../src/dynamics/lazy/certificate.ts";
import { hessianBound, type SmoothNetwork } from "../../src/dynamics/lazy/hessian.ts";
import { squaredRisk } from "../../src/dynamics/lazy/squared-risk.ts";
import { drawShallow } from "../../src/dynamics/shallow-network.ts";
import { greatestCurvature, reluGapBound } from "../../src/dynamics/taylor-gap.ts";
import { activation } from "../../src/functions/activation.ts";
import { createRandom } from "../../src/numbers/random.ts";

describe.each(["logistic", "tanh", "softplus"] as const)("the curvature of %s", (sigma) => {
  const { at, beta } = greatestCurvature[sigma];
  const second = (x: number): number => Math.abs(activation(sigma).derivative(2, x));

  it("is as great as is said where that is said, and nowhere greater", () => {
    expect(second(at)).toBeCloseTo(beta, 14);
    for (let x = -8; x <= 8; x += 1 / 64) expect(second(x)).toBeLessThanOrEqual(beta * (1 + 1e-14));
  });
});

it("outer weights have both signs, each half of the time", () => {
  const m = 4096;
  const { a } = drawShallow("relu", m, 2, createRandom("signs"));
  expect(a.filter((sign) => sign === -1).length + a.filter((sign) => sign === 1).length).toBe(m);
  expect(Math.abs(a.filter((sign) => sign === 1).length - m / 2)).toBeLessThan(5 * Math.sqrt(m / 4));
});

it("the smoothness of a certificate is that of its formula, the Jacobian taken from the risk's gradient", () => {
  const points = [Float64Array.of(1, 0.5)];
  const network: SmoothNetwork = {
    sigma: "tanh",
    a: [0.1, -0.2],
    V: [Float64Array.of(3, 1), Float64Array.of(-2, 4)],
  };
  const examples = { points, values: [0.3] };
  const { value, gradient } = squaredRisk(network, examples);
  // One example: grad r = 2 e J.
  const jacobian = Math.hypot(...gradient.inner, ...gradient.outer) / (2 * Math.sqrt(value));
  const { promised } = lazyCertificate(network, examples, { eta: 1e-6 });
  const curvature = hessianBound(network, points[0]!, promised!.radius);
  const beta = 2 * ((jacobian + promised!.radius * curvature) ** 2 + Math.sqrt(value) * curvature);
  expect(promised!.beta / beta).toBeCloseTo(1, 12);
  // From 2 / beta on a step need not lower the risk: nothing is certified, however small the ball.
  const atStart = 2 * (jacobian ** 2 + Math.sqrt(value) * hessianBound(network, points[0]!, 0));
  expect(lazyCertificate(network, examples, { eta: 2 / atStart }).margin).toBe(0);
  expect(lazyCertificate(network, examples, { eta: 1.9 / atStart }).margin).toBeGreaterThan(0);
});

it("bounds at the start are those of the notes, at other numbers than 1", () => {
  // |a| m^(1/3) (4 B^(4/3) + 2 B ln(1/delta)^(1/4)) for m = 8, B = 8, delta = e^-16.
  expect(reluGapBound(8, 8, Math.exp(-16))).toBeCloseTo(2 * (4 * 16 + 2 * 8 * 2), 10);
  // 4 |x| sqrt(m) ln(2 m / delta), 32 d sqrt(m) ln(m / delta).
  expect(sizeAtPointBound(3, 4, 8 * Math.exp(-2))).toBeCloseTo(4 * 3 * 2 * 2, 12);
  expect(sizeOnBallBound(3, 4, 4 * Math.exp(-2))).toBeCloseTo(32 * 3 * 2 * 2, 12);
});
