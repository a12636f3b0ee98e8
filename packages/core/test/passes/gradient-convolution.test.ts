// Gradients of convolutions against central differences, for any strides, dilations, padding and groups.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { float32, float64, graph } from "../../src/graph/builder.ts";
import { numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import { gradient } from "../../src/passes/gradient.ts";
import type { OperatorCase } from "../graph/operators-runtime.ts";
import { ramp } from "../graph/operators-runtime.ts";
import { randomTensor } from "./gradient-check.ts";
import { anyBatch, checkOperators, checkTwice, errorOfCase } from "./gradient-layers.ts";
import { autoPad, type Windows, windows } from "./gradient-windows.ts";

checkOperators(["Conv", "ConvTranspose"]);
checkTwice(["Conv", "ConvTranspose"], 3);

interface Convolution extends Windows {
  readonly group: number;
  readonly inputs: number;
  readonly outputs: number;
  readonly bias: boolean;
  readonly auto_pad: string;
  readonly batch: number;
  readonly symbolic: boolean;
}

const convolutions: fc.Arbitrary<Convolution> = fc
  .record({
    windows: windows(3),
    group: fc.integer({ min: 1, max: 2 }),
    inputs: fc.integer({ min: 1, max: 7 }),
    outputs: fc.integer({ min: 1, max: 7 }),
    bias: fc.boolean(),
    auto_pad: autoPad,
    batch: fc.integer({ min: 1, max: 2 }),
    symbolic: fc.boolean(),
  })
  .map(({ windows, ...rest }) => ({ ...windows, ...rest }));

const attributesOf = ({ strides, dilations, pads, group, auto_pad }: Convolution) =>
  auto_pad === "NOTSET"
    ? { strides, dilations, pads, group }
    : // ONNX Runtime pads to the same size only without dilations.
      { strides, group, auto_pad, ...(auto_pad === "VALID" ? { dilations } : {}) };

const options = { numRuns: 60, seed: 4 };

describe("any attributes", () => {
  it("Conv", async () => {
    await fc.assert(
      fc.asyncProperty(convolutions, async (c) => {
        const channels = c.group * c.inputs;
        const given: OperatorCase = {
          inputs: [
            ramp([c.batch, channels, ...c.sizes]),
            ramp([c.group * c.outputs, c.inputs, ...c.kernel]),
            ...(c.bias ? [ramp([c.group * c.outputs])] : []),
          ],
          attributes: attributesOf(c),
        };
        expect(await errorOfCase("Conv", given, c.symbolic ? anyBatch : undefined)).toBeLessThan(1e-6);
      }),
      options,
    );
  });

  it("ConvTranspose", async () => {
    await fc.assert(
      fc.asyncProperty(convolutions, fc.nat(2), fc.option(fc.nat(2)), async (c, beyond, growth) => {
        const output_padding = c.strides.map((s) => Math.min(beyond, s - 1));
        const full = c.kernel.map(
          (k, a) => c.strides[a]! * (c.sizes[a]! - 1) + (k - 1) * c.dilations[a]! + 1,
        );
        const output_shape =
          growth === null ? {} : { output_shape: full.map((n) => Math.max(1, n - growth)) };
        const given: OperatorCase = {
          inputs: [
            ramp([c.batch, c.group * c.inputs, ...c.sizes]),
            ramp([c.group * c.inputs, c.outputs, ...c.kernel]),
            ...(c.bias ? [ramp([c.group * c.outputs])] : []),
          ],
          attributes: {
            ...attributesOf(c),
            output_padding,
            ...(c.auto_pad === "NOTSET" ? output_shape : {}),
          },
        };
        expect(await errorOfCase("ConvTranspose", given, c.symbolic ? anyBatch : undefined)).toBeLessThan(
          1e-6,
        );
      }),
      options,
    );
  });
});

const inFloat32 = (t: Tensor): Tensor => ({
  type: "float32",
  dims: t.dims,
  data: Float32Array.from(numbers(t) as ArrayLike<number>),
});

const network = (type: typeof float64) =>
  graph({ x: type("N", 2, "H", "W"), w: type(4, 1, 3, 2), v: type(4, 3, 2, 2) }, ({ x, w, v }) => ({
    y: x!
      .op("Conv", [w], { group: 2, strides: [2, 1], pads: [1, 0, 0, 1] })
      .relu()
      .op("ConvTranspose", [v], { strides: [1, 2] }),
  }));

it("in f32 with sizes that are known only at run time, the gradients of the same network in f64", async () => {
  const fixed = graph(
    { x: float64(3, 2, 8, 5), w: float64(4, 1, 3, 2), v: float64(4, 3, 2, 2) },
    (inputs) => inputs.x!.builder.inline(network(float64), inputs) as { y: typeof inputs.x },
  );
  const inputs = {
    x: randomTensor([3, 2, 8, 5], 1),
    w: randomTensor([4, 1, 3, 2], 2),
    v: randomTensor([4, 3, 2, 2], 3),
  };
  const exact = await run(gradient(fixed, { unitSeeds: true }), inputs);
  const found = await run(
    gradient(network(float32), { unitSeeds: true }),
    Object.fromEntries(Object.entries(inputs).map(([name, t]) => [name, inFloat32(t)])),
  );
  for (const name of ["y", "grad_x", "grad_w", "grad_v"]) {
    const [a, b] = [numbers(found[name]!), numbers(exact[name]!)];
    expect(found[name]!.dims).toEqual(exact[name]!.dims);
    // Sums of at most 1000 products of numbers below 1, in f32.
    for (const [k, value] of Array.from(b).entries()) expect(Math.abs(a[k]! - value)).toBeLessThan(1e-4);
  }
});

it("says which node needs a size that is not known", () => {
  const same = graph({ x: float32("N", 1, "H") }, ({ x }) => ({
    y: x.op("Conv", [randomTensor([1, 1, 3], 1)].map(inFloat32), { strides: [2], auto_pad: "SAME_UPPER" }),
  }));
  expect(() => gradient(same)).toThrow(
    /^Conv node "conv": its padding .* depends on a size that is not known$/,
  );
});

it("in f64, by weights on a batch of any size, the spatial sizes must be known", () => {
  const weights = tensor(new Array(72).fill(0.1), { dims: [2, 4, 3, 3] });
  const net = graph({ x: float64("N", 4, "H", "W") }, ({ x }) => ({
    y: x.op("Conv", [x.builder.weight(weights, "w")]),
  }));
  expect(() => gradient(net, { wrt: "both" })).toThrow(
    /^Conv node "conv": in float64 its derivative by the weights needs channels and spatial sizes that are numbers$/,
  );
  expect(() => gradient(net)).not.toThrow();
});
