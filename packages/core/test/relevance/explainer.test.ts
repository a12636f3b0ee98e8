// An explainer says of each input what `explain` says of it alone.
import { describe, expect, it } from "vitest";
import { explain } from "../../src/explain/explain.ts";
import { explainer } from "../../src/explain/explainer.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { initialNetwork } from "../../src/train/network.ts";

const network = initialNetwork("1x8x8-conv3k3-relu-flatten-4", { seed: 3 });
const random = createRandom("explainer");
const { name } = network.inputs[0]!;
const image = () => ({ [name]: tensor([...random.normal(64)], { type: "float32", dims: [1, 1, 8, 8] }) });

describe("an explainer", () => {
  for (const options of [
    { composite: "uniform(gamma=0.25)" },
    { composite: "epsilon-gamma-box", target: { kind: "contrast", index: 1, against: 2 } },
    { composite: "montavon", bounds: { low: -3, high: 3 } },
    { method: "gradient-x-input", target: { kind: "class", index: 2 } },
  ] as const)
    it(`agrees with explain: ${JSON.stringify(options)}`, async () => {
      const many = await explainer(network, image(), options);
      for (let k = 0; k < 3; k++) {
        const inputs = image();
        const [found, wanted] = [await many.explain(inputs), await explain(network, inputs, options)];
        expect(found.scores).toEqual(wanted.scores);
        expect(found.notes).toEqual(wanted.notes);
        expect(numbers(found.relevance.get(name)!)).toEqual(numbers(wanted.relevance.get(name)!));
      }
      await many.release();
    });

  it("tells the scores of all classes", async () => {
    const inputs = image();
    const { allScores, classes, scores } = await explain(network, inputs);
    expect(allScores[0]).toHaveLength(4);
    expect(allScores[0]![classes[0]!]).toBe(Math.max(...allScores[0]!));
    expect(scores[0]).toBe(allScores[0]![classes[0]!]);
    const slope = await explain(network, inputs, { method: "gradient" });
    slope.allScores[0]!.forEach((v, k) => {
      expect(v).toBeCloseTo(allScores[0]![k]!, 6);
    });
  });
});
