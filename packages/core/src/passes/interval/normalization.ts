// Soft choices along an axis, and normalizations by mean and variance.

import { elementCount } from "../../graph/tensor.ts";
import {
  add,
  div,
  emptyIntervals,
  type Interval,
  type IntervalArray,
  intervalAt,
  log,
  mul,
  point,
  pow,
  roundedExp,
  sqrt,
  squared,
} from "../../numbers/interval/index.ts";
import { addDown, addUp, divDown, divUp, sqrtUp } from "../../numbers/rounding.ts";
import type { Rules } from "../pass.ts";
import { combined } from "./elementwise.ts";
import { linesAlong } from "./order.ts";
import { folded, type Groups, groupsOf, pNorm, sum } from "./reductions.ts";
import { axisOf, type IntervalTensor, mapped, Unreadable } from "./tensor.ts";

/** Powers e^(x - top) along one line, bounded from both sides, and the sums of all but one of them. */
interface Powers {
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  readonly othersLower: Float64Array;
  readonly othersUpper: Float64Array;
}

/** Sums of all elements but each, by running sums from both ends: no subtraction, so nothing cancels. */
function sumsOfOthers(x: Float64Array, plus: (a: number, b: number) => number): Float64Array {
  const sums = new Float64Array(x.length);
  let before = 0;
  for (let k = 0; k < x.length; k++) {
    sums[k] = before;
    before = plus(before, x[k]!);
  }
  let after = 0;
  for (let k = x.length - 1; k >= 0; k--) {
    sums[k] = plus(sums[k]!, after);
    after = plus(after, x[k]!);
  }
  return sums;
}

function powersOf(line: IntervalArray, top: number): Powers {
  const lower = line.lower.map((l) => roundedExp.down(addDown(l, -top)));
  const upper = line.upper.map((u) => roundedExp.up(addUp(u, -top)));
  return {
    lower,
    upper,
    othersLower: sumsOfOthers(lower, addDown),
    othersUpper: sumsOfOthers(upper, addUp),
  };
}

/** For each line along an axis, the bounds of each of its elements. */
function alongLines(
  x: IntervalTensor,
  axis: number,
  bounds: (line: IntervalArray, top: number) => (k: number) => Interval,
): IntervalTensor {
  const { starts, step, size } = linesAlong(x, axisOf(axis, x));
  const result = emptyIntervals(x.lower.length);
  const line = emptyIntervals(size);
  for (const start of starts) {
    for (let k = 0; k < size; k++) {
      line.lower[k] = x.lower[start + k * step]!;
      line.upper[k] = x.upper[start + k * step]!;
    }
    const top = line.upper.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
    if (!Number.isFinite(top)) throw new Unreadable("the greatest of its elements has no bound");
    const at = bounds(line, top);
    for (let k = 0; k < size; k++) {
      const { lower, upper } = at(k);
      result.lower[start + k * step] = lower;
      result.upper[start + k * step] = upper;
    }
  }
  return { type: x.type, dims: x.dims, ...result };
}

/** e^x_k / sum_j e^x_j increases in x_k and decreases in all others. */
const softmaxOf = (line: IntervalArray, top: number) => {
  const { lower, upper, othersLower, othersUpper } = powersOf(line, top);
  return (k: number): Interval => ({
    lower: lower[k] === 0 ? 0 : divDown(lower[k]!, addUp(lower[k]!, othersUpper[k]!)),
    upper: othersLower[k] === 0 ? 1 : Math.min(1, divUp(upper[k]!, addDown(upper[k]!, othersLower[k]!))),
  });
};

/** x_k - log sum_j e^x_j, likewise. */
const logSoftmaxOf = (line: IntervalArray, top: number) => {
  const { othersLower, othersUpper } = powersOf(line, top);
  return (k: number): Interval => {
    // The lower end of the power belongs to the lower end of x: for its logarithm both its bounds are needed.
    const shifted = addDown(line.lower[k]!, -top);
    const most = log(point(addUp(roundedExp.up(shifted), othersUpper[k]!))).upper;
    const rest = addDown(roundedExp.down(addDown(line.upper[k]!, -top)), othersLower[k]!);
    const fewest = rest > 0 ? log(point(rest)).lower : Number.NEGATIVE_INFINITY;
    return {
      lower: Math.min(0, addDown(shifted, -most)),
      upper: Math.min(0, addUp(addUp(line.upper[k]!, -top), -fewest)),
    };
  };
};

interface Normalized {
  readonly values: IntervalTensor;
  readonly mean: IntervalArray;
  /** What the centred elements were divided by. */
  readonly spread: IntervalArray;
}

/**
 * (x - mean) / spread(variance) in each group of n elements. In x_i - mean = ((n-1) x_i - sum of the others) / n each
 * element occurs once, so that bound is tight; and divided by the standard deviation it is at most sqrt(n - 1).
 */
