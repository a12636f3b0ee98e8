import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readModel } from "../../src/graph/onnx/index.ts";
import { cast, numbers, tensor } from "../../src/graph/tensor.ts";
import { measureModel } from "../../src/measures/measure-model.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { initialNetwork } from "../../src/train/network.ts";
import { train } from "../../src/train/train.ts";

const random = createRandom("models");
const shared = fileURLToPath(new URL("../../../../../shared/models/", import.meta.url));

describe.skipIf(!existsSync(shared))("networks that others have trained", () => {
  it.each([
    ["Convnet_maxpool", [1, 28, 28], 2],
    ["resnet_2b", [3, 32, 32], 8],
    ["mnist-net_256x2", [784], 3],
  ] as const)("%s", async (name, dims, layers) => {
    const net = readModel(readFileSync(`${shared}${name}.onnx`));
    const x = cast(
      tensor(random.uniform(12 * dims.reduce<number>((p, q) => p * q, 1)), { dims: [12, ...dims] }),
      "float32",
    );
    const m = await measureModel(net, {
      data: {
        x,
        y: tensor(
          Array.from({ length: 12 }, (_, k) => k % 10),
          { type: "int64" },
        ),
      },
      sharpnessExamples: 0,
    });
    expect(m.layers).toHaveLength(layers);
    expect(m.unreadLayers).toEqual([]);
    for (const { spectral } of m.layers) {
      expect(spectral.upper).toBeGreaterThanOrEqual(spectral.value * (1 - 1e-12));
      expect(spectral.upper).toBeLessThan(1.1 * spectral.value);
    }
    expect(m.lipschitzLower!).toBeLessThanOrEqual(m.lipschitzUpper!);
    expect(m.pathNorm2!).toBeLessThanOrEqual(m.pathNorm1!);
  });
});

describe("networks that this library trains", () => {
  it("a convolutional one with a skip: every named measure has its value", async () => {
    const start = initialNetwork("1x6x6-conv4k3p1-relu-residual(conv4k3p1-relu)-maxpool2-flatten-2", {
      seed: 1,
    });
    const n = 48;
    const x = cast(tensor(random.normal(n * 36), { dims: [n, 1, 6, 6] }), "float32");
    const y = tensor(
      Array.from({ length: n }, (_, k) => (numbers(x)[36 * k + 14]! + numbers(x)[36 * k + 15]! > 0 ? 1 : 0)),
      { type: "int64" },
    );
    const data = { x, target: y };
    const options = { loss: "cross-entropy", optimizer: "adam", rate: 0.01, batch: 16 } as const;
    const [first, last] = [
      await train(start, data, { ...options, epochs: 1 }),
      await train(start, data, { ...options, epochs: 80 }),
    ];
    const m = await measureModel(last.model, {
      data: { x, y },
      initial: start,
      history: { losses: last.losses, afterFirstEpoch: first.model },
      sharpness: { draws: 2, ascentSteps: 2 },
    });
    expect(m.trainError).toBe(0);
    expect(m.layers.map((l) => l.kind)).toEqual(["convolution", "convolution", "dense"]);
    expect(m.reasons).toEqual({});
    const missing = m.named.filter((each) => each.value === undefined);
    expect(missing.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([]);
    const distance = Math.sqrt(m.layers.reduce((sum, l) => sum + l.fromInitial!.frobenius ** 2, 0));
    expect(distance).toBeLessThanOrEqual(m.distanceFromInitial! * (1 + 1e-9)); // biases are not among the layers
    for (const { fromInitial } of m.layers) expect(fromInitial!.spectral).toBeGreaterThan(0);
  });
});
