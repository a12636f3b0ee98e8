// Connections that are given or cut: a masked weight is 0 from the first step to the last.
import { describe, expect, it } from "vitest";
import { numbers, type Tensor, tensor } from "../../src/graph/index.ts";
import { createRandom } from "../../src/numbers/random.ts";
import {
  initialNetwork,
  initialState,
  largestWeights,
  masksFromLists,
  masksFromZeros,
  type OptimizerName,
  prune,
  sparsityOf,
  train,
  trainedModel,
  training,
} from "../../src/train/index.ts";

const random = createRandom("masks");
const x = tensor(random.normal(20 * 4), { dims: [20, 4], type: "float32" });
const target = tensor(random.normal(20), { dims: [20, 1], type: "float32" });
const net = initialNetwork("4-6-tanh-1", { seed: 3 });
const lists = {
  "layer1.weight": [
    [0, 1],
    [0, 1],
    [0, 1],
    [2, 3],
    [2, 3],
    [2, 3],
  ],
};
const valuesOf = (graph: typeof net, name: string) => numbers(graph.initializers.get(name) as Tensor);

describe("a given graph of connections", () => {
  it.each([
    ["gd", {}],
    ["momentum", { weightDecay: 0.1 }],
    ["adam", { l1: 0.01, clip: 0.1 }],
    ["adamw", { proximalL1: 0.01, averaging: "mean" as const }],
  ] satisfies [OptimizerName, object][])("holds under %s", async (optimizer, rest) => {
    const masks = masksFromLists(net, lists);
    const options = { loss: "square", optimizer, steps: 15, rate: 0.05, batch: 8, masks, ...rest } as const;
    const { model } = await train(net, { x, target }, options);
    const [mask, before, after] = [
      numbers(masks["layer1.weight"]!),
      valuesOf(net, "layer1.weight"),
      valuesOf(model, "layer1.weight"),
    ];
    mask.forEach((kept, k) => {
      if (kept) expect(after[k]).not.toBe(before[k]);
      else expect(after[k]).toBe(0);
    });
    expect(valuesOf(model, "layer2.weight").every((v) => v !== 0)).toBe(true);
  });

  it("is the training of the smaller network: two halves that do not see each other", async () => {
    // Zeros in the first layer make the outputs those of a network that is written with the same zeros: the gradient of
    // the kept weights does not know of the mask.
    const masks = masksFromLists(net, lists);
    const masked = trainedModel(
      training(net, { loss: "square", masks }),
      initialState(training(net, { loss: "square", masks })),
    );
    const step = { loss: "square", optimizer: "gd", steps: 1, rate: 0.1 } as const;
    const free = (await train(masked, { x, target }, step)).model;
    const held = (await train(net, { x, target }, { ...step, masks })).model;
    const mask = numbers(masks["layer1.weight"]!);
    const [a, b] = [valuesOf(free, "layer1.weight"), valuesOf(held, "layer1.weight")];
    for (const [k, v] of a.entries()) expect(b[k]).toBeCloseTo(mask[k] ? v : 0, 6); // float32, fused in another order
  });

  it("can be read off the zeros of a network", () => {
    const masks = masksFromLists(net, lists);
    const state = initialState(training(net, { loss: "square", masks }));
    const zeros = masksFromZeros(trainedModel(training(net, { loss: "square" }), state));
    expect(Object.keys(zeros)).toEqual(["layer1.weight"]);
    expect(numbers(zeros["layer1.weight"]!)).toEqual(numbers(masks["layer1.weight"]!));
  });

  it.each([
    [{ "layer3.weight": [[0]] }, /no matrix "layer3.weight"/],
    [{ "layer1.weight": [[0]] }, /6 units, but 1 lists/],
    [{ "layer1.weight": [[0], [0], [0], [0], [0], [4]] }, /inputs 0 to 3, and no input 4/],
  ])("%j is refused", (wrong, message) => expect(() => masksFromLists(net, wrong)).toThrow(message));

  it("a mask of another shape or with other numbers is refused", () => {
    const options = (mask: Tensor) => ({ loss: "square", masks: { "layer1.weight": mask } }) as const;
    expect(() => training(net, options(tensor([[1]], { type: "float32" })))).toThrow(/is float32 \[1, 1\]/);
    const halves = tensor(new Float32Array(24).fill(0.5), { dims: [4, 6], type: "float32" });
    expect(() => training(net, options(halves))).toThrow(/other than 0 and 1/);
  });
});

