// Normalizations, soft choices, reductions and pools: order along an axis does not matter to a sum over it.
import {
  type Axis,
  axisSize,
  equate,
  forbidFibres,
  pin,
  pinnedAxis,
  pointwise,
  powerAxis,
  resolve,
  restrict,
  withoutScale,
} from "../axes/axis-class.ts";
import { splitAxis } from "./reshape.ts";
import {
  type Axes,
  type AxisRule,
  type AxisRules,
  constantNumbers,
  each,
  fromFront,
  knownSize,
} from "./rule.ts";

/** y = g (x - m) / sqrt(v + eps) + b: x and m have one scale s, y and b another, t; then g has t / s and v none. */
const batchNormalization: AxisRule<{ readonly training_mode: number }> = ({
  x,
  attributes: { training_mode },
}) => {
  const [data, g, b, m, v] = x;
  if (training_mode || !data || data.length < 2 || !g || !b || !m || !v) return undefined;
  const input = data[1]!;
  equate(input, m[0]!);
  restrict(v, "unit");
  pointwise(input, v[0]!);
  const output = pointwise(input, g[0]!);
  equate(output, b[0]!);
  return [data.map((axis, k) => (k === 1 ? resolve(output) : resolve(axis)))];
};

/** What is normalized has no scale, and what comes out has that of the parameters. */
const layerNormalization: AxisRule<{ readonly axis: number }> = ({
  x: [x, g, b],
  attributes: { axis },
  node,
}) => {
  if (!x || !g || (node.inputs[2] && !b)) return undefined;
  const from = fromFront(axis, x.length);
  if (Math.max(g.length, b?.length ?? 0) > x.length - from || node.outputs.slice(1).some(Boolean))
    return undefined;
  restrict(x, "unit");
  const normalized = x.slice(from);
  forbidFibres(x.slice(0, from), normalized);
  const parameter = (axes: Axes | undefined, k: number) => axes?.[k - x.length + axes.length];
  return [
    x.map((axis, k) => {
      if (k < from) return resolve(axis);
      const [gain, bias] = [parameter(g, k), parameter(b, k)];
      const size = axisSize(axis);
      if (!gain || axisSize(gain) !== size || (b && (!bias || axisSize(bias) !== size))) {
        for (const own of [gain, bias, axis]) if (own) pin(own);
        return pinnedAxis(size);
      }
      const output = pointwise(withoutScale(axis), gain);
      if (bias) equate(output, bias);
      return resolve(output);
    }),
  ];
};

/** Each channel of each example is normalized over space. */
const instanceNormalization: AxisRule = ({ x: [x, g, b] }) => {
  if (!x || x.length < 3 || !g || !b) return undefined;
  restrict(x, "unit");
  forbidFibres(x.slice(0, 2), x.slice(2));
  const output = pointwise(x[1]!, g[0]!);
  equate(output, b[0]!);
  return [x.map((axis, k) => (k === 1 ? resolve(output) : resolve(axis)))];
};

const softmax: AxisRule<{ readonly axis: number }> = ({ x: [x], attributes: { axis } }) => {
  if (!x) return undefined;
  const at = fromFront(axis, x.length);
  restrict(x, "unit");
  forbidFibres(
    x.filter((_, k) => k !== at),
    [x[at]!],
  );
  return [x];
};

interface ReductionAttributes {
  readonly keepdims: number;
  readonly noop_with_empty_axes?: number;
}

/** Scales of the axes that stay come out to a power; those that go have none. */
const reduction =
  (restriction: "positive" | "unit" | undefined, power = 1): AxisRule<ReductionAttributes> =>
  ({ x: [x], types, y: [shape], attributes: { keepdims, noop_with_empty_axes }, node }) => {
    if (!x || !shape) return undefined;
    const listed = node.inputs[1] ? constantNumbers(types[1]) : [];
    if (!listed || (listed.length === 0 && noop_with_empty_axes)) return undefined;
    const gone = new Set(listed.length === 0 ? x.keys() : Array.from(listed, (k) => fromFront(k, x.length)));
    const [summed, kept] = [x.filter((_, k) => gone.has(k)), x.filter((_, k) => !gone.has(k))];
    restrict(summed, "unit");
    if (restriction) restrict(kept, restriction);
    forbidFibres(kept, summed);
    return [
      x.flatMap((axis, k) => {
        if (!gone.has(k)) return [power === 1 ? resolve(axis) : powered(axis, power)];
        return keepdims ? [pinnedAxis(1)] : [];
      }),
    ];
  };

function powered(axis: Axis, power: number): Axis {
  for (const leg of resolve(axis).flat()) leg.units.linear = false;
  return powerAxis(axis, power);
}

interface PoolAttributes {
  readonly kernel_shape?: readonly number[];
  readonly strides?: readonly number[] | undefined;
  readonly pads?: readonly number[] | undefined;
  readonly dilations?: readonly number[] | undefined;
  readonly auto_pad?: string;
}

/** Channels pass. Where windows are disjoint and cover all, order within them does not matter; else space keeps its order. */
const pool =
  (restriction?: "positive" | "unit"): AxisRule<PoolAttributes> =>
  ({ x: [x], y: [shape], attributes, node }) => {
    if (!x || !shape || x.length < 3 || node.outputs[1]) return undefined;
    if (restriction) restrict(x, restriction);
    const regions = x
      .slice(2)
      .map((axis, k) => disjointRegions(axis, k, knownSize(shape, k + 2), attributes));
    forbidFibres(
      [x[0]!, x[1]!, ...regions.map((r) => r.outer)],
      regions.map((r) => r.mixed),
    );
    return [[x[0]!, x[1]!, ...regions.map((r) => r.outer)].map(resolve)];
  };

/** A spatial axis as regions times what is within them, and what of it is brought to one place. */
function disjointRegions(
  axis: Axis,
  k: number,
  size: number | undefined,
  { kernel_shape, strides, pads, dilations, auto_pad = "NOTSET" }: PoolAttributes,
): { readonly outer: Axis; readonly mixed: Axis } {
  const before = axisSize(axis);
  const window = kernel_shape ? kernel_shape[k] : before;
  const isDisjoint = !kernel_shape || (strides?.[k] ?? 1) === window;
  const isPlain = auto_pad === "NOTSET" && !pads?.some((p) => p !== 0) && !dilations?.some((d) => d !== 1);
  const covers = before !== undefined && size !== undefined && size * window! === before;
  const parts = isDisjoint && isPlain && covers ? splitAxis(axis, size) : undefined;
  if (!parts) {
    pin(axis);
    return { outer: pinnedAxis(size), mixed: axis };
  }
  restrict([parts.inner], "unit");
  return { outer: parts.outer, mixed: parts.inner };
}

export const normalizationRules = {
  BatchNormalization: batchNormalization,
  LayerNormalization: layerNormalization,
  InstanceNormalization: instanceNormalization,
  Softmax: softmax,
  LogSoftmax: softmax,
  ...each("ReduceSum ReduceMean", reduction(undefined)),
  ...each("ReduceMax ReduceMin ReduceL1 ReduceL2", reduction("positive")),
  ReduceSumSquare: reduction(undefined, 2),
  ...each("ReduceProd ReduceLogSum ReduceLogSumExp", reduction("unit")),
  ...each("MaxPool GlobalMaxPool LpPool GlobalLpPool", pool("positive")),
  ...each("AveragePool GlobalAveragePool", pool()),
} satisfies AxisRules as AxisRules;
