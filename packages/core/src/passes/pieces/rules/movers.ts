// Operators that move elements: each output is one of the inputs, unchanged.

import { flatten, indexMap, stridesOf } from "../../../graph/elements/positions.ts";
import type { Node } from "../../../graph/graph.ts";
import { elementCount, numbers } from "../../../graph/tensor.ts";
import type { Exact } from "../../../numbers/exact/rational.ts";
import type { Rules } from "../../pass.ts";
import type { Element } from "../lines.ts";
import { axisOf, firstDims, outputDims } from "../shape.ts";
import { aligned, constants, integers, type Pieces, scalar } from "../tensor.ts";
import { Unreadable } from "../unreadable.ts";
import { broadcastTo } from "./bends.ts";

type Inputs = readonly (Pieces | undefined)[];

/** The elements at these positions, and another one wherever a position is negative. */
export function moved(x: Pieces, dims: readonly number[], positions: Int32Array, fill: Element = 0): Pieces {
  return { ...x, dims, elements: Array.from(positions, (k) => (k < 0 ? fill : x.elements[k]!)) };
}

/** The same elements in another shape. */
const relabelled = (inputs: Inputs, _: unknown, node: Node): Pieces => ({
  ...inputs[0]!,
  dims: firstDims(node, inputs),
});

const integerTensor = (values: readonly number[], dims: readonly number[] = [values.length]): Pieces => ({
  type: "int64",
  dims,
  elements: values,
});

/** Tensors joined along an axis. */
export function concatenated(tensors: readonly Pieces[], axis: number, dims: readonly number[]): Pieces {
  const { grid, inputs } = aligned(tensors);
  const outer = elementCount(dims.slice(0, axis));
  const chunks = inputs.map((x) => elementCount(x.dims.slice(axis)));
  const elements: Element[] = [];
  for (let n = 0; n < outer; n++)
    inputs.forEach((x, k) => {
      for (let i = 0; i < chunks[k]!; i++) elements.push(x.elements[n * chunks[k]! + i]!);
    });
  return { type: tensors[0]!.type, dims, ...(grid && { grid }), elements };
}

/** x[first + k step] along each axis, for a result of these sizes. */
function strided(
  x: Pieces,
  dims: readonly number[],
  first: readonly number[],
  step: readonly number[],
): Pieces {
  const strides = stridesOf(x.dims);
  const start = flatten(first, strides);
  const steps = strides.map((s, k) => s * step[k]!);
  return moved(
    x,
    dims,
    indexMap(dims, (at) => start + flatten(at, steps)),
  );
}

function sliced(inputs: Inputs, node: Node): Pieces {
  const x = inputs[0]!;
  const starts = integers(inputs[1]!, "its starts");
  const axes = inputs[3] ? integers(inputs[3], "its axes").map((a) => axisOf(a, x)) : starts.map((_, k) => k);
  const given = inputs[4] ? integers(inputs[4], "its steps") : starts.map(() => 1);
  const [first, step] = [x.dims.map(() => 0), x.dims.map(() => 1)];
  axes.forEach((axis, k) => {
    const size = x.dims[axis]!;
    const start = starts[k]! < 0 ? starts[k]! + size : starts[k]!;
    first[axis] = Math.max(0, Math.min(start, given[k]! > 0 ? size : size - 1));
    step[axis] = given[k]!;
  });
  return strided(x, firstDims(node, inputs), first, step);
}

/** Where position k of a padded axis comes from: -1 is the constant. */
const paddingModes: Readonly<Record<string, (k: number, size: number) => number>> = {
  constant: (k, size) => (k >= 0 && k < size ? k : -1),
  edge: (k, size) => Math.min(Math.max(k, 0), size - 1),
  reflect: (k, size) => {
    const period = Math.max(1, 2 * (size - 1));
    const place = ((k % period) + period) % period;
    return Math.min(place, period - place);
  },
  wrap: (k, size) => ((k % size) + size) % size,
};

function padded(inputs: Inputs, mode: string, node: Node): Pieces {
  const [x, pads, value, axes] = inputs;
  const source = paddingModes[mode];
  if (!source) throw new Unreadable(`its mode is "${mode}"`);
  const listed = axes ? integers(axes, "its axes").map((a) => axisOf(a, x!)) : x!.dims.map((_, k) => k);
  const amounts = integers(pads!, "its pads");
  if (mode !== "constant" && amounts.some((p) => p < 0))
    throw new Unreadable(`some of its pads are negative, and its mode is "${mode}"`);
  const isTooWide = amounts.some(
    (p, k) => p > x!.dims[listed[k % listed.length]!]! - (mode === "reflect" ? 1 : 0),
  );
  if (isTooWide && (mode === "wrap" || mode === "reflect"))
    throw new Unreadable(`its pads are wider than its input, and its mode is "${mode}"`);
  const before = x!.dims.map((_, k) => (listed.includes(k) ? amounts[listed.indexOf(k)]! : 0));
  const dims = firstDims(node, inputs);
  const strides = stridesOf(x!.dims);
  const positions = indexMap(dims, (at) => {
    const from = at.map((i, k) => source(i - before[k]!, x!.dims[k]!));
    return from.includes(-1) ? -1 : flatten(from, strides);
  });
  return moved(x!, dims, positions, value ? constants(value, "its value")[0]! : 0);
}

