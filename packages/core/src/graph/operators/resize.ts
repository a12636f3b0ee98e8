// The result's shape of Resize, from scales or from sizes.
import type { Dim, Shape } from "../graph.ts";
import { constantOf, numbersOf } from "./constant.ts";
import { formatShape, normalizeAxes, unknownShape } from "./dims.ts";
import type { Inferred, ShapeContext } from "./spec.ts";

interface ResizeInputs {
  readonly roi: Inferred | undefined;
  readonly scales: Inferred | undefined;
  readonly sizes: Inferred | undefined;
}
interface ResizeAttributes {
  readonly axes: readonly number[] | undefined;
  readonly coordinate_transformation_mode: string;
  readonly keep_aspect_ratio_policy: string;
}

export function resizedShape(
  x: Inferred | undefined,
  { roi, scales, sizes }: ResizeInputs,
  attributes: ResizeAttributes,
  context: ShapeContext,
): Shape | undefined {
  const shape = x?.shape;
  if (!shape) return undefined;
  const axes = attributes.axes
    ? normalizeAxes(attributes.axes, shape.length, context)
    : shape.map((_, k) => k);
  const fit = (list: readonly unknown[], what: string) => {
    if (list.length !== axes.length)
      context.fail(`its ${axes.length} ${what} do not fit ${formatShape(shape)}`);
  };
  const factors = numbersOf(scales);
  // An empty list of scales counts as left out.
  if (factors && factors.length > 0) {
    fit(factors, "scales");
    if (attributes.coordinate_transformation_mode === "tf_crop_and_resize" && roi)
      return unknownShape(shape.length);
    return replaced(shape, axes, (d, k) => scaled(d, factors[k]!));
  }
  const wanted = constantOf(sizes)?.entries;
  if (!wanted) return unknownAt(shape, axes);
  fit(wanted, "sizes");
  if (attributes.keep_aspect_ratio_policy === "stretch") return replaced(shape, axes, (_, k) => wanted[k]);
  // Axes counted from the end are left as they are by ONNX Runtime, against the standard.
  if (attributes.axes?.some((axis) => axis < 0)) return unknownAt(shape, axes);
  return keepingAspect(shape, axes, wanted, attributes.keep_aspect_ratio_policy);
}

const replaced = (shape: Shape, axes: readonly number[], f: (d: Dim, k: number) => Dim): Shape =>
  shape.map((d, axis) => (axes.includes(axis) ? f(d, axes.indexOf(axis)) : d));

const unknownAt = (shape: Shape, axes: readonly number[]) => replaced(shape, axes, () => undefined);

/** floor(size * scale), in 32-bit floats as ONNX Runtime computes it. */
const scaled = (size: Dim, scale: number): Dim =>
  scale === 1
    ? size
    : typeof size === "number"
      ? Math.floor(Math.fround(size * Math.fround(scale)))
      : undefined;

/** One scale for all axes: the least (or greatest) that the wanted sizes ask for; sizes are rounded. */
function keepingAspect(shape: Shape, axes: readonly number[], wanted: readonly Dim[], policy: string): Shape {
  const ratios = axes.map((axis, k) => Math.fround((wanted[k] as number) / (shape[axis] as number)));
  if (ratios.some((r) => !Number.isFinite(r))) return unknownAt(shape, axes);
  const scale = policy === "not_larger" ? Math.min(...ratios) : Math.max(...ratios);
  return replaced(shape, axes, (d) => Math.round(Math.fround((d as number) * scale)));
}
