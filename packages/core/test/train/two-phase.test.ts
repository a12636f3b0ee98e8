// Frozen gates and two-phase training where lemmata do not look: pooling, other networks' gates, wrong input.
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { frozenGates } from "../../src/train/frozen-gates.ts";
import { initialNetwork } from "../../src/train/network.ts";
import { trainTwoPhases } from "../../src/train/two-phase.ts";

const spec = "1x8x8-conv2k3-maxpool2-relu-flatten-4-relu-3";
const images = tensor(
  Array.from({ length: 5 * 64 }, (_, k) => Math.sin(k * k)),
  { dims: [5, 1, 8, 8] },
);
const outputs = async (model: Graph): Promise<readonly number[]> =>
  Array.from(numbers((await run(model, { x: images })).y!));

describe("frozen gates", () => {
  it("scale with the weights, which a network with its own gates does not where a sign changes", async () => {
    const net = initialNetwork(spec, { seed: 1, type: "float64" });
    const first = net.initializers.get("layer1.weight")!;
    const negated = tensor(
      Array.from(numbers(first as never), (v) => -Number(v)),
      { dims: first.dims },
    );
    const turned = { ...net, initializers: new Map(net.initializers).set("layer1.weight", negated) };
    const bias = net.initializers.get("layer1.bias")!;
    expect(numbers(bias as never).every((v) => v === 0)).toBe(true);
    const [plain, frozen] = [await outputs(net), await outputs(frozenGates(turned, { gates: net }))];
    plain.forEach((v, k) => {
      expect(frozen[k]).toBeCloseTo(-v, 12); // all biases are 0: the sign goes through
    });
    expect(await outputs(turned)).not.toEqual(frozen);
  });

  it("are frozen once, and belong to a network of the same architecture that has some", () => {
    const net = initialNetwork(spec, { seed: 1 });
    expect(() => frozenGates(frozenGates(net))).toThrow("has frozen gates already");
    expect(() => frozenGates(net, { gates: initialNetwork("2-3-relu-1", { seed: 1 }) })).toThrow(
      "no two sets of weights of one network",
    );
    expect(() => frozenGates(initialNetwork("2-3-tanh-1", { seed: 1 }))).toThrow("no Relu and no MaxPool");
  });
});

describe("two phases", () => {
  it("the first sees the first examples alone, the second all", async () => {
    const net = initialNetwork("1-6-relu-1", { seed: 1, type: "float64" });
    const x = tensor([[1], [2], [3], [4]]);
    const learn = (last: number, second = 0) =>
      trainTwoPhases(
        net,
        { x, target: tensor([[1], [second], [2], [last]]) },
        { loss: "square", optimizer: "gd", rate: 0.01, steps: 5, alpha: 0.75 },
      );
    const [a, b] = [await learn(5), await learn(-5)];
    expect(a.first.losses).toEqual(b.first.losses);
    expect(a.second.losses[0]).not.toEqual(b.second.losses[0]);
    expect((await learn(5, 1)).first.losses).not.toEqual(a.first.losses);
  });

  it("the second moves no weight of the gates, not even by decay, and all others", async () => {
    const net = initialNetwork("1-6-relu-3-relu-1", { seed: 1, type: "float64" });
    const { first, second } = await trainTwoPhases(
      net,
      { x: tensor([[1], [-2], [3], [4]]), target: tensor([[1], [0], [2], [5]]) },
      { loss: "square", optimizer: "gd", rate: 0.01, steps: 5, alpha: 0.5, weightDecay: 0.1 },
    );
    const valuesOf = (model: Graph, name: string) =>
      Array.from(numbers(model.initializers.get(name) as never), Number);
    for (const name of first.model.initializers.keys())
      expect(valuesOf(second.model, name)).not.toEqual(valuesOf(first.model, name));
    const gates = [...second.model.initializers.keys()].filter((name) =>
      /^gates\..*(weight|bias)$/.test(name),
    );
    expect(gates.length).toBe(4); // of two layers with gates
    for (const name of gates)
      expect(valuesOf(second.model, name)).toEqual(valuesOf(first.model, name.slice("gates.".length)));
  });

  it("the second goes on from where the first ended", async () => {
    const net = initialNetwork("1-6-relu-1", { seed: 1, type: "float64" });
    const x = tensor([[1], [-2]]);
    const { first, second } = await trainTwoPhases(
      net,
      { x, target: tensor([[1], [3]]) },
      { loss: "square", optimizer: "gd", rate: 0.01, steps: 5, alpha: 0.5 },
    );
    const lossOf = async (model: Graph): Promise<number> => {
      const [a, b] = Array.from(numbers((await run(model, { x })).y!), Number);
      return ((a! - 1) ** 2 + (b! - 3) ** 2) / 2;
    };
    expect(second.losses[0]).toBeCloseTo(await lossOf(first.model), 12);
    expect(second.losses[0]).not.toBeCloseTo(await lossOf(net), 3);
  });

  it("refuses a share without an example", async () => {
    const data = { x: tensor([[1]]), target: tensor([[1]]) };
    const net = initialNetwork("1-2-relu-1", { type: "float64" });
    await expect(trainTwoPhases(net, data, { loss: "square", alpha: 0.5 })).rejects.toThrow("alpha = 0.5");
  });
});
