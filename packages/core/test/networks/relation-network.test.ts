import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { readModel, writeModel } from "../../src/graph/onnx/index.ts";
import { numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import {
  describedRelationNetwork,
  drawRelationNetwork,
  relationNetwork,
} from "../../src/networks/relation-network.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { trainableWeights } from "../../src/train/weights.ts";

const small = {
  ...describedRelationNetwork,
  side: 47,
  kernels: 3,
  embedding: 4,
  units: 5,
  width: 6,
  answers: 4,
};
const random = createRandom("relation network");
const image = (count: number): Tensor =>
  tensor(random.uniform(count * 3 * 47 ** 2), { type: "float32", dims: [count, 3, 47, 47] });
const list = (t: Tensor): number[] => Array.from(numbers(t));

describe("the relation network", () => {
  it.each([false, true])(
    "takes several images and questions at a time (coordinates: %s)",
    async (coordinates) => {
      const options = { ...small, coordinates };
      const net = relationNetwork(options, drawRelationNetwork(options, random));
      const [images, words] = [
        image(2),
        [
          [1, 2, 3],
          [79, 0, 5],
        ],
      ];
      const both = await run(net, { image: images, question: tensor(words, { type: "int64" }) });
      for (const n of [0, 1]) {
        const size = 3 * 47 ** 2;
        const one = tensor(list(images).slice(n * size, (n + 1) * size), {
          type: "float32",
          dims: [1, 3, 47, 47],
        });
        const { scores } = await run(net, { image: one, question: tensor([words[n]!], { type: "int64" }) });
        list(scores).forEach((v, k) => {
          expect(list(both.scores)[4 * n + k]).toBeCloseTo(v, 2);
        });
      }
    },
  );

  it("tells each object its column and its row", async () => {
    const options = { ...small, coordinates: true };
    const net = relationNetwork(options, drawRelationNetwork(options, random));
    const { objects } = await run(net, { image: image(1), question: tensor([[1]], { type: "int64" }) });
    expect(objects.dims).toEqual([1, 4, 5]);
    const places = [0, 1, 2, 3].map((o) => list(objects).slice(5 * o + 3, 5 * o + 5));
    expect(places).toEqual([
      [-1, -1],
      [1, -1],
      [-1, 1],
      [1, 1],
    ]);
  });

  it("has no places among its weights, and is an ONNX file like any other", async () => {
    const options = { ...small, coordinates: true };
    const net = relationNetwork(options, drawRelationNetwork(options, random));
    expect(trainableWeights(net)).not.toContain("places");
    const inputs = { image: image(1), question: tensor([[7, 8]], { type: "int64" }) };
    const again = await run(readModel(writeModel(net)), inputs);
    expect(list(again["scores"]!)).toEqual(list((await run(net, inputs)).scores));
  });
});