function normalized(x: IntervalTensor, groups: Groups, spread: (variance: Interval) => Interval): Normalized {
  const n = x.lower.length / Math.max(1, groups.count);
  const totals = folded(x, groups, point(0), sum.f);
  const all = x.lower.map((_, k) => k);
  const centred = mapped({ ...x, lower: all, upper: all }, ({ lower: k }) => {
    const [own, total] = [intervalAt(x, k), intervalAt(totals, groups.of[k]!)];
    const others = { lower: addDown(total.lower, -own.lower), upper: addUp(total.upper, -own.upper) };
    const scaled = mul(point(n - 1), own);
    return div(
      { lower: addDown(scaled.lower, -others.upper), upper: addUp(scaled.upper, -others.lower) },
      point(n),
    );
  });
  const share = (total: Interval): Interval => div(total, point(n));
  const flat = (array: IntervalArray): IntervalTensor => ({ type: x.type, dims: [groups.count], ...array });
  const variances = mapped(flat(folded(mapped(centred, squared), groups, point(0), sum.f)), share);
  const spreads = mapped(variances, spread);
  const most = sqrtUp(n - 1);
  const values = mapped({ ...x, lower: all, upper: all }, ({ lower: k }) => {
    const { lower, upper } = quotient(intervalAt(centred, k), intervalAt(spreads, groups.of[k]!), most);
    return { lower: Math.max(lower, -most), upper: Math.min(upper, most) };
  });
  return { values, mean: mapped(flat(totals), share), spread: spreads };
}

/** A spread that may be zero says nothing; what is centred is then zero too. */
const quotient = (x: Interval, spread: Interval, most: number): Interval =>
  spread.lower > 0 ? div(x, spread) : { lower: -most, upper: most };

/** sqrt(variance + epsilon). What was centred is bounded by the deviation only if epsilon does not lessen that. */
function deviation(epsilon: number): (variance: Interval) => Interval {
  if (!(epsilon >= 0)) throw new Unreadable(`its epsilon is ${epsilon}`);
  return (variance) => sqrt(add(variance, point(epsilon)));
}

/** Parameters per channel, broadcast over [batch, channels, ...]. */
const perChannel = (parameter: IntervalTensor, { dims }: IntervalTensor): IntervalTensor => ({
  ...parameter,
  dims: [1, parameter.lower.length, ...dims.slice(2).map(() => 1)],
});

const affine = (
  x: IntervalTensor,
  scale: IntervalTensor,
  bias: IntervalTensor | undefined,
): IntervalTensor => {
  const scaled = combined(x, scale, x.dims, mul);
  return bias ? combined(scaled, bias, x.dims, add) : scaled;
};

const axesFrom = ({ dims }: IntervalTensor, first: number): readonly number[] =>
  dims.map((_, k) => k).slice(first);

export const normalizations: Rules<IntervalTensor> = {
  Softmax: ([x], { axis }) => alongLines(x!, axis, softmaxOf),
  LogSoftmax: ([x], { axis }) => alongLines(x!, axis, logSoftmaxOf),
  InstanceNormalization: ([x, scale, bias], { epsilon }) => {
    const { values } = normalized(x!, groupsOf(x!, axesFrom(x!, 2)), deviation(epsilon));
    return affine(values, perChannel(scale!, x!), perChannel(bias!, x!));
  },
  /** Opset 18 has one scale for each group, opset 21 one for each channel. */
  GroupNormalization: ([x, scale, bias], { epsilon, num_groups }) => {
    const [batch, channels] = x!.dims as readonly [number, number];
    const size = x!.lower.length / batch / num_groups;
    const grouped = { ...x!, dims: [batch, num_groups, size] };
    const { values } = normalized(grouped, groupsOf(grouped, [2]), deviation(epsilon));
    const isPerGroup = scale!.lower.length === num_groups && num_groups !== channels;
    const shaped = isPerGroup ? values : { ...values, dims: x!.dims };
    return { ...affine(shaped, perChannel(scale!, shaped), perChannel(bias!, shaped)), dims: x!.dims };
  },
  LayerNormalization: ([x, scale, bias], { axis, epsilon }) => {
    const first = axisOf(axis, x!);
    const { values, mean, spread } = normalized(x!, groupsOf(x!, axesFrom(x!, first)), deviation(epsilon));
    const dims = x!.dims.map((d, k) => (k < first ? d : 1));
    // ONNX keeps the statistics in f32 whatever the type of x.
    const kept = (statistic: IntervalArray): IntervalTensor => ({ ...statistic, type: "float32", dims });
    return [affine(values, scale!, bias), kept(mean), mapped(kept(spread), (s) => div(point(1), s))];
  },
  MeanVarianceNormalization: ([x], { axes }) => {
    const groups = groupsOf(
      x!,
      axes.map((axis) => axisOf(axis, x!)),
    );
    return normalized(x!, groups, (variance) => add(sqrt(variance), point(1e-9))).values;
  },
  /** x / norm, which lies between -1 and 1; 0 where the norm is. */
  LpNormalization: ([x], { axis, p }) => {
    const { before, after } = pNorm(p);
    const groups = groupsOf(x!, [axisOf(axis, x!)]);
    const norms = folded(mapped(x!, before), groups, point(0), sum.f);
    let k = 0;
    return mapped(x!, (a) => {
      const { lower, upper } = quotient(a, after(intervalAt(norms, groups.of[k++]!)), 1);
      return { lower: Math.max(-1, lower), upper: Math.min(1, upper) };
    });
  },
  /** x / (bias + alpha / size * sum of the squares of the channels around)^beta. */
  LRN: ([x], { alpha, beta, bias, size }) => {
    const [channels, plane] = [x!.dims[1]!, elementCount(x!.dims.slice(2))];
    const before = Math.floor((size - 1) / 2);
    const factor = div(point(alpha), point(size));
    let at = 0;
    return mapped(x!, (a) => {
      const k = at++;
      const channel = Math.floor(k / plane) % channels;
      let total = point(0);
      for (let c = channel - before; c < channel - before + size; c++)
        if (c >= 0 && c < channels) total = add(total, squared(intervalAt(x!, k + (c - channel) * plane)));
      return div(a, pow(add(point(bias), mul(factor, total)), point(beta)));
    });
  },
};
