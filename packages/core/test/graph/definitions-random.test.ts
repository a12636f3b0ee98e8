// Random attributes: what the definitions compute in f64 is what the runtime's kernels compute in f32.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { OperatorName } from "../../src/graph/operators/index.ts";
import { elementCount, type Tensor, tensor } from "../../src/graph/tensor.ts";
import {
  batchAs,
  errorBeside1,
  f32Rounding,
  inFloat64,
  relativeError,
  runOnce,
} from "./definitions-runtime.ts";
import { feedsOf, graphOfCase, type OperatorCase, ramp, runGraph } from "./operators-runtime.ts";

const seed = 20240607;

async function expectSame(
  op: OperatorName,
  usage: OperatorCase,
  batchAxis = 0,
  error: (a: Tensor, b: Tensor) => number = relativeError,
): Promise<void> {
  const expected = await runGraph(graphOfCase(op, usage), feedsOf(usage));
  const wide = inFloat64(op, usage);
  const written = graphOfCase(op, wide, batchAs("N", batchAxis));
  const results = await runOnce(written, wide);
  for (const [name, value] of expected) {
    expect(results[name]!.type).toBe("float64");
    expect(error(results[name]!, value), name).toBeLessThanOrEqual(f32Rounding);
  }
}

const integer = (min: number, max: number) => fc.integer({ min, max });

/** One axis of windows that fits its input. */
const axis = (maxDilation: number) =>
  fc
    .record({
      kernel: integer(1, 3),
      stride: integer(1, 3),
      dilation: integer(1, maxDilation),
      more: integer(0, 4),
    })
    .chain((a) => {
      const span = (a.kernel - 1) * a.dilation + 1;
      // Pooling refuses padding as large as the kernel.
      const pad = integer(0, a.kernel - 1);
      return fc.record({ begin: pad, end: pad }).map((p) => ({ ...a, ...p, span, size: span + a.more }));
    });
type Axis = typeof axis extends (n: number) => fc.Arbitrary<infer A> ? A : never;