describe("iterative magnitude pruning", () => {
  it("keeps the greatest, by layer or over all, and never brings a cut one back", () => {
    const weights = {
      a: tensor([
        [5, 1],
        [2, 3],
      ]),
      b: tensor([
        [0.5, 0.1],
        [0.2, 9],
      ]),
    };
    const kept = (masks: ReturnType<typeof largestWeights>) =>
      Object.values(masks).map((mask) => Array.from(numbers(mask)));
    expect(kept(largestWeights(weights, 0.5))).toEqual([
      [1, 0, 0, 1],
      [1, 0, 0, 1],
    ]);
    expect(kept(largestWeights(weights, 0.5, { scope: "global" }))).toEqual([
      [1, 0, 1, 1],
      [0, 0, 0, 1],
    ]);
    const masks = {
      a: tensor([
        [0, 1],
        [1, 1],
      ]),
      b: tensor([
        [1, 1],
        [1, 1],
      ]),
    };
    expect(kept(largestWeights(weights, 0.5, { masks }))[0]).toEqual([0, 0, 1, 1]);
  });

  it.each(["magnitude", "random"] as const)(
    "by %s: nested masks, shares of a geometric schedule",
    async (by) => {
      const options = { loss: "square", epochs: 2, rate: 0.05, optimizer: "adam" } as const;
      const rounds = await prune(net, { x, target }, options, { sparsity: 0.8, rounds: 3, by });
      expect(rounds.map((r) => r.sparsity)).toEqual([
        0,
        ...[1, 2, 3].map((r) => 1 - (Math.round(24 * 0.2 ** (r / 3)) + Math.round(6 * 0.2 ** (r / 3))) / 30),
      ]);
      for (const [r, { masks, trained }] of rounds.entries()) {
        if (r < 2) continue;
        for (const [name, mask] of Object.entries(masks)) {
          const [earlier, learned] = [numbers(rounds[r - 1]!.masks[name]!), valuesOf(trained.model, name)];
          numbers(mask).forEach((kept, k) => {
            expect(kept).toBeLessThanOrEqual(earlier[k]!);
            if (!kept) expect(learned[k]).toBe(0);
          });
        }
      }
      expect(sparsityOf(rounds[3]!.masks)).toBe(rounds[3]!.sparsity);
    },
  );

  it("rewinds to the first weights: the ticket trained alone is the last round", async () => {
    const options = { loss: "square", epochs: 3, seed: 2 } as const;
    const rounds = await prune(net, { x, target }, options, { sparsity: 0.5, rounds: 2 });
    const alone = await train(net, { x, target }, { ...options, masks: rounds[2]!.masks });
    expect(valuesOf(alone.model, "layer1.weight")).toEqual(
      valuesOf(rounds[2]!.trained.model, "layer1.weight"),
    );
    const on = await prune(net, { x, target }, options, { sparsity: 0.5, rounds: 2, restart: "continue" });
    expect(valuesOf(on[2]!.trained.model, "layer1.weight")).not.toEqual(
      valuesOf(alone.model, "layer1.weight"),
    );
  });

  it.each([
    [{ sparsity: 1 }, /between 0 and 1, not 1/],
    [{ sparsity: 0.5, rounds: 0 }, /whole number of rounds/],
  ])("%j is refused", async (pruning, message) => {
    await expect(prune(net, { x, target }, { loss: "square", epochs: 1 }, pruning)).rejects.toThrow(message);
  });
});
