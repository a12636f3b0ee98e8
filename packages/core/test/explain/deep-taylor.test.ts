// One neuron by hand: reference points, messages, and how constant the factor is.
import { describe, expect, it } from "vitest";
import { constancy, type RootRule, taylorStep } from "../../src/explain/deep-taylor.ts";

/** z = 2 * 3 - 1 * 2 - 1 = 3. */
const neuron = { weights: [2, -1], bias: -1 };
const a = [3, 2];

const examples: Readonly<Record<string, readonly [RootRule, readonly number[], readonly number[], number]>> =
  {
    "the origin": [{ kind: "zero" }, [0, 0], [12, -4], -1],
    "delta = 1/4": [{ kind: "epsilon", epsilon: 1 }, [0.75, 0.5], [9, -3], 0],
    "gamma = 1": [{ kind: "gamma", gamma: 1 }, [1.2, 1.4], [7.2, -1.2], 0],
    "positive weights alone": [{ kind: "z-plus" }, [1.5, 2], [6, 0], 0],
    "the nearest": [{ kind: "w-square" }, [1.8, 2.6], [4.8, 1.2], 0],
    "towards the corner": [{ kind: "z-box", low: [0, 0], high: [4, 4] }, [1.875, 2.75], [4.5, 1.5], 0],
  };

describe("the reference point of a neuron", () => {
  it.each(Object.entries(examples))("%s", (_, [rule, root, messages, preActivation]) => {
    const step = taylorStep(neuron, a, 6, rule);
    root.forEach((v, j) => {
      expect(step.root[j]).toBeCloseTo(v, 12);
    });
    messages.forEach((v, j) => {
      expect(step.messages[j]).toBeCloseTo(v, 12);
    });
    expect(step.preActivation).toBeCloseTo(preActivation, 12);
    expect(step.residual + step.messages[0]! + step.messages[1]!).toBeCloseTo(6, 12);
    expect(step.outside).toBeCloseTo(0, 12);
  });

  it("of gamma leaves the quadrant where the bias is positive", () => {
    const { root, outside } = taylorStep({ weights: [1, 0], bias: 1 }, [1, 1], 2, {
      kind: "gamma",
      gamma: 1,
    });
    expect([...root]).toEqual([-1, -1]);
    expect(outside).toBe(1);
  });

  it("is asked of an open neuron", () => {
    expect(() => taylorStep({ weights: [1], bias: -2 }, [1], 1, { kind: "zero" })).toThrow(
      "the neuron is closed (-1)",
    );
  });

  it("is not on a line along which nothing changes", () => {
    expect(() => taylorStep({ weights: [-1], bias: 2 }, [1], 1, { kind: "z-plus" })).toThrow(
      "the pre-activation does not change along the line of z-plus",
    );
  });
});

describe("the factor of a relevance model", () => {
  it("is constant where relevance is proportional", () => {
    const { ofFactor, ofRelevance } = constancy([2, 4, 6], [1, 2, 3]);
    expect(ofFactor).toBe(0);
    expect(ofRelevance).toBeCloseTo(Math.sqrt(8 / 3) / 4, 12);
  });

  it("is asked where the neuron is open", () => {
    expect(constancy([2, 7, 6], [1, 0, 3]).ofFactor).toBe(0);
  });
});