const axes = (maxDilation: number) => fc.array(axis(maxDilation), { minLength: 1, maxLength: 3 });
const autoPad = fc.constantFrom("NOTSET", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER");
/** The runtime refuses dilated windows with automatic padding. */
const placed = fc.oneof(
  fc.record({ axes: axes(2), auto_pad: fc.constantFrom("NOTSET", "VALID") }),
  fc.record({ axes: axes(1), auto_pad: autoPad }),
);

const placement = (list: readonly Axis[], auto_pad: string) => ({
  auto_pad,
  strides: list.map((a) => a.stride),
  dilations: list.map((a) => a.dilation),
  ...(auto_pad === "NOTSET" ? { pads: [...list.map((a) => a.begin), ...list.map((a) => a.end)] } : {}),
});

const channels = fc.record({
  batch: integer(1, 3),
  group: integer(1, 3),
  inputs: integer(1, 2),
  outputs: integer(1, 2),
  bias: fc.boolean(),
});

describe("random attributes", () => {
  it("Conv", () =>
    fc.assert(
      fc.asyncProperty(
        channels,
        placed,
        async ({ batch, group, inputs, outputs, bias }, { axes, auto_pad }) => {
          const x = ramp([batch, inputs * group, ...axes.map((a) => a.size)]);
          const weights = ramp([outputs * group, inputs, ...axes.map((a) => a.kernel)]);
          await expectSame("Conv", {
            inputs: [x, weights, ...(bias ? [ramp([outputs * group])] : [])],
            attributes: { group, ...placement(axes, auto_pad) },
          });
        },
      ),
      { seed, numRuns: 120 },
    ));

  it("ConvTranspose", () =>
    fc.assert(
      fc.asyncProperty(
        channels,
        placed,
        fc.boolean(),
        integer(0, 2),
        async ({ batch, group, inputs, outputs, bias }, { axes, auto_pad }, stated, more) => {
          // With automatic padding the output has stride * size positions; the runtime gives fewer for a small window.
          fc.pre(!auto_pad.startsWith("SAME") || axes.every((a) => a.stride <= a.span));
          const x = ramp([batch, inputs * group, ...axes.map((a) => a.size)]);
          const weights = ramp([inputs * group, outputs, ...axes.map((a) => a.kernel)]);
          const attributes = placement(axes, auto_pad);
          const output_padding = axes.map((a) => Math.min(more, a.stride - 1));
          const output_shape = axes.map((a) => a.stride * (a.size - 1) + a.span - Math.min(more, a.span - 1));
          await expectSame("ConvTranspose", {
            inputs: [x, weights, ...(bias ? [ramp([outputs * group])] : [])],
            attributes: {
              group,
              ...attributes,
              ...(stated ? { output_shape } : auto_pad.startsWith("SAME") ? {} : { output_padding }),
            },
          });
        },
      ),
      { seed, numRuns: 120 },
    ));

  it("AveragePool and LpPool", () =>
    fc.assert(
      fc.asyncProperty(
        placed,
        fc.record({ ceil_mode: integer(0, 1), count_include_pad: integer(0, 1), p: integer(1, 3) }),
        async ({ axes, auto_pad }, { ceil_mode, count_include_pad, p }) => {
          const x = ramp([2, 3, ...axes.map((a) => a.size)]);
          const attributes = {
            kernel_shape: axes.map((a) => a.kernel),
            ceil_mode,
            ...placement(axes, auto_pad),
          };
          await expectSame("AveragePool", { inputs: [x], attributes: { ...attributes, count_include_pad } });
          await expectSame("LpPool", { inputs: [x], attributes: { ...attributes, p } });
        },
      ),
      { seed, numRuns: 120 },
    ));
});

/** A ramp around 0. */
const around0 = (dims: readonly number[], scale = 1): Tensor => {
  const { data } = ramp(dims);
  return tensor(
    Array.from(data as Float32Array, (v) => Math.fround(scale * (v - 0.5))),
    { type: "float32", dims },
  );
};

const activationNames = [
  "Tanh",
  "Sigmoid",
  "Relu",
  "Affine",
  "LeakyRelu",
  "ThresholdedRelu",
  "ScaledTanh",
  "HardSigmoid",
  "Elu",
  "Softsign",
  "Softplus",
];
const parametersOf: Readonly<Record<string, readonly [number?, number?]>> = {
  Affine: [0.8, 0.1],
  LeakyRelu: [0.2],
  ThresholdedRelu: [0.3],
  ScaledTanh: [0.9, 0.7],
  HardSigmoid: [0.3, 0.4],
  Elu: [0.6],
};

const layer = fc.record({
  steps: integer(1, 4),
  batch: integer(1, 3),
  features: integer(1, 3),
  units: integer(1, 4),
  direction: fc.constantFrom("forward", "reverse", "bidirectional"),
  bias: fc.boolean(),
  lengths: fc.boolean(),
  initial: fc.boolean(),
  peepholes: fc.boolean(),
  flag: integer(0, 1),
  clip: fc.option(fc.constantFrom(0.25, 0.5, 2), { nil: undefined }),
  activations: fc.option(fc.array(fc.constantFrom(...activationNames), { minLength: 6, maxLength: 6 }), {
    nil: undefined,
  }),
});
type Layer = typeof layer extends fc.Arbitrary<infer L> ? L : never;

function recurrentCase(op: "RNN" | "GRU" | "LSTM", l: Layer): OperatorCase {
  const [gates, perDirection] = { RNN: [1, 1], GRU: [3, 2], LSTM: [4, 3] }[op] as [number, number];
  const directions = l.direction === "bidirectional" ? 2 : 1;
  const activations = l.activations?.slice(0, perDirection * directions);
  const parameters = activations?.map((name) => parametersOf[name] ?? []) ?? [];
  const lengths = tensor(
    Array.from({ length: l.batch }, (_, k) => 1 + ((k + 1) % l.steps)),
    { type: "int32" },
  );
  const state = around0([directions, l.batch, l.units]);
  const inputs: (Tensor | "")[] = [
    around0([l.steps, l.batch, l.features], 2),
    around0([directions, gates * l.units, l.features], 2),
    around0([directions, gates * l.units, l.units], 2),
    l.bias ? around0([directions, 2 * gates * l.units]) : "",
    l.lengths ? lengths : "",
    l.initial ? state : "",
  ];
  if (op === "LSTM")
    inputs.push(
      l.initial ? { ...state, data: (state.data as Float32Array).toReversed() } : "",
      l.peepholes ? around0([directions, 3 * l.units]) : "",
    );
  return {
    inputs,
    outputs: op === "LSTM" ? 3 : 2,
    attributes: {
      hidden_size: l.units,
      direction: l.direction,
      clip: l.clip,
      activations,
      activation_alpha: activations && parameters.flatMap(([alpha]) => alpha ?? []),
      activation_beta: activations && parameters.flatMap(([, beta]) => beta ?? []),
      ...(op === "GRU" ? { linear_before_reset: l.flag } : {}),
      ...(op === "LSTM" ? { input_forget: l.flag } : {}),
    },
  };
}

// The runtime's recurrent kernels approximate tanh and others to a unit or two of 1, not of their value.
describe("random recurrent layers", () => {
  it.each(["RNN", "GRU", "LSTM"] as const)("%s", (op) =>
    fc.assert(
      fc.asyncProperty(layer, (l) => expectSame(op, recurrentCase(op, l), 1, errorBeside1)),
      { seed, numRuns: 120 },
    ),
  );

  it.each(["RNN", "GRU", "LSTM"] as const)("%s with the batch first", async (op) => {
    const usage = inFloat64(
      op,
      recurrentCase(op, {
        ...fc.sample(layer, { seed, numRuns: 1 })[0]!,
        steps: 3,
        batch: 2,
        units: 4,
        initial: true,
      }),
    );
    const { inputs } = usage;
    const turned = inputs.map((t, k) => (t !== "" && [0, 5, 6].includes(k) ? swapFirstTwo(t) : t));
    const plain = await runOnce(graphOfCase(op, usage), usage);
    const other = { ...usage, inputs: turned, attributes: { ...usage.attributes, layout: 1 } };
    const batchFirst = await runOnce(graphOfCase(op, other), other);
    expect(relativeError(batchFirst.y1!, swapFirstTwo(plain.y1!))).toBe(0);
  });
});

function swapFirstTwo({ type, dims, data }: Tensor): Tensor {
  const [a, b, ...rest] = dims as [number, number, ...number[]];
  const block = elementCount(rest);
  const source = data as Float64Array;
  const swapped = new Float64Array(source.length);
  for (let i = 0; i < a; i++)
    for (let j = 0; j < b; j++)
      swapped.set(source.subarray((i * b + j) * block, (i * b + j + 1) * block), (j * a + i) * block);
  return { type, dims: [b, a, ...rest], data: swapped };
}
