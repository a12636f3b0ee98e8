import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import {
  copiesOf,
  copyDistance,
  distinctOrders,
  isNearCopy,
} from "../../src/equivalence/initialization-odds.ts";
import {
  certifiedLogCovering,
  deepLogCovering,
  denseParameterCount,
  leastLogCovering,
  logEffectiveVolume,
  type NetworkClass,
  parameterLipschitz,
  shallowLogCovering,
} from "../../src/generalization/covering.ts";
import { excessRiskBound } from "../../src/generalization/risk-from-covering.ts";
import { greedyCover, packing, tinyDistance, tinyValue } from "../../src/generalization/tiny-class.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { layer, network } from "../../src/networks/layers/layers.ts";
import { logFactorial, logMultisets } from "../../src/numbers/combinatorics.ts";
import { exactFactorial, log10Of } from "../../src/numbers/factorial.ts";
import { createRandom } from "../../src/numbers/random.ts";

const random = createRandom("covering");
const relu = (widths: readonly number[], B = 1): NetworkClass => ({
  widths,
  B,
  inputRadius: 1,
  activation: "relu",
});

describe("logarithms of counts", () => {
  it("of factorials agree with integers", () => {
    for (const n of [0, 1, 2, 10, 63, 64, 65, 128, 1000, 5000])
      expect(logFactorial(n)).toBeCloseTo(log10Of(exactFactorial(n)) * Math.LN10, 8);
    expect(() => logFactorial(-1)).toThrow(/not defined/);
  });

  it("of multisets agree with binomials", () => {
    for (const [n, k] of [
      [1, 5],
      [7, 3],
      [50, 20],
    ] as const) {
      const exact = exactFactorial(n + k - 1) / (exactFactorial(k) * exactFactorial(n - 1));
      expect(logMultisets(n, k)).toBeCloseTo(log10Of(exact) * Math.LN10, 10);
    }
  });
});

describe("covering numbers", () => {
  it("have the values that were worked out elsewhere", () => {
    expect(denseParameterCount([3, 4, 3, 2])).toBe(39);
    expect(shallowLogCovering(relu([10, 128, 1]), 0.01)).toBeCloseTo(21135.7, 1);
    expect(deepLogCovering(relu([10, 32, 32, 1]), 0.1)).toBeCloseTo(25036.1, 1);
    expect(certifiedLogCovering(relu([1, 128, 1]), 0.01).logCovering).toBeCloseTo(3679.25, 1);
    expect(logEffectiveVolume([1, 4, 1], 1)).toBeCloseTo(5.8, 1);
  });

  it("of a class without hidden permutations is the grid's", () => {
    const { logCovering, logGrid } = certifiedLogCovering(relu([2, 1, 1, 1], 0.5), 0.05);
    expect(logCovering).toBeCloseTo(logGrid, 9);
  });

  it.each(["relu", "tanh", "sigmoid"] as const)(
    "rest on a Lipschitz constant that no pair of %s networks exceeds",
    async (activation) => {
      for (let trial = 0; trial < 20; trial++) {
        const widths = [1 + (trial % 3), 1 + (trial % 4), 2, 1];
        const B = [0.3, 1, 2][trial % 3]!;
        const bound = parameterLipschitz({ widths, B, inputRadius: 1, activation });
        // All at +B against all a little smaller is the worst that one can think of; random pairs come along.
        const step = trial % 2 === 0 ? 1e-3 * B : 0;
        const theta = (shift: number) => () => (step ? B - shift : B * (2 * random.uniform() - 1));
        const build = (value: () => number) =>
          network(
            widths.slice(1).map((rows, l) =>
              layer(
                Array.from({ length: rows }, () => Array.from({ length: widths[l]! }, value)),
                Array.from({ length: rows }, value),
              ),
            ),
            { activation: activation === "sigmoid" ? "logistic" : activation },
          );
        const d = widths[0]!;
        const x = tensor(new Float64Array(d).fill(1 / Math.sqrt(d)), { dims: [1, d] });
        const [a, b] = [build(theta(0)), build(theta(step))];
        const difference = Math.abs(
          Number(numbers((await run(a, { x }))["y"]!)[0]) - Number(numbers((await run(b, { x }))["y"]!)[0]),
        );
        expect(difference).toBeLessThanOrEqual(bound * (step || 2 * B) * (1 + 1e-9));
        if (step && activation === "relu") expect(difference).toBeGreaterThan(0.5 * bound * step);
      }
    },
  );

  it("of tiny classes lie between packing and cover", () => {
    const tiny = { units: 1, B: 1, inputRadius: 1 };
    const [apart, cover] = [packing(tiny, 1, 2000, random), greedyCover(tiny, 1)];
    expect(apart.length).toBeGreaterThan(1);
    expect(apart.length).toBeLessThanOrEqual(cover.size);
    expect(Math.log(cover.size)).toBeLessThanOrEqual(certifiedLogCovering(relu([1, 1, 1]), 0.5).logCovering);
    expect(leastLogCovering(relu([1, 1, 1]), 1)).toBeLessThanOrEqual(Math.log(cover.size));
  });

  it("measure distances between kinks exactly", () => {
    for (let trial = 0; trial < 100; trial++) {
      const [s, t] = [random.normal(7), random.normal(7)];
      const exact = tinyDistance(s, t, 1);
      let seen = 0;
      for (let k = 0; k <= 1000; k++) {
        const x = -1 + k / 500;
        seen = Math.max(seen, Math.abs(tinyValue(s, x) - tinyValue(t, x)));
      }
      expect(exact).toBeGreaterThanOrEqual(seen - 1e-12);
      expect(exact).toBeLessThanOrEqual(seen + 0.1);
    }
  });
});

describe("what follows from them", () => {
  it("an excess risk says when it is vacuous", () => {
    const options = { M: 1, lipschitz: 1, delta: 0.05 };
    expect(excessRiskBound(() => 10, { ...options, n: 10 }).vacuous).toBe(true);
    const { value, vacuous } = excessRiskBound(() => 10, { ...options, n: 1e6 });
    expect(vacuous).toBe(false);
    expect(value).toBeCloseTo(2 * Math.sqrt((Math.log(2) + 10 + Math.log(20)) / 2e6), 6);
  });

  it("copies of a solution are found in any order", () => {
    const rows = Array.from({ length: 4 }, () => random.uniform(3));
    expect(distinctOrders(rows)).toBe(24);
    expect(isNearCopy([rows[2]!, rows[0]!, rows[3]!, rows[1]!], rows, 1e-9)).toBe(true);
    expect(isNearCopy([rows[2]!, rows[0]!, rows[3]!, rows[3]!], rows, 1e-9)).toBe(false);
    const deep = copiesOf([
      { W: [[1], [1], [2]], b: [0, 0, 0] },
      {
        W: [
          [1, 2, 3],
          [4, 5, 6],
        ],
        b: [0, 0],
      },
      { W: [[1, 2]], b: [0] },
    ]);
    expect(deep).toHaveLength(3 * 2);
    expect(copyDistance(deep[0]!, deep[1]!)).toBeGreaterThanOrEqual(1);
  });
});
