import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { complexity } from "../../src/networks/layers/layers.ts";
import { uniformKnots } from "../../src/networks/spline/knots.ts";
import { targets } from "../../src/networks/spline/target.ts";
import {
  gridSteps,
  midpointSteps,
  type Steps,
  staircase,
  staircaseError,
  variationSteps,
} from "../../src/networks/threshold/staircase.ts";
import { variation } from "../../src/networks/threshold/variation.ts";
import { toNumber } from "../../src/numbers/exact/rational.ts";
import { supDistance } from "../../src/passes/distance.ts";
import { linearPieces } from "../../src/passes/pieces.ts";

const names = ["sine", "ramp", "wave", "square", "cube", "exp", "runge"] as const;
const valueAt = ({ thresholds, levels }: Steps, x: number): number =>
  levels[thresholds.findLastIndex((b) => b <= x)] ?? 0;

describe("staircase", () => {
  it("steps at its thresholds, the right side included", async () => {
    const net = staircase({ thresholds: [0.25, 0.5], levels: [3, 1] });
    const { y } = await run(net, { x: tensor([[0], [0.25], [0.4], [0.5], [1]]) });
    expect(Array.from(numbers(y!))).toEqual([0, 3, 3, 1, 1]);
    expect(() => staircase({ thresholds: [0], levels: [] })).toThrow(/a level for each threshold/);
  });

  it("has the catalogue's size and error for sin 3x", () => {
    const steps = gridSteps(targets.sine, 0.05);
    expect(complexity(staircase(steps)).architecture).toEqual([1, 60, 1]);
    expect(staircaseError(steps, targets.sine)).toBeCloseTo(0.04998, 5);
  });

  it.each(names)(
    "%s: three ways to place the steps keep the error, and the error found is the greatest",
    (name) => {
      const g = targets[name];
      fc.assert(
        fc.property(fc.double({ min: 0.02, max: 1, noNaN: true }), (eps) => {
          for (const make of [gridSteps, midpointSteps, variationSteps]) {
            const steps = make(g, eps);
            const sup = staircaseError(steps, g);
            expect(sup).toBeLessThanOrEqual(eps + 1e-14);
            for (const x of uniformKnots([0, 1], 500))
              expect(Math.abs(valueAt(steps, x) - g.value(x))).toBeLessThanOrEqual(sup + 1e-14);
          }
        }),
        { numRuns: 10 },
      );
    },
  );

  it("has the same error by exact arithmetic", () => {
    const steps = gridSteps(targets.cube, 0.3);
    const { lower, upper } = supDistance(linearPieces(staircase(steps), 0, 1), [0, 0, 0, 1]);
    expect(lower).toEqual(upper);
    expect(toNumber(lower)).toBeCloseTo(staircaseError(steps, targets.cube), 14);
  });
});

describe("variation", () => {
  it("of a sine wave is 4, and its inverse finds the quarters", () => {
    const { total, at } = variation(targets.wave, [0, 1]);
    expect(total).toBeCloseTo(4, 14);
    expect([0.25, 0.5, 0.75].map(at).map((x) => Number(x.toFixed(7)))).toEqual([0.25, 0.5, 0.75]);
    expect(at(0.125)).toBeCloseTo(1 / 12, 12);
  });

  it("skips flat parts", () => {
    const { at } = variation(targets.ramp, [0, 1]);
    for (let k = 1; k < 20; k++) expect(Math.abs(at(k / 20) - 0.5)).toBeLessThan(0.1);
  });
});
