import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { targets } from "../../src/networks/spline/target.ts";
import {
  expectedSquaredError,
  infiniteNetwork,
  inputLaws,
  sampledNetwork,
  sampledSteps,
  sampleThresholds,
  squaredError,
} from "../../src/networks/threshold/sample.ts";
import { staircaseError } from "../../src/networks/threshold/staircase.ts";
import { gridIndicator, hardThreshold } from "../../src/networks/threshold/threshold.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { evaluate, linearPieces } from "../../src/passes/pieces.ts";

describe("hard threshold", () => {
  it("is 0 up to -e, 1 from e on, and 1/2 at 0", () => {
    const step = linearPieces(hardThreshold(0.25), -1, 1);
    expect(step).toEqual({ knots: [-1, -0.25, 0.25, 1], values: [0, 0, 1, 1] });
    expect(evaluate(step, 0)).toBe(0.5);
  });

  it("refuses widths whose inverse overflows", () => {
    expect(() => hardThreshold(2 ** -1074)).toThrow(/no double holds: use fixed point/);
    expect(() => hardThreshold(0)).toThrow(/must be positive/);
  });

  it("makes indicators that are exact on the grid", async () => {
    const xs = Array.from({ length: 33 }, (_, k) => (k - 16) / 8);
    const { y } = await run(gridIndicator(-0.5, 1, 1 / 8), { x: tensor(xs.map((x) => [x])) });
    expect(Array.from(numbers(y!))).toEqual(xs.map((x) => (x >= -0.5 && x < 1 ? 1 : 0)));
    expect(() => gridIndicator(0, 0.05, 1 / 8)).toThrow(/narrower than the spacing/);
  });
});

describe("sampled thresholds", () => {
  it("have the expected squared error of the catalogue: (8 - 1/2) / 10 for a sine wave", () => {
    expect(expectedSquaredError(targets.wave, 10, inputLaws.uniform)).toBeCloseTo(0.75, 13);
    const random = createRandom(7);
    const errors = Array.from({ length: 400 }, () =>
      squaredError(
        inputLaws.uniform,
        sampledSteps(targets.wave, sampleThresholds(targets.wave, 10, random)),
        targets.wave,
      ),
    );
    expect(errors.reduce((a, b) => a + b) / 400).toBeCloseTo(0.75, 0);
  });

  it("come from a network of infinite width that is g - g(0)", () => {
    for (const x of [0, 0.1, 0.5, 1])
      expect(infiniteNetwork(targets.sine, x)).toBeCloseTo(Math.sin(3 * x), 13);
  });

  it("make a network whose values are the steps", async () => {
    const sample = sampleThresholds(targets.wave, 20, createRandom(3));
    const steps = sampledSteps(targets.wave, sample);
    const { y } = await run(sampledNetwork(targets.wave, sample), {
      x: tensor(steps.thresholds.map((b) => [b])),
    });
    numbers(y!).forEach((value, k) => {
      expect(value).toBeCloseTo(steps.levels[k]!, 13);
    });
    expect(staircaseError(steps, targets.wave)).toBeGreaterThan(0.1);
  });

  it("are exact at x = 1 for a monotone function", () => {
    const sample = sampleThresholds(targets.square, 5, createRandom(1));
    expect(squaredError(inputLaws.end, sampledSteps(targets.square, sample), targets.square)).toBeCloseTo(
      0,
      20,
    );
    expect(() => sampleThresholds(targets.square, 0, createRandom(1))).toThrow(/at least 1, not 0/);
  });
});
