// Operators that move elements: each result element is one input element (or a padding constant).

import {
  affinePositions,
  broadcastPositions,
  pickedPositions,
  stridesOf,
  transposedPositions,
} from "../../graph/elements/positions.ts";
import { GraphError } from "../../graph/error.ts";
import { describe, type Node } from "../../graph/graph.ts";
import { rangeOf } from "../../graph/operators/slice.ts";
import type { Rules } from "../pass.ts";
import { numbersOf, type RuleContext } from "./affine-rules.ts";
import { constantForms, type Forms, RowWriter, reshape, select } from "./forms.ts";

const axisOf = (axis: number, { dims }: Forms): number => (axis < 0 ? axis + dims.length : axis);
const integers = (x: Forms | undefined, node: Node, what: string): number[] => [...numbersOf(x, node, what)];
const range = (from: number, count: number, step = 1): number[] =>
  Array.from({ length: count }, (_, k) => from + k * step);

function concatenated(inputs: readonly Forms[], axis: number, dims: readonly number[]): Forms {
  // Row-major order: blocks of each input, one after the other, for each index of the axes before.
  const rows = new RowWriter();
  const outer = dims.slice(0, axis).reduce((n, d) => n * d, 1);
  const blocks = inputs.map((x) => x.dims.slice(axis).reduce((n, d) => n * d, 1));
  for (let o = 0; o < outer; o++)
    inputs.forEach((x, n) => {
      for (let k = 0; k < blocks[n]!; k++) {
        rows.add(x, o * blocks[n]! + k, 1);
        rows.endRow();
      }
    });
  return rows.forms(dims);
}

function sliced(inputs: readonly (Forms | undefined)[], node: Node): Forms {
  const x = inputs[0]!;
  const starts = integers(inputs[1], node, "its starts");
  const ends = integers(inputs[2], node, "its ends");
  const axes = inputs[3] ? integers(inputs[3], node, "its axes") : range(0, starts.length);
  const steps = inputs[4] ? integers(inputs[4], node, "its steps") : starts.map(() => 1);
  return axes.reduce((part, listed, k) => {
    const axis = axisOf(listed, part);
    const size = part.dims[axis]!;
    const [start, end, step] = [starts[k]!, ends[k]!, steps[k]!];
    const { first, count } = rangeOf(size, start, end, step);
    if (typeof count !== "number")
      throw new GraphError(
        `${describe(node)}: backwards to ${end} means different things to different readers`,
      );
    return picks(part, axis, range(first, count, step));
  }, x);
}

function picks(x: Forms, axis: number, indices: readonly number[]): Forms {
  const dims = x.dims.map((d, k) => (k === axis ? indices.length : d));
  return select(x, pickedPositions(x.dims, axis, indices), dims);
}

function padded(
  [x, pads, fill, axes]: readonly (Forms | undefined)[],
  mode: string,
  dims: readonly number[],
  node: Node,
): Forms {
  if (mode !== "constant") throw new GraphError(`${describe(node)}: the regions pass cannot pad by ${mode}`);
  const amounts = integers(pads, node, "its pads");
  const listed = axes ? integers(axes, node, "its axes").map((a) => axisOf(a, x!)) : x!.dims.map((_, k) => k);
  const begin = x!.dims.map((_, k) => (listed.includes(k) ? amounts[listed.indexOf(k)]! : 0));
  const steps = stridesOf(x!.dims);
  // Below all positions, and within 32 bits where every axis is outside.
  const outside = -Math.floor(2 ** 31 / Math.max(1, dims.length));
  const positions = affinePositions(
    dims,
    dims.map((_, k) => (c) => {
      const at = c - begin[k]!;
      return at >= 0 && at < x!.dims[k]! ? at * steps[k]! : outside;
    }),
  );
  return select(x!, positions, dims, fill ? numbersOf(fill, node, "its padding value")[0] : 0);
}

/** f32 and f64 are real numbers here; half precision and less, and integers, have steps. */
function cast({ type }: RuleContext, x: Forms, node: Node): Forms {
  const [from, to] = [type(node.inputs[0]!), type(node.outputs[0]!)];
  if (to === "float32" || to === "float64" || to === from) return x;
  throw new GraphError(`${describe(node)}: a function rounded to ${to} is not piecewise linear`);
}

/** Each moving operator's rule. */
export const moverRules = (context: RuleContext): Rules<Forms> => {
  const { dims } = context;
  const relabelled = ([x]: readonly (Forms | undefined)[], _: unknown, node: Node): Forms =>
    reshape(x!, dims(node));
  return {
    Identity: ([x]) => x!,
    Dropout: ([x, , training], _, node) => {
      if (training && numbersOf(training, node, "its training mode")[0])
        throw new GraphError(`${describe(node)} is in training mode`);
      return x!;
    },
    Cast: ([x], _, node) => cast(context, x!, node),
    CastLike: ([x], _, node) => cast(context, x!, node),
    Reshape: relabelled,
    Flatten: relabelled,
    Squeeze: relabelled,
    Unsqueeze: relabelled,
    Transpose: ([x], { perm }, node) =>
      select(
        x!,
        transposedPositions(x!.dims, perm ?? x!.dims.map((_, k) => x!.dims.length - 1 - k)),
        dims(node),
      ),
    Expand: ([x], _, node) => select(x!, broadcastPositions(x!.dims, dims(node)), dims(node)),
    Concat: (inputs, { axis }, node) =>
      concatenated(inputs as readonly Forms[], axis < 0 ? axis + dims(node).length : axis, dims(node)),
    Slice: (inputs, _, node) => sliced(inputs, node),
    Split: ([x], { axis }, node) => {
      const along = axisOf(axis, x!);
      let start = 0;
      return node.outputs.map((_, k) => {
        const size = dims(node, k)[along]!;
        start += size;
        return picks(x!, along, range(start - size, size));
      });
    },
    Gather: ([x, indices], { axis }, node) => {
      const along = axisOf(axis, x!);
      const size = x!.dims[along]!;
      const at = integers(indices, node, "its indices").map((i) => (i < 0 ? i + size : i));
      return reshape(picks(x!, along, at), dims(node));
    },
    Pad: (inputs, { mode }, node) => padded(inputs, mode, dims(node), node),
    Shape: ([x], { start, end }) => {
      const part = x!.dims.slice(start, end);
      return constantForms([part.length], Float64Array.from(part));
    },
  };
};
