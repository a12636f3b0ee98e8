// Gradients of normalizations and soft choices.
import { tensor } from "../../graph/tensor.ts";
import type { Value } from "../../graph/value.ts";
import type { BackwardRule, BackwardRules, Step } from "../backward.ts";
import { constant, where } from "./elementwise.ts";
import { reducedCount } from "./reduction.ts";
import { expandLike, fullLike, integers, reshapeLike, unbroadcast } from "./shapes.ts";

/** What standardizing made of x: (x - mean) / deviation, with the mean and 1 / deviation along the axes. */
interface Standard {
  readonly centered: Value;
  readonly scaled: Value;
  readonly inverse: Value;
}

/** The input's axes from `first` on. */
function axesFrom({ x: [x], fail }: Step, first: number): readonly number[] {
  const shape = x.type.shape ?? fail("the rank of its input is not known");
  return shape.map((_, k) => k).slice(first);
}

function standardize(x: Value, axes: readonly number[], epsilon: number): Standard {
  const centered = x.sub(x.mean(axes, 1));
  const inverse = centered.mul(centered).mean(axes, 1).add(epsilon).sqrt().op("Reciprocal");
  return { centered, scaled: centered.mul(inverse), inverse };
}

/** What comes back through it: (g - mean g - z mean(g z)) / deviation for z = scaled. */
function standardized(g: Value, { scaled, inverse }: Standard, axes: readonly number[]): Value {
  const along = g.mul(scaled).mean(axes, 1);
  return g.sub(g.mean(axes, 1)).sub(scaled.mul(along)).mul(inverse);
}

/** One number for each channel, placed to be broadcast over x: [1, channels, 1, ...]. */
function perChannel(v: Value, x: Value): Value {
  const spatial = x.type.shape!.slice(2);
  return spatial.length === 0 ? v : v.reshape([-1, ...spatial.map(() => 1)]);
}

/** The sum over everything but channels. */
const channelSum = (g: Value): Value => g.sum(g.type.shape!.map((_, k) => k).filter((k) => k !== 1));

/** The sum of those that are there. */
const total = (parts: readonly (Value | undefined)[]): Value =>
  parts.filter((part) => part !== undefined).reduce((sum, part) => sum.add(part));

/** By the statistics that are given: y = scale (x - mean) / sqrt(variance + epsilon) + bias. */
const byGiven: BackwardRule<"BatchNormalization"> = (step, { epsilon }) => {
  const { g, x: operands } = step;
  axesFrom(step, 0);
  const [x, scale, , mean, variance] = operands as unknown as readonly [Value, Value, Value, Value, Value];
  const inverse = () => variance.add(epsilon).sqrt().op("Reciprocal");
  const centered = () => x.sub(perChannel(mean, x));
  return [
    () => g.mul(perChannel(scale.mul(inverse()), x)),
    () => channelSum(g.mul(centered())).mul(inverse()),
    () => channelSum(g),
    () => channelSum(g).mul(scale).mul(inverse()).neg(),
    () => {
      const r = inverse();
      return channelSum(g.mul(centered())).mul(scale).mul(r.mul(r).mul(r)).mul(-0.5);
    },
  ];
};

/** By the statistics of the batch; the running ones are momentum old + (1 - momentum) of the batch. */
const byBatch: BackwardRule<"BatchNormalization"> = (step, { epsilon, momentum }) => {
  const [x, scale] = step.x;
  const [g, toMean, toVariance] = step.back;
  const axes = axesFrom(step, 0).filter((k) => k !== 1);
  const fraction = (whole: Value): Value =>
    perChannel(whole, x)
      .mul(1 - momentum)
      .div(reducedCount(x, scale));
  return [
    () => {
      const z = standardize(x, axes, epsilon);
      return total([
        g && standardized(g.mul(perChannel(scale, x)), z, axes),
        toVariance && z.centered.mul(fraction(toVariance)).mul(2),
        toMean && expandLike(fraction(toMean), x),
      ]);
    },
    g && (() => channelSum(g.mul(standardize(x, axes, epsilon).scaled))),
    g && (() => channelSum(g)),
    toMean && (() => toMean.mul(momentum)),
    toVariance && (() => toVariance.mul(momentum)),
  ];
};

const layer: BackwardRule<"LayerNormalization"> = (step, { axis, epsilon }) => {
  const [x, scale] = step.x;
  const [g, toMean, toInverse] = step.back;
  const bias = step.given(2);
  const axes = axesFrom(step, axis);
  const z = standardize(x, axes, epsilon);
  const fraction = (whole: Value): Value => whole.op("CastLike", [x]).div(reducedCount(x, z.inverse));
  return [
    () =>
      total([
        g && standardized(g.mul(scale), z, axes),
        toMean && expandLike(fraction(toMean), x),
        // r = 1 / deviation: dr/dx = -r^3 (x - mean) / count
        toInverse && z.scaled.mul(fraction(toInverse).mul(z.inverse).mul(z.inverse)).neg(),
      ]),
    g && (() => unbroadcast(g.mul(z.scaled), scale)),
    g && bias && (() => unbroadcast(g, bias)),
  ];
};

