// Operators that move elements: the axes go where the elements go.
import {
  type Axis,
  axisSize,
  cutSum,
  equate,
  forbidFibres,
  pin,
  pinnedAxis,
  pinOrder,
  resolve,
  restrict,
  segmentSize,
} from "../axes/axis-class.ts";
import { reshapeAxes } from "./reshape.ts";
import {
  type Axes,
  type AxisRule,
  type AxisRules,
  constantNumber,
  constantNumbers,
  each,
  fromFront,
  knownSize,
  pinnedAxes,
} from "./rule.ts";

const reshape: AxisRule = ({ x: [x], types: [type], y: [shape] }) => {
  const axes = x && type?.shape && shape && reshapeAxes(x, type.shape, shape);
  return axes && [axes];
};

const transpose: AxisRule<{ readonly perm: readonly number[] | undefined }> = ({
  x: [x],
  attributes: { perm },
}) => x && [perm ? perm.map((k) => x[k]!) : x.toReversed()];

/** Axes that are not listed stay; those that are get what `along` makes of them. */
const except =
  (keep: (axis: Axis, k: number) => Axis) =>
  (axes: Axes): readonly Axes[] => [axes.map(keep)];

const concat: AxisRule<{ readonly axis: number }> = ({ x, attributes: { axis } }) => {
  const [first, ...others] = x;
  if (!first || others.some((o) => o?.length !== first.length)) return undefined;
  const at = fromFront(axis, first.length);
  for (const other of others)
    first.forEach((own, k) => {
      if (k !== at) equate(own, other![k]!);
    });
  return except((own, k) => (k === at ? x.flatMap((axes) => resolve(axes![at]!)) : resolve(own)))(first);
};

/** The segments from one border to another, once the axis is cut there. */
function part(axis: Axis, from: number, to: number): Axis | undefined {
  if (!cutSum(axis, from) || !cutSum(axis, to)) return undefined;
  let start = 0;
  return resolve(axis).filter((segment) => {
    const at = start;
    start += segmentSize(segment)!;
    return at >= from && start <= to;
  });
}

const split: AxisRule<{ readonly axis: number }> = ({ x: [x], y, attributes: { axis } }) => {
  if (!x) return undefined;
  const at = fromFront(axis, x.length);
  let start = 0;
  const parts = y.map((shape) => {
    const size = knownSize(shape, at);
    const own = size === undefined ? undefined : part(x[at]!, start, start + size);
    start += size ?? 0;
    return own;
  });
  if (parts.some((p) => !p)) return undefined;
  return parts.map((_, k) =>
    x.map((axis, i) => (i === at ? part(axis, offset(parts, k), offset(parts, k + 1))! : resolve(axis))),
  );
};

const offset = (parts: readonly (Axis | undefined)[], k: number): number =>
  parts.slice(0, k).reduce((n, axis) => n + axisSize(axis!)!, 0);

const slice: AxisRule = ({ x: [x], types: [type, starts, ends, listed, steps], y: [shape], node }) => {
  const [from, to] = [constantNumbers(starts), constantNumbers(ends)];
  const axes = node.inputs[3] ? constantNumbers(listed) : from && Array.from(from, (_, k) => k);
  const step = node.inputs[4] ? constantNumbers(steps) : undefined;
  if (!x || !from || !to || !axes || (node.inputs[4] && !step)) return undefined;
  const result = x.map(resolve);
  for (let k = 0; k < axes.length; k++) {
    const at = fromFront(axes[k]!, x.length);
    const size = knownSize(type?.shape, at);
    const bound = (v: number) => Math.min(size!, Math.max(0, v < 0 ? v + size! : v));
    const own =
      size !== undefined && (step?.[k] ?? 1) === 1
        ? part(result[at]!, bound(from[k]!), bound(to[k]!))
        : undefined;
    if (!own || own.length === 0) {
      pin(result[at]!);
      forbidFibres(result, [result[at]!]);
      result[at] = pinnedAxis(knownSize(shape, at));
    } else result[at] = own;
  }
  return [result];
};

const gather: AxisRule<{ readonly axis: number }> = ({ x: [x, indices], attributes: { axis } }) => {
  if (!x || !indices) return undefined;
  const at = fromFront(axis, x.length);
  for (const own of [x[at]!, ...indices]) pin(own);
  forbidFibres(x, [x[at]!]);
  return [
    [...x.slice(0, at), ...indices.map((i) => pinnedAxis(axisSize(i))), ...x.slice(at + 1)].map(resolve),
  ];
};

/** Axes whose size is not 1 stay; a shape that is asked for, or one more axis of size 1, is all there is else. */
const expand: AxisRule = ({ x: [x], y: [shape] }) => {
  if (!x || !shape) return undefined;
  return [
    shape.map((_, k) => {
      const own = x[k - shape.length + x.length];
      const size = knownSize(shape, k);
      if (own && size !== undefined && axisSize(own) === size) return resolve(own);
      if (own) {
        pin(own);
        forbidFibres(x, [own]);
      }
      return pinnedAxis(size);
    }),
  ];
};

/** Axes that keep their size keep their order and scale; all others are pinned. */
const sameSizesOnly =
  (isFilled: boolean): AxisRule =>
  ({ x: [x, ...parameters], types, y: [shape], node }) => {
    if (!x || !shape || shape.length !== x.length) return undefined;
    for (const axes of parameters) axes?.forEach(pin);
    const isZero = !node.inputs[2] || constantNumber(types[2]) === 0;
    if (isFilled && !isZero) restrict(x, "unit");
    return [
      x.map((axis, k) => {
        const size = knownSize(shape, k);
        if (size !== undefined && axisSize(axis) === size) return resolve(axis);
        pin(axis);
        forbidFibres(x, [axis]);
        return pinnedAxis(size);
      }),
    ];
  };

const pad: AxisRule<{ readonly mode: string }> = (context) => {
  const pads = constantNumbers(context.types[1]);
  // Negative pads, or some on one axis that cancel, would pass for none.
  if (!pads || context.node.inputs[3] || Array.from(pads).some((p) => p < 0)) return undefined;
  return sameSizesOnly(context.attributes.mode === "constant")(context);
};

/** Along one axis the order matters; the others are passed on. */
const ordered =
  (axisOf: (attributes: never, types: Parameters<AxisRule>[0]["types"]) => number | undefined): AxisRule =>
  ({ x: [x], attributes, types }) => {
    const axis = axisOf(attributes as never, types);
    if (!x || axis === undefined) return undefined;
    const at = fromFront(axis, x.length);
    if (!x[at]) return undefined; // of nothing, the runtime takes any axis
    pinOrder(x[at]!);
    restrict([x[at]!], "unit");
    forbidFibres(
      x.filter((_, k) => k !== at),
      [x[at]!],
    );
    return [x];
  };

/** What comes out depends on shapes only. */
const fromShape: AxisRule = ({ y }) => y.map((shape) => pinnedAxes(shape) ?? []);

export const arrangementRules = {
  ...each("Reshape Flatten Squeeze Unsqueeze", reshape),
  Transpose: transpose,
  Concat: concat,
  Split: split,
  Slice: slice,
  Gather: gather,
  Expand: expand,
  Pad: pad,
  CumSum: ordered((_, types) => constantNumber(types[1])),
  ...each("Shape Size ConstantOfShape", fromShape),
} satisfies AxisRules as AxisRules;
