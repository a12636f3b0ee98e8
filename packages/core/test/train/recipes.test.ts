// The recipes as the book prints them (chapter 2, appendix B, MNIST): a crop of side 25 has the same number of weights.
import { describe, expect, it } from "vitest";
import { recipes } from "../../src/train/spec/recipes.ts";

describe("recipes", () => {
  it("are those of the text", () => {
    const rest = "conv32k5-maxpool2-relu-conv32k5-maxpool2-relu-flatten-1024-relu-10"; // 5 x 5, 32 channels, twice; 1024; 10
    expect([recipes["darc-mnist"].network, recipes["darc-mnist-crop"].network]).toEqual([
      `1x28x28-${rest}`,
      `1x24x24-${rest}`, // "a random crop with size 24"
    ]);
    for (const { options, rate, epochs } of Object.values(recipes))
      expect({ options, rate, epochs }).toEqual({
        options: { loss: "cross-entropy", optimizer: "momentum", momentum: 0.5, batch: 64 },
        ...{ rate: 0.01, epochs: 1000 },
      });
  });
});