const instance: BackwardRule<"InstanceNormalization"> = (step, { epsilon }) => {
  const {
    g,
    x: [x, scale],
  } = step;
  const axes = axesFrom(step, 2);
  const z = standardize(x, axes, epsilon);
  return [
    () => standardized(g.mul(perChannel(scale, x)), z, axes),
    () => channelSum(g.mul(z.scaled)),
    () => channelSum(g),
  ];
};

/** [batch, channels, ...] as [batch, groups, rest]; a scale and bias for each group, or from opset 21 on each channel. */
const groups: BackwardRule<"GroupNormalization"> = (step, { epsilon, num_groups }) => {
  const {
    g,
    x: [x, scale, bias],
  } = step;
  axesFrom(step, 0);
  const rows = (value: Value): Value => value.reshape([0, num_groups, -1]);
  const z = standardize(rows(x), [2], epsilon);
  const back = (cotangent: Value): Value => reshapeLike(standardized(cotangent, z, [2]), x);
  const count = scale.type.shape?.[0];
  if (typeof count === "number" && count !== num_groups)
    return [
      () => back(rows(g.mul(perChannel(scale, x)))),
      () => channelSum(g.mul(reshapeLike(z.scaled, x))),
      () => channelSum(g),
    ];
  return [
    () => back(rows(g).mul(scale.reshape([num_groups, 1]))),
    () => reshapeLike(rows(g).mul(z.scaled).sum([0, 2]), scale),
    () => reshapeLike(rows(g).sum([0, 2]), bias),
  ];
};

/** Y = x / |x|; a vector of zeros stays one, and nothing comes back to it. */
const unitNorm: BackwardRule<"LpNormalization"> = ({ g, x: [x], y: [y] }, { axis, p }) => [
  () => {
    const norm = x.op(p === 1 ? "ReduceL1" : "ReduceL2", [integers([axis])]);
    const nonzero = norm.op("Greater", [fullLike(norm, 0)]);
    const safe = nonzero.op("Where", [norm, fullLike(norm, 1)]);
    const normSlope = p === 1 ? x.op("Sign") : y;
    const back = where(nonzero, g);
    return back.sub(normSlope.mul(back.mul(y).sum([axis], 1))).div(safe);
  },
];

/** Y = c / (s + 1e-9) for c = x - mean and its deviation s: other than elsewhere, the small number is outside of the root. */
const byDeviation: BackwardRule<"MeanVarianceNormalization"> = ({ g, x: [x] }, { axes }) => [
  () => {
    const centered = x.sub(x.mean(axes, 1));
    const deviation = centered.mul(centered).mean(axes, 1).sqrt();
    const inverse = deviation.add(1e-9).op("Reciprocal");
    const nonzero = deviation.op("Greater", [fullLike(deviation, 0)]);
    const unit = centered.div(nonzero.op("Where", [deviation, fullLike(deviation, 1)]));
    const along = g.mul(centered).mul(inverse).mean(axes, 1);
    return g.sub(g.mean(axes, 1)).sub(unit.mul(along)).mul(inverse);
  },
];

/** Y = x s^-beta with s = bias + alpha / size * (the sum of x^2 over `size` neighbouring channels). */
const localResponse: BackwardRule<"LRN"> = ({ g, x: [x] }, { alpha, beta, bias, size }) => {
  const ones = tensor(new Array(size).fill(1), { type: x.type.type as "float64", dims: [1, 1, size, 1] });
  const before = Math.floor((size - 1) / 2);
  const after = size - 1 - before;
  const neighbours = (v: Value, [begin, end]: readonly [number, number]): Value => {
    const rows = v.op("Unsqueeze", [integers([1])]).reshape([0, 0, 0, -1]);
    return rows.op("Conv", [ones], { pads: [begin, 0, end, 0] }).op("Reshape", [v.op("Shape")]);
  };
  return [
    () => {
      const s = neighbours(x.mul(x), [before, after])
        .mul(alpha / size)
        .add(bias);
      const around = neighbours(g.mul(x).mul(s.pow(-beta - 1)), [after, before]);
      return g.mul(s.pow(-beta)).sub(x.mul(around).mul((2 * alpha * beta) / size));
    },
  ];
};

export const normalization: BackwardRules = {
  BatchNormalization: (step, attributes) =>
    attributes.training_mode === 0 ? byGiven(step, attributes) : byBatch(step, attributes),
  InstanceNormalization: instance,
  GroupNormalization: groups,
  LayerNormalization: layer,
  LpNormalization: unitNorm,
  MeanVarianceNormalization: byDeviation,
  LRN: localResponse,
  Softmax: ({ g, y: [y] }, { axis }) => [() => y.mul(g.sub(g.mul(y).sum([axis], 1)))],
  LogSoftmax: ({ g, y: [y] }, { axis }) => [() => g.sub(y.exp().mul(g.sum([axis], 1)))],
  Hardmax: constant,
};
