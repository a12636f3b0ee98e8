// Resampling: each output position along an axis is a fixed combination of input positions.
import { GraphError } from "../error.ts";
import { describe, type Node, type Shape } from "../graph.ts";
import { inferNode } from "../infer-scope.ts";
import { integerRange } from "../integer-range.ts";
import { numbersOf } from "../operators/constant.ts";
import type { AttributesOf } from "../operators/index.ts";
import { tensor } from "../tensor.ts";
import type { Value } from "../value.ts";
import { type Definitions, elementType, fixed, shapeOf } from "./definition.ts";
import { integers } from "./expression.ts";

type Attributes = AttributesOf<"Resize">;

/** One axis: `size` positions in, `count` positions out. */
interface Resampling {
  readonly size: number;
  readonly count: number;
  readonly scale: number;
}

/** What each operation rounds to: nothing, or to single precision as the runtime does. */
type Rounded = (x: number) => number;

const halfPixel = (at: number, scale: number, r: Rounded): number => r(r((at + 0.5) / scale) - 0.5);

/** Positions of the output in the coordinates of the input, by the name of the transformation. */
const coordinates: Readonly<Record<string, (at: number, axis: Resampling, r: Rounded) => number>> = {
  half_pixel: (at, { scale }, r) => halfPixel(at, scale, r),
  pytorch_half_pixel: (at, { scale, count }, r) => (count > 1 ? halfPixel(at, scale, r) : 0),
  half_pixel_symmetric: (at, { scale, count, size }, r) => {
    const adjustment = r(count / r(scale * size));
    const offset = r((size / 2) * r(1 - adjustment));
    return r(r(offset + r((at + 0.5) / scale)) - 0.5);
  },
  align_corners: (at, { size, count }, r) => (count === 1 ? 0 : r(r(at * (size - 1)) / (count - 1))),
  asymmetric: (at, { scale }, r) => r(at / scale),
  tf_half_pixel_for_nn: (at, { scale }, r) => r((at + 0.5) / scale),
};

const roundings: Readonly<Record<string, (x: number) => number>> = {
  round_prefer_floor: (x) => Math.ceil(x - 0.5),
  round_prefer_ceil: (x) => Math.floor(x + 0.5),
  floor: Math.floor,
  ceil: Math.ceil,
};

/**
 * Whether another position is the nearest one a little further on. There the runtime has its own ways: room around a tie
 * that prefers the ceiling, and another order of operations for symmetric pixels.
 */
const isAtStep = (place: number, nearest: (x: number) => number): boolean => {
  const room = 4e-6 * (1 + Math.abs(place));
  return nearest(place - room) !== nearest(place + room);
};

const clamp = (at: number, size: number): number => Math.min(Math.max(at, 0), size - 1);

/** The weights of Keys' cubic kernel at the four positions around a point, `t` behind the second of them. */
const cubicWeights = (t: number, a: number): readonly number[] => {
  const near = (d: number) => ((a + 2) * d - (a + 3)) * d * d + 1;
  const far = (d: number) => ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  return [far(1 + t), near(t), near(1 - t), far(2 - t)];
};

/** The weights of the input positions at one coordinate. */
function weightsAt(x: number, size: number, attributes: Attributes): ReadonlyMap<number, number> {
  const weights = new Map<number, number>();
  const add = (at: number, weight: number) => weights.set(at, (weights.get(at) ?? 0) + weight);
  if (attributes.mode === "linear") {
    const inside = clamp(x, size);
    const below = Math.floor(inside);
    add(below, 1 - (inside - below));
    if (inside > below) add(below + 1, inside - below);
    return weights;
  }
  const below = Math.floor(x);
  const taps = cubicWeights(x - below, attributes.cubic_coeff_a).map((weight, k) => ({
    at: below - 1 + k,
    weight,
  }));
  const isInside = ({ at }: { readonly at: number }) => at >= 0 && at < size;
  const counted = attributes.exclude_outside === 0 ? taps : taps.filter(isInside);
  const total = attributes.exclude_outside === 0 ? 1 : counted.reduce((sum, { weight }) => sum + weight, 0);
  for (const { at, weight } of counted) add(clamp(at, size), weight / total);
  return weights;
}

