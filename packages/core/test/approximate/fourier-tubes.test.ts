import { expect, test } from "vitest";
import {
  tubeMeasure,
  tubeShare,
  tubeShareBound,
  unitVolumeRadius,
} from "../../src/approximate/radial/index.ts";

test("radii of balls of volume 1, by tables of Gamma", () => {
  const known = [
    [2, 0.5642],
    [3, 0.6204],
    [10, 0.9106],
    [100, 2.49],
    [784, 6.809],
  ] as const;
  for (const [d, r] of known) expect(unitVolumeRadius(d)).toBeCloseTo(r, 3);
});

test("a tube in the plane is an arc, in space two caps", () => {
  for (const ratio of [0.01, 0.3, 0.9]) {
    expect(tubeShare(2, ratio)).toBeCloseTo((2 / Math.PI) * Math.asin(ratio), 13);
    expect(tubeShare(3, ratio)).toBeCloseTo(1 - Math.sqrt(1 - ratio ** 2), 13);
    for (const d of [2, 3, 10]) expect(tubeShareBound(d, ratio)).toBeGreaterThan(tubeShare(d, ratio));
  }
  expect(tubeShare(5, 1)).toBe(1);
});

test("the measure grows to 1, its tail as 1 over the radius", () => {
  for (const d of [2, 4, 6]) {
    const masses = [0, 0.5, 2, 8, 32].map((R) => tubeMeasure(d, R));
    for (let k = 1; k < masses.length; k++) expect(masses[k]).toBeGreaterThan(masses[k - 1]!);
    const tail = (1 - masses[4]!) * 2 * Math.PI * unitVolumeRadius(d) * 32;
    // d times the integral of J^2 / t, J^2 about (1 + wave) / (pi t).
    expect(tail).toBeGreaterThan((0.9 * d) / Math.PI);
    expect(tail).toBeLessThan((1.1 * d) / Math.PI);
  }
});
