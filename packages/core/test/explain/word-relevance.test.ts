// The batch agrees with the methods that explain one example at a time.
import { describe, expect, it } from "vitest";
import { explain } from "../../src/explain/index.ts";
import { perWord, wordGradientTimesInput, wordOcclusion } from "../../src/explain/word-relevance.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import { numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import { drawnWeights, questionShapes, read } from "../../src/networks/relation-network.ts";
import { createRandom } from "../../src/numbers/random.ts";

const [questions, steps, embedding, units] = [3, 4, 3, 5];
const random = createRandom("words");
const weights = drawnWeights(questionShapes({ vocabulary: 2, embedding, units }), random, "float64");
const last = tensor(random.normal(units * 4), { type: "float64", dims: [4, units] });
const net = graph({ words: float64("N", steps, embedding) }, ({ words }) => ({
  scores: read(words, weights).affine(last),
}));
const model = { graph: net, words: "words", scores: "scores" };
const size = steps * embedding;
const words = tensor(random.normal(questions * size), {
  type: "float64",
  dims: [questions, steps, embedding],
});
const question = (n: number): Tensor =>
  tensor(Array.from(numbers(words)).slice(n * size, (n + 1) * size), {
    type: "float64",
    dims: [1, steps, embedding],
  });

describe("the relevance of words, question by question", () => {
  it.each([
    ["gradient-x-input", wordGradientTimesInput, {}],
    ["occlusion", wordOcclusion, { probability: true }],
  ] as const)("by %s", async (method, inBatch, options) => {
    const found = await inBatch(model, { words });
    for (let n = 0; n < questions; n++) {
      const one = await explain(net, { words: question(n) }, { method, ...options });
      const [expected] = perWord(one.relevance.get("words")!);
      found[n]!.forEach((v, t) => {
        expect(v).toBeCloseTo(expected![t]!, 10);
      });
    }
  });
});
