// Normalizations and soft choices: each output has the shape of its input.
import type { DataType } from "../tensor.ts";
import { broadcast, differ, formatShape, normalizeAxes, normalizeAxis, sameAsFirst } from "./dims.ts";
import { operator } from "./operator.ts";
import { flag, float, type Inferred, int, ints, required, type ShapeContext } from "./spec.ts";

type Inputs = readonly (Inferred | undefined)[];

/** A choice along one axis. */
const alongAxis = operator({
  inputs: [1, 1],
  attributes: { axis: int(-1) },
  shape: ([x], { axis }, context) => {
    if (x?.shape) normalizeAxis(axis, x.shape.length, context);
    return x && { type: x.type, shape: x.shape };
  },
});

/** One parameter for each channel. */
function checkChannels(inputs: Inputs, names: readonly string[], { fail }: ShapeContext): void {
  const x = inputs[0]?.shape;
  if (x && x.length < 2) fail(`needs an input [batch,channels,...], not ${formatShape(x)}`);
  names.forEach((name, k) => {
    const shape = inputs[k + 1]?.shape;
    if (shape && shape.length !== 1) fail(`its ${name} must be a vector, not ${formatShape(shape)}`);
    if (differ(shape?.[0], x?.[1])) fail(`its ${name} has ${shape?.[0]} entries for ${x?.[1]} channels`);
  });
}

export const normalization = {
  BatchNormalization: operator({
    inputs: [5, 5],
    outputs: [1, 3],
    attributes: { epsilon: float(1e-5), momentum: float(0.9), training_mode: flag(0) },
    shape: (inputs, _, context) => {
      checkChannels(inputs, ["scale", "bias", "mean", "variance"], context);
      const channels = inputs[0]?.shape ? [inputs[0].shape[1]] : [undefined];
      const running: Inferred = { type: inputs[3]?.type ?? "undefined", shape: channels };
      return [sameAsFirst(inputs), running, running];
    },
  }),
  InstanceNormalization: operator({
    inputs: [3, 3],
    attributes: { epsilon: float(1e-5) },
    shape: (inputs, _, context) => {
      checkChannels(inputs, ["scale", "bias"], context);
      return sameAsFirst(inputs);
    },
  }),
  /** Opset 18 has one scale for each group, opset 21 one for each channel: both are read. */
  GroupNormalization: operator({
    inputs: [3, 3],
    attributes: { epsilon: float(1e-5), num_groups: required(int()), stash_type: int(1) },
    shape: (inputs, { num_groups }, { fail }) => {
      const channels = inputs[0]?.shape?.[1];
      if (typeof channels === "number" && channels % num_groups !== 0)
        fail(`${channels} channels cannot be split into ${num_groups} groups`);
      return sameAsFirst(inputs);
    },
  }),
  LayerNormalization: operator({
    inputs: [2, 3],
    outputs: [1, 3],
    attributes: { axis: int(-1), epsilon: float(1e-5), stash_type: int(1) },
    shape: (inputs, { axis }, context) => {
      const shape = inputs[0]?.shape;
      const first = shape && normalizeAxis(axis, shape.length, context);
      for (const parameter of inputs.slice(1)) if (shape) broadcast([shape, parameter?.shape], context);
      const statistic: Inferred = {
        type: "float32" as DataType,
        shape: shape?.map((d, k) => (k < first! ? d : 1)),
      };
      return [sameAsFirst(inputs), statistic, statistic];
    },
  }),
  LpNormalization: operator({ ...alongAxis, attributes: { axis: int(-1), p: int(2) } }),
  MeanVarianceNormalization: operator({
    inputs: [1, 1],
    attributes: { axes: ints([0, 2, 3]) },
    shape: (inputs, { axes }, context) => {
      const rank = inputs[0]?.shape?.length;
      if (rank !== undefined) normalizeAxes(axes, rank, context);
      return sameAsFirst(inputs);
    },
  }),
  LRN: operator({
    inputs: [1, 1],
    attributes: { alpha: float(1e-4), beta: float(0.75), bias: float(1), size: required(int()) },
    shape: sameAsFirst,
  }),
  Softmax: alongAxis,
  LogSoftmax: alongAxis,
  Hardmax: alongAxis,
};