/** The axis number `axis` of x, resampled. */
function resampled(
  x: Value,
  axis: number,
  resampling: Resampling,
  attributes: Attributes,
  node: Node,
): Value {
  const { size, count } = resampling;
  const transform = coordinates[attributes.coordinate_transformation_mode];
  if (!transform)
    throw new GraphError(
      `${describe(node)}: coordinates "${attributes.coordinate_transformation_mode}" have no definition`,
    );
  const placesRounded = (r: Rounded): number[] =>
    Array.from({ length: count }, (_, at) => transform(at, { ...resampling, scale: r(resampling.scale) }, r));
  if (attributes.mode === "nearest") {
    // Near a step the runtime decides by 32-bit coordinates, rounded at each operation: the same position is taken here.
    const nearest = roundings[attributes.nearest_mode]!;
    const places = placesRounded(Math.fround);
    const exact = placesRounded((place) => place);
    const isOpen = (place: number, k: number): boolean =>
      isAtStep(place, nearest) &&
      (attributes.coordinate_transformation_mode === "half_pixel_symmetric" ||
        (attributes.nearest_mode === "round_prefer_ceil" && place !== exact[k]));
    if (places.some(isOpen))
      throw new GraphError(`${describe(node)}: which position is the nearest depends on rounding`);
    return x.gather(integers(places.map((place) => clamp(nearest(place), size))), axis);
  }
  if (integerRange(elementType(x, node)))
    throw new GraphError(`${describe(node)}: how integers are interpolated has no definition`);
  const rows = placesRounded((place) => place).map((place) => {
    const weights = weightsAt(place, size, attributes);
    return Array.from({ length: size }, (_, at) => weights.get(at) ?? 0);
  });
  return alongAxis(x, axis, rows, node);
}

/** A matrix applied along one axis. */
function alongAxis(x: Value, axis: number, rows: readonly (readonly number[])[], node: Node): Value {
  const matrix = x.builder.weight(tensor(rows, { type: elementType(x, node) }), "interpolation");
  const last = shapeOf(x, node).length - 1;
  if (axis === last - 1) return matrix.matmul(x);
  if (axis === last) return x.matmul(matrix.transpose([1, 0]));
  const order = shapeOf(x, node).map((_, k) => (k === axis ? last : k === last ? axis : k));
  return x
    .transpose(order)
    .matmul(matrix.transpose([1, 0]))
    .transpose(order);
}

interface Resized {
  readonly axis: number;
  readonly resampling: Resampling;
}

/** The axes that change, each with its factor: as given, or from the sizes. */
function resizedAxes(
  [x, , scales, sizes]: readonly (Value | undefined)[],
  output: Shape,
  attributes: Attributes,
  node: Node,
): readonly Resized[] {
  const shape = shapeOf(x!, node);
  const factors = numbersOf(scales?.type) ?? [];
  const wanted = numbersOf(sizes?.type);
  if (factors.length === 0 && !wanted)
    throw new GraphError(`${describe(node)}: its scales or sizes must be constant`);
  const axes =
    attributes.axes?.map((axis) => (axis < 0 ? axis + shape.length : axis)) ?? shape.map((_, k) => k);
  const sizeOf = (axis: number) => fixed(shape[axis], `axis ${axis} of its input "${x!.name}"`, node);
  const { keep_aspect_ratio_policy: policy } = attributes;
  const ratios =
    policy === "stretch" || factors.length > 0 ? [] : axes.map((axis, k) => wanted![k]! / sizeOf(axis));
  const common = policy === "not_larger" ? Math.min(...ratios) : Math.max(...ratios);
  return axes.flatMap((axis, k): readonly Resized[] => {
    const given = factors[k] ?? (ratios.length > 0 ? Math.fround(common) : undefined);
    if (given === 1 || (given === undefined && shape[axis] === wanted![k])) return [];
    const size = sizeOf(axis);
    const count = fixed(output[axis], `axis ${axis} of its output "${node.outputs[0]}"`, node);
    return [{ axis, resampling: { size, count, scale: given ?? count / size } }];
  });
}

export const resize: Definitions = {
  Resize: (inputs, attributes, node) => {
    if (attributes.antialias !== 0) throw new GraphError(`${describe(node)}: antialias has no definition`);
    const [output] = inferNode(
      node,
      inputs.map((value) => value?.type),
    );
    const axes = resizedAxes(inputs, output?.shape ?? [], attributes, node);
    if (axes.length > 0 && axes.every(({ resampling: { size, count } }) => size === count))
      throw new GraphError(
        `${describe(node)}: it scales, but to the size of its input, which the runtime copies and the standard does not`,
      );
    return axes.reduce(
      (y, { axis, resampling }) => resampled(y, axis, resampling, attributes, node),
      inputs[0]!,
    );
  },
};