/** Moves a factor b of the axes named by letters, as in a reshape, transposition and reshape. */
function throughAxes(
  x: Pieces,
  split: readonly number[],
  perm: readonly number[],
  dims: readonly number[],
): Pieces {
  const strides = stridesOf(split);
  const permuted = perm.map((k) => split[k]!);
  const steps = perm.map((k) => strides[k]!);
  return moved(
    x,
    dims,
    indexMap(permuted, (at) => flatten(at, steps)),
  );
}

export const movers: Rules<Pieces> = {
  Identity: ([x]) => x!,
  Reshape: relabelled,
  Flatten: relabelled,
  Squeeze: relabelled,
  Unsqueeze: relabelled,
  Dropout: ([x, , training]) => {
    if (training && constants(training, "its mode")[0] !== 0) throw new Unreadable("it is in training mode");
    return [x!, { type: "bool", dims: x!.dims, elements: x!.elements.map(() => 1) }];
  },
  Transpose: ([x], { perm }) => {
    const axes = perm?.map((axis) => axisOf(axis, x!)) ?? x!.dims.map((_, k) => x!.dims.length - 1 - k);
    return throughAxes(
      x!,
      x!.dims,
      axes,
      axes.map((k) => x!.dims[k]!),
    );
  },
  Expand: ([x, shape], _, node) => broadcastTo(x!, firstDims(node, [x, shape])),
  Tile: ([x, repeats], _, node) => {
    const strides = stridesOf(x!.dims);
    const dims = firstDims(node, [x, repeats]);
    const positions = indexMap(dims, (at) =>
      flatten(
        at.map((i, k) => i % x!.dims[k]!),
        strides,
      ),
    );
    return moved(x!, dims, positions);
  },
  Concat: (inputs, { axis }, node) =>
    concatenated(inputs as readonly Pieces[], axisOf(axis, inputs[0]!), firstDims(node, inputs)),
  Split: ([x, sizes], { axis }, node) => {
    const along = axisOf(axis, x!);
    const still = x!.dims.map(() => 1);
    let start = 0;
    return outputDims(node, [x, sizes]).map((dims) => {
      const first = x!.dims.map((_, k) => (k === along ? start : 0));
      start += dims[along]!;
      return strided(x!, dims, first, still);
    });
  },
  Slice: (inputs, _, node) => sliced(inputs, node),
  Pad: (inputs, { mode }, node) => padded(inputs, mode, node),
  DepthToSpace: ([x], { blocksize: b, mode }, node) => {
    const [n, c, h, w] = x!.dims as readonly [number, number, number, number];
    const depth = c / (b * b);
    return mode === "CRD"
      ? throughAxes(x!, [n, depth, b, b, h, w], [0, 1, 4, 2, 5, 3], firstDims(node, [x]))
      : throughAxes(x!, [n, b, b, depth, h, w], [0, 3, 4, 1, 5, 2], firstDims(node, [x]));
  },
  SpaceToDepth: ([x], { blocksize: b }, node) => {
    const [n, c, h, w] = x!.dims as readonly [number, number, number, number];
    return throughAxes(x!, [n, c, h / b, b, w / b, b], [0, 3, 5, 1, 2, 4], firstDims(node, [x]));
  },
  Trilu: ([x, k], { upper }) => {
    const shift = k ? integers(k, "its diagonal")[0]! : 0;
    const strides = stridesOf(x!.dims);
    const positions = indexMap(x!.dims, (at) => {
      const above = at.at(-1)! - at.at(-2)! - shift;
      return (upper ? above >= 0 : above <= 0) ? flatten(at, strides) : -1;
    });
    return moved(x!, x!.dims, positions);
  },
  Shape: ([x], { start, end }) => {
    const rank = x!.dims.length;
    const place = (k: number) => Math.min(Math.max(k < 0 ? k + rank : k, 0), rank);
    return integerTensor(x!.dims.slice(place(start), end === undefined ? rank : place(end)));
  },
  Size: ([x]) => integerTensor([elementCount(x!.dims)], []),
  ConstantOfShape: ([shape], { value }) => {
    const dims = integers(shape!, "its shape");
    const entry: Exact = value ? numbers(value)[0]! : 0;
    return broadcastTo(scalar(entry, value?.type ?? "float32"), dims);
  },
  Range: ([start, limit, delta]) => {
    const [from, to, step] = [start!, limit!, delta!].map((x) => integers(x, "its range")[0]!);
    const count = Math.max(0, Math.ceil((to! - from!) / step!));
    return {
      ...integerTensor(Array.from({ length: count }, (_, k) => from! + k * step!)),
      type: start!.type,
    };
  },
};
