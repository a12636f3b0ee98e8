// Gradients of pooling: each window's cotangent goes back to the elements that the window read.
import { numericShape } from "../../graph/operators/dims.ts";
import type { AttributesOf } from "../../graph/operators/index.ts";
import { elementCount, tensor } from "../../graph/tensor.ts";
import type { Value } from "../../graph/value.ts";
import type { BackwardRule, BackwardRules, Step } from "../backward.ts";
import { scaledBy } from "./elementwise.ts";
import { secondOutput } from "./outputs.ts";
import { reducedCount } from "./reduction.ts";
import { addedUp } from "./scatter.ts";
import { expandLike, fullLike, integers, reshapeLike, zerosLike } from "./shapes.ts";
import { isSame, restOf, spread, type WindowAxis, windowAxes } from "./windows.ts";

type Pooling = Omit<AttributesOf<"LpPool">, "p">;

function poolAxes({ x: [x], y: [y], fail }: Step, attributes: Pooling): readonly WindowAxis[] {
  const { kernel_shape, ceil_mode, dilations } = attributes;
  if (!x.type.shape) return fail("the rank of its input is not known");
  if (isSame(attributes) && dilations?.some((d) => d > 1))
    return fail("auto_pad SAME with dilations has no gradient: state its pads");
  // Where windows lie apart, automatic padding is negative: ONNX Runtime crops the input.
  const axes = windowAxes(x, y, kernel_shape, attributes, fail, Number.NEGATIVE_INFINITY);
  if (ceil_mode && axes.some((axis) => restOf(axis) === undefined))
    return fail("with ceil_mode its spatial sizes must be known");
  return axes;
}

/** The transpose of summing over windows, channel by channel. */
function spreadSums(g: Value, x: Value, axes: readonly WindowAxis[]): Value {
  const blocks = spreadBlocks(g, axes);
  if (blocks) return blocks;
  const alone = (value: Value): Value => {
    const sizes = numericShape(value.type.shape!.slice(2));
    if (sizes) return value.reshape([-1, 1, ...sizes]);
    const lead = value.builder.lift(integers([-1, 1]), "int64");
    return value.op("Reshape", [lead.concat([value.op("Shape", [], { start: 2 })], 0)]);
  };
  const dims = [1, 1, ...axes.map((axis) => axis.kernel)];
  const ones = tensor(new Array(elementCount(dims)).fill(1), { type: x.type.type as "float64", dims });
  return reshapeLike(spread(alone(g), x.builder.weight(ones, "ones"), axes, alone(x)), x);
}

/** Windows side by side that cover everything: each number becomes a block of copies. */
function spreadBlocks(g: Value, axes: readonly WindowAxis[]): Value | undefined {
  const tiles = axes.every(
    (axis) =>
      axis.stride === axis.kernel &&
      axis.dilation === 1 &&
      axis.padBegin === 0 &&
      typeof axis.size === "number" &&
      axis.size === axis.stride * (axis.count as number),
  );
  if (!tiles) return undefined;
  const apart = g.reshape([0, 0, ...axes.flatMap((axis) => [axis.count as number, 1])]);
  const blocks = apart.op("Expand", [integers([1, 1, ...axes.flatMap((axis) => [1, axis.kernel])])]);
  return blocks.reshape([0, 0, ...axes.map((axis) => axis.size as number)]);
}

/** How many elements each window averages over, along one axis. */
function windowCounts(axis: WindowAxis, includePad: boolean, fail: Step["fail"]): readonly number[] | number {
  const { size, count, kernel, stride, dilation, padBegin, padEnd } = axis;
  const [padded, rest] = [padBegin + padEnd > 0, restOf(axis)];
  if ((!padded || includePad) && (rest === undefined || rest >= 0)) return kernel;
  if (typeof size !== "number" || typeof count !== "number")
    return fail("the size of its windows at the border depends on sizes that are not known");
  const [begin, end] = includePad ? [-padBegin, size + padEnd] : [0, size];
  return Array.from({ length: count }, (_, window) => {
    const first = window * stride - padBegin;
    return Array.from({ length: kernel }, (_, tap) => first + tap * dilation).filter(
      (at) => at >= begin && at < end,
    ).length;
  });
}

