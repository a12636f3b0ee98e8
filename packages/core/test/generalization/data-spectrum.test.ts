import { describe, expect, it } from "vitest";
import { benignOverfitting, dataSpectrum } from "../../src/generalization/double-descent/effective-ranks.ts";
import { createRandom } from "../../src/numbers/random.ts";

describe("the spectrum of data", () => {
  it("has the trace and the squares of the second moments, whichever side is longer, and descends", () => {
    const random = createRandom("spectrum of data");
    for (const [m, d] of [
      [3, 7],
      [7, 3],
      [5, 5],
      [1, 4],
    ] as const) {
      const rows = Array.from({ length: m }, () => random.normal(d));
      const moments = Array.from({ length: d }, (_, a) =>
        Array.from({ length: d }, (__, b) => rows.reduce((s, x) => s + x[a]! * x[b]!, 0) / m),
      );
      const spectrum = dataSpectrum(rows);
      expect(spectrum.length).toBe(Math.min(m, d));
      expect(spectrum).toEqual(spectrum.toSorted((a, b) => b - a));
      expect(spectrum.reduce((s, v) => s + v, 0)).toBeCloseTo(
        moments.reduce((s, row, a) => s + row[a]!, 0),
        10,
      );
      expect(spectrum.reduce((s, v) => s + v * v, 0)).toBeCloseTo(
        moments.flat().reduce((s, v) => s + v * v, 0),
        10,
      );
      expect(() => benignOverfitting(spectrum, 1)).not.toThrow();
    }
  });

  it("refuses what is no data", () => {
    for (const rows of [[], [[1, 2], [3]], [[Number.NaN]]])
      expect(() => dataSpectrum(rows)).toThrow("rows of equally many finite numbers");
  });
});
