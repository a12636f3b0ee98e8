// Normalizations: centred and scaled by the statistics of some axes; and soft choices along one.
import { GraphError } from "../error.ts";
import { describe, type Node } from "../graph.ts";
import type { AttributesOf } from "../operators/index.ts";
import { tensor } from "../tensor.ts";
import type { Value } from "../value.ts";
import { type Definition, type Definitions, elementType, fixed, shapeOf } from "./definition.ts";
import { constant, integers, root, where } from "./expression.ts";

interface Statistics {
  readonly mean: Value;
  readonly variance: Value;
  /** x - mean */
  readonly centred: Value;
}

/** Mean and variance along some axes, which are kept as 1. */
function statistics(x: Value, axes: readonly number[]): Statistics {
  const mean = x.mean(axes, 1);
  const centred = x.sub(mean);
  return { mean, variance: centred.mul(centred).mean(axes, 1), centred };
}

const deviation = (variance: Value, epsilon: number): Value => variance.add(epsilon).sqrt();

/** The axes of x from `first` on. */
const axesFrom = (x: Value, first: number, node: Node): readonly number[] =>
  shapeOf(x, node)
    .map((_, k) => k)
    .slice(first);

/** One number for each channel, to be broadcast over [batch, channels, ...]. */
const perChannel = (parameter: Value, x: Value, node: Node): Value =>
  parameter.reshape([1, -1, ...axesFrom(x, 2, node).map(() => 1)]);

const axisOf = (x: Value, axis: number, node: Node): number =>
  axis < 0 ? axis + shapeOf(x, node).length : axis;

const sumAlong = (x: Value, axis: number): Value => x.sum([axis], 1);
const withoutMaximum = (x: Value, axis: number): Value => x.sub(x.op("ReduceMax", [integers([axis])]));

/** 0, 1, 2, ... along one axis of x, as many as it is long. */
function positions(x: Value, axis: number, node: Node): Value {
  const rank = shapeOf(x, node).length;
  const size = shapeOf(x, node)[axis];
  const dims = Array.from({ length: rank }, (_, k) => (k === axis ? -1 : 1));
  if (typeof size === "number") return x.builder.weight(integers([...Array(size).keys()])).reshape(dims);
  const length = x.op("Shape", [], { start: axis, end: axis + 1 }).reshape([]);
  const [zero, one] = [tensor([0], { type: "int64", dims: [] }), tensor([1], { type: "int64", dims: [] })];
  return x.builder.apply("Range", [zero, length, one])[0]!.reshape(dims);
}

function layerNormalization(
  [x, scale, bias]: readonly (Value | undefined)[],
  { axis, epsilon }: AttributesOf<"LayerNormalization">,
  node: Node,
  within: (normalized: Value, axes: readonly number[]) => Value,
): readonly (Value | undefined)[] {
  const axes = axesFrom(x!, axisOf(x!, axis, node), node);
  const { mean, variance, centred } = statistics(x!, axes);
  const spread = deviation(variance, epsilon);
  const scaled = within(centred.div(spread), axes).mul(scale!);
  // ONNX keeps the statistics in f32 whatever the type of x.
  const kept = (statistic: Value) => (x!.type.type === "float32" ? statistic : statistic.cast("float32"));
  return [bias ? scaled.add(bias) : scaled, kept(mean), kept(constant(x!, 1).div(spread))];
}

/**
 * Of n numbers none is further than sqrt(n - 1) standard deviations from their mean: the others together lie as far on the
 * other side.
 */
export const limitedLayerNormalization: Definition<"LayerNormalization"> = (inputs, attributes, node) =>
  layerNormalization(inputs, attributes, node, (normalized, axes) => {
    const sizes = axes.map((k) => normalized.type.shape?.[k]);
    const count = sizes.reduce<number>((n, d) => n * (typeof d === "number" ? d : Number.NaN), 1);
    if (!(count >= 2 && attributes.epsilon >= 0)) return normalized;
    const limit = Math.sqrt(count - 1) * (1 + 2 ** -20);
    return normalized.op("Clip", [constant(normalized, -limit), constant(normalized, limit)]);
  });

