import { expect, it } from "vitest";
import { drawnRademacher, populationRademacher } from "../../src/measures/finite-population.ts";
import { createRandom } from "../../src/numbers/random.ts";

it("drawn samples and signs agree with all of them, within a standard error that is one", () => {
  const population = {
    probabilities: [0.2, 0.5, 0.3],
    losses: [
      [0, 1, 0.5],
      [1, 0, 0.2],
      [0.3, 0.3, 1],
    ],
  };
  const exact = populationRademacher(population, 3);
  const [draws, random] = [400, createRandom(5)];
  const scores = Array.from({ length: 60 }, () => {
    const { value, standardError } = drawnRademacher(population, 3, { draws, random });
    return (value - exact) / standardError;
  });
  // Sixty standardized errors: their mean square is 1 up to four of its own deviations, sqrt(2 / 60) each.
  const meanSquare = scores.reduce((sum, z) => sum + z * z, 0) / scores.length;
  expect(Math.abs(meanSquare - 1)).toBeLessThan(4 * Math.sqrt(2 / 60));
});
