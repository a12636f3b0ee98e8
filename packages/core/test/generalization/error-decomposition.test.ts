import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  absoluteExcess,
  descendRisk,
  drawRisk,
  empiricalRiskAt,
  hatsAt,
  integral,
  leastRisk,
  projection,
  squareRisk,
} from "../../src/generalization/error-decomposition.ts";
import { createRandom } from "../../src/numbers/random.ts";

const hats = fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: 5, maxLength: 5 });

describe("risks that can be computed", () => {
  it("integrals of polynomials up to degree 15 are exact", () => {
    for (let k = 0; k <= 15; k++) expect(integral((x) => x ** k, 3)).toBeCloseTo(1 / (k + 1), 14);
  });

  it("a function between the knots is its own projection", () => {
    fc.assert(
      fc.property(hats, (h) => {
        projection((x) => hatsAt(h, x), 4).forEach((v, k) => {
          expect(v).toBeCloseTo(h[k]!, 10);
        });
      }),
    );
  });

  it("nothing has less risk than the projection, nor less empirical risk than the least squares", () => {
    const law = { f: Math.exp, spread: 0.5 };
    const best = projection(law.f, 4);
    const sample = drawRisk(law, 4, 300, createRandom(1));
    const least = leastRisk(sample);
    fc.assert(
      fc.property(hats, (h) => {
        expect(squareRisk(h, law)).toBeGreaterThanOrEqual(squareRisk(best, law) - 1e-12);
        expect(empiricalRiskAt(sample, h)).toBeGreaterThanOrEqual(empiricalRiskAt(sample, least) - 1e-12);
        expect(absoluteExcess(h, law)).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it("gradient descent goes to the least squares", () => {
    const sample = drawRisk({ f: Math.sin, spread: 0.1 }, 3, 200, createRandom(2));
    const least = leastRisk(sample);
    descendRisk(sample, 1, 2000).forEach((v, k) => {
      expect(v).toBeCloseTo(least[k]!, 10);
    });
  });
});