export const normalization: Definitions = {
  BatchNormalization: ([x, scale, bias, mean, variance], attributes, node) => {
    const { epsilon, momentum, training_mode } = attributes;
    const normalized = (centred: Value, spread: Value) =>
      centred
        .div(deviation(spread, epsilon))
        .mul(perChannel(scale!, x!, node))
        .add(perChannel(bias!, x!, node));
    if (training_mode === 0)
      return normalized(x!.sub(perChannel(mean!, x!, node)), perChannel(variance!, x!, node));
    const batch = statistics(x!, [0, ...axesFrom(x!, 2, node)]);
    const running = (old: Value, now: Value) => old.mul(momentum).add(now.reshape([-1]).mul(1 - momentum));
    return [
      normalized(batch.centred, batch.variance),
      running(mean!, batch.mean),
      running(variance!, batch.variance),
    ];
  },
  InstanceNormalization: ([x, scale, bias], { epsilon }, node) => {
    const { centred, variance } = statistics(x!, axesFrom(x!, 2, node));
    return centred
      .div(deviation(variance, epsilon))
      .mul(perChannel(scale!, x!, node))
      .add(perChannel(bias!, x!, node));
  },
  /** Opset 18 has one scale for each group, opset 21 one for each channel. */
  GroupNormalization: ([x, scale, bias], { epsilon, num_groups }, node) => {
    const grouped = x!.reshape([0, num_groups, -1]);
    const { centred, variance } = statistics(grouped, [2]);
    const normalized = centred.div(deviation(variance, epsilon));
    const shape = x!.op("Shape");
    if (fixed(scale!.type.shape?.[0], "the length of its scale", node) === num_groups)
      return normalized
        .mul(scale!.reshape([1, -1, 1]))
        .add(bias!.reshape([1, -1, 1]))
        .op("Reshape", [shape]);
    return normalized
      .op("Reshape", [shape])
      .mul(perChannel(scale!, x!, node))
      .add(perChannel(bias!, x!, node));
  },
  LayerNormalization: (inputs, attributes, node) =>
    layerNormalization(inputs, attributes, node, (normalized) => normalized),
  /** x / norm; where the norm is 0, 0. */
  LpNormalization: ([x], { axis, p }) => {
    const power = sumAlong(p === 1 ? x!.abs() : x!.mul(x!), axis);
    const positive = where(power.op("Equal", [0]), 1, power, x!);
    return x!.div(p === 1 ? positive : positive.sqrt());
  },
  MeanVarianceNormalization: ([x], { axes }) => {
    const { centred, variance } = statistics(x!, axes);
    return centred.div(root(variance).add(1e-9));
  },
  /** x / (bias + alpha / size * sum of the squares of the channels around)^beta. */
  LRN: ([x], { alpha, beta, bias, size }, node) => {
    const channels = fixed(shapeOf(x!, node)[1], `axis 1 (channels) of its input "${x!.name}"`, node);
    const before = Math.floor((size - 1) / 2);
    const isAround = (c: number, other: number) => other >= c - before && other < c - before + size;
    const band = Array.from({ length: channels }, (_, c) =>
      Array.from({ length: channels }, (_, other) => Number(isAround(c, other))),
    );
    const squares = x!.mul(x!).reshape([0, 0, -1]);
    const sums = x!.builder.weight(tensor(band, { type: elementType(x!, node) })).matmul(squares);
    const scale = sums
      .mul(alpha / size)
      .add(bias)
      .pow(beta);
    return x!.div(scale.op("Reshape", [x!.op("Shape")]));
  },
  Softmax: ([x], { axis }) => {
    const powers = withoutMaximum(x!, axis).exp();
    return powers.div(sumAlong(powers, axis));
  },
  LogSoftmax: ([x], { axis }) => {
    const shifted = withoutMaximum(x!, axis);
    return shifted.sub(sumAlong(shifted.exp(), axis).log());
  },
  /** 1 at the first greatest entry. */
  Hardmax: ([x], { axis }, node) => {
    const along = axisOf(x!, axis, node);
    const greatest = x!.op("ArgMax", [], { axis: along });
    return positions(x!, along, node).op("Equal", [greatest]).cast(elementType(x!, node));
  },
  Dropout: ([x, , training], _, node) => {
    const trains = training?.type.value?.data[0];
    if (training && trains === undefined)
      throw new GraphError(`${describe(node)}: whether it trains must be a constant`);
    if (training && Number(trains) !== 0)
      throw new GraphError(`${describe(node)}: dropping at random has no definition`);
    const yes = tensor([1], { type: "bool" });
    return [x, node.outputs[1] ? x!.op("Shape").op("ConstantOfShape", [], { value: yes }) : undefined];
  },
};
