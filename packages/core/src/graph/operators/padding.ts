// Operators that grow or shrink axes: padding, repetition, resampling, and moving channels to space.
import type { Dim, Shape } from "../graph.ts";
import { constantOf, numbersOf, rearranged } from "./constant.ts";
import {
  addDims,
  divideDim,
  expectRank,
  formatShape,
  given,
  multiplyDims,
  normalizeAxes,
  reshaped,
  unknownShape,
} from "./dims.ts";
import { operator } from "./operator.ts";
import { resizedShape } from "./resize.ts";
import { flag, float, type Inferred, int, ints, required, type ShapeContext, string } from "./spec.ts";

function padded(
  x: Inferred | undefined,
  pads: Inferred | undefined,
  axes: Inferred | undefined,
  context: ShapeContext,
): Shape | undefined {
  const shape = x?.shape;
  if (!shape) return undefined;
  const listed = given(context, 3) ? numbersOf(axes) : shape.map((_, k) => k);
  const amounts = constantOf(pads)?.entries;
  if (!listed || !amounts) return unknownShape(shape.length);
  if (amounts.length !== 2 * listed.length)
    context.fail(`pads [${amounts}] must have ${2 * listed.length} entries for ${formatShape(shape)}`);
  const padded = [...shape];
  normalizeAxes(listed, shape.length, context).forEach((axis, k) => {
    const size = addDims(addDims(padded[axis], amounts[k]), amounts[k + listed.length]);
    if (typeof size === "number" && size < 0)
      context.fail(`its padding leaves ${formatShape(shape)} a size of ${size}`);
    padded[axis] = size;
  });
  return padded;
}

const blocks = (x: Inferred | undefined, context: ShapeContext): readonly Dim[] | undefined => {
  expectRank(x, 4, context);
  return x?.shape;
};

export const padding = {
  Pad: operator({
    inputs: [2, 4],
    attributes: { mode: string("constant") },
    shape: ([x, pads, , axes], _, context) => reshaped(x, padded(x, pads, axes, context)),
  }),
  Tile: operator({
    inputs: [2, 2],
    shape: ([x, repeats], _, context) => {
      const shape = x?.shape;
      const times = constantOf(repeats)?.entries;
      if (!shape) return reshaped(x, undefined);
      if (times && times.length !== shape.length)
        context.fail(`repeats [${times}] do not fit ${formatShape(shape)}`);
      const result = shape.map((d, k) => (times ? multiplyDims(d, times[k]) : undefined));
      return rearranged(x, result, (at) => at.map((i, k) => i % (shape[k] as number)));
    },
  }),
  Resize: operator({
    inputs: [1, 4],
    attributes: {
      antialias: flag(0),
      axes: ints(),
      coordinate_transformation_mode: string("half_pixel"),
      cubic_coeff_a: float(-0.75),
      exclude_outside: flag(0),
      extrapolation_value: float(0),
      keep_aspect_ratio_policy: string("stretch"),
      mode: string("nearest"),
      nearest_mode: string("round_prefer_floor"),
    },
    shape: ([x, roi, scales, sizes], attributes, context) =>
      reshaped(x, resizedShape(x, { roi, scales, sizes }, attributes, context)),
  }),
  DepthToSpace: operator({
    inputs: [1, 1],
    attributes: { blocksize: required(int()), mode: string("DCR") },
    shape: ([x], { blocksize: b }, context) => {
      const shape = blocks(x, context);
      if (!shape) return reshaped(x, unknownShape(4));
      const channels = divideDim(shape[1], b * b, context, "the number of channels");
      return reshaped(x, [shape[0], channels, multiplyDims(shape[2], b), multiplyDims(shape[3], b)]);
    },
  }),
  SpaceToDepth: operator({
    inputs: [1, 1],
    attributes: { blocksize: required(int()) },
    shape: ([x], { blocksize: b }, context) => {
      const shape = blocks(x, context);
      if (!shape) return reshaped(x, unknownShape(4));
      const [rows, columns] = [shape[2], shape[3]].map((d) => divideDim(d, b, context, "a side of"));
      return reshaped(x, [shape[0], multiplyDims(shape[1], b * b), rows, columns]);
    },
  }),
};