/** g divided by the number of elements that each window averages over. */
function perElement(g: Value, axes: readonly WindowAxis[], includePad: boolean, fail: Step["fail"]): Value {
  const counts = axes.map((axis) => windowCounts(axis, includePad, fail));
  const type = g.type.type as "float64";
  const even = counts.reduce<number>((n, count) => n * (typeof count === "number" ? count : 1), 1);
  return counts.reduce<Value>(
    (share, count, k) =>
      typeof count === "number"
        ? share
        : share.div(tensor(count, { type, dims: [count.length, ...axes.slice(k + 1).map(() => 1)] })),
    even === 1 ? g : g.div(even),
  );
}

/** G Sign(x) |x|^(p-1), by the derivative of |x|^p / p. */
function byPower(g: Value, x: Value, p: number): Value {
  if (p === 1) return scaledBy(g, x.op("Sign"));
  return g.mul(p === 2 ? x : x.op("Sign").mul(x.abs().pow(p - 1)));
}

/** G y^(1-p), and 0 where the norm y is 0, where it has no derivative. */
function perNorm(g: Value, y: Value, p: number): Value {
  if (p === 1) return g;
  const nonzero = y.op("Greater", [fullLike(y, 0)]);
  const safe = nonzero.op("Where", [y, fullLike(y, 1)]);
  const share = g.div(p === 2 ? safe : safe.pow(p - 1));
  return nonzero.op("Where", [share, zerosLike(share)]);
}

/** Which element each window took; a MaxPool in a graph around this one is written once more to know. */
const takenElements = (step: Step, attributes: AttributesOf<"MaxPool">): Value =>
  secondOutput(step, { type: "int64", shape: step.y[0].type.shape }) ??
  step.builder.apply("MaxPool", [step.x[0]], attributes, 2)[1]!;

/** Each window's cotangent goes to the element that it took, the first of the greatest. */
const maxPool: BackwardRule<"MaxPool"> = (step, attributes) => {
  const {
    g,
    x: [x],
    fail,
  } = step;
  const { storage_order } = attributes;
  const rank = x.type.shape?.length;
  if (rank === undefined) return fail("the rank of its input is not known");
  return [
    () => {
      const taken = takenElements(step, attributes);
      const back = addedUp("ScatterElements", x.reshape([-1]), taken.reshape([-1]), g.reshape([-1]));
      if (storage_order === 0 || rank === 3) return back.op("Reshape", [x.op("Shape")]);
      // Counted column by column: the last spatial axis is the slowest.
      const perm = [0, 1, ...Array.from({ length: rank - 2 }, (_, k) => rank - 1 - k)];
      const columns = x.op("Shape").gather(perm, 0);
      return back.op("Reshape", [columns]).transpose(perm);
    },
  ];
};

/** The greatest of each channel, the first if there are several, gets the channel's cotangent. */
const globalMaxPool: BackwardRule<"GlobalMaxPool"> = ({ g, x: [x] }) => [
  () => {
    const rows = x.reshape([0, 0, -1]);
    const first = rows.op("ArgMax", [], { axis: 2 });
    const back = zerosLike(rows).op("ScatterElements", [first, g.reshape([0, 0, 1])], { axis: 2 });
    return reshapeLike(back, x);
  },
];

export const pooling: BackwardRules = {
  MaxPool: maxPool,
  AveragePool: (step, attributes) => {
    const axes = poolAxes(step, attributes);
    const {
      g,
      x: [x],
      fail,
    } = step;
    return [() => spreadSums(perElement(g, axes, attributes.count_include_pad !== 0, fail), x, axes)];
  },
  LpPool: (step, attributes) => {
    const axes = poolAxes(step, attributes);
    const {
      g,
      x: [x],
      y: [y],
    } = step;
    const { p } = attributes;
    return [() => byPower(spreadSums(perNorm(g, y, p), x, axes), x, p)];
  },
  GlobalMaxPool: globalMaxPool,
  GlobalAveragePool: ({ g, x: [x], y: [y] }) => [() => expandLike(g.div(reducedCount(x, y)), x)],
  GlobalLpPool: ({ g, x: [x], y: [y] }, { p }) => [() => byPower(perNorm(g, y, p), x, p)],
};
