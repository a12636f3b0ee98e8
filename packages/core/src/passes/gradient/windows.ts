// Sliding windows seen from behind: where each axis' windows lie, and how an axis gets its size back.
import type { Dim } from "../../graph/graph.ts";
import type { Value } from "../../graph/value.ts";
import type { Step } from "../backward.ts";
import { integers, sameShape } from "./shapes.ts";

/** One axis: tap k of window o lies at o stride + k dilation - padBegin. */
export interface WindowAxis {
  /** The size of what the windows lie on, and their number; not numbers where they are known only at run time. */
  readonly size: Dim;
  readonly count: Dim;
  readonly kernel: number;
  readonly stride: number;
  readonly dilation: number;
  readonly padBegin: number;
  readonly padEnd: number;
}

/** From the first to the last tap of a window. */
export const spanOf = ({ kernel, dilation }: Pick<WindowAxis, "kernel" | "dilation">): number =>
  (kernel - 1) * dilation + 1;

/** How far the input, padded, reaches beyond the last window; negative where that window sticks out. */
export function restOf(axis: WindowAxis): number | undefined {
  const { size, count, stride, padBegin, padEnd } = axis;
  if (typeof size !== "number" || typeof count !== "number") return undefined;
  return size + padBegin + padEnd - spanOf(axis) - stride * (count - 1);
}

export interface Placement {
  readonly auto_pad: string;
  readonly pads: readonly number[] | undefined;
  readonly strides: readonly number[] | undefined;
  readonly dilations: readonly number[] | undefined;
}

export const isSame = ({ auto_pad }: Placement): boolean => auto_pad.startsWith("SAME");

/** The axes of windows of these sizes that slide over x and give y. */
export function windowAxes(
  x: Pick<Value, "type">,
  y: Pick<Value, "type">,
  kernel: readonly number[],
  placement: Placement,
  fail: Step["fail"],
  leastPadding = 0,
): readonly WindowAxis[] {
  const { pads, strides, dilations, auto_pad } = placement;
  const explicit = auto_pad === "NOTSET" || auto_pad === "";
  return kernel.map((taps, k) => {
    const [size, count] = [x.type.shape?.[k + 2], y.type.shape?.[k + 2]];
    const place = { size, count, kernel: taps, stride: strides?.[k] ?? 1, dilation: dilations?.[k] ?? 1 };
    if (isSame(placement)) return { ...place, ...samePadding(place, { auto_pad, leastPadding }, fail) };
    const [padBegin, padEnd] = [pads?.[k], pads?.[k + kernel.length]].map((pad) => (explicit && pad) || 0);
    return { ...place, padBegin: padBegin!, padEnd: padEnd! };
  });
}

/** As many windows as strides fit into the axis: the padding that this needs, the odd one where auto_pad says. */
function samePadding(
  axis: Omit<WindowAxis, "padBegin" | "padEnd">,
  { auto_pad, leastPadding }: { readonly auto_pad: string; readonly leastPadding: number },
  fail: Step["fail"],
): Pick<WindowAxis, "padBegin" | "padEnd"> {
  const { size, stride } = axis;
  if (stride !== 1 && typeof size !== "number")
    return fail(`its padding (auto_pad ${auto_pad}) depends on a size that is not known`);
  const overlap = stride === 1 ? -1 : (Math.ceil((size as number) / stride) - 1) * stride - (size as number);
  const total = Math.max(leastPadding, overlap + spanOf(axis));
  const padBegin = Math.trunc((auto_pad === "SAME_LOWER" ? total + 1 : total) / 2);
  return { padBegin, padEnd: total - padBegin };
}

/** Both ends of all axes, in the order of the attribute `pads`. */
export const padsOf = (axes: readonly Pick<WindowAxis, "padBegin" | "padEnd">[]): readonly number[] => [
  ...axes.map((axis) => axis.padBegin),
  ...axes.map((axis) => axis.padEnd),
];

/** Only the first elements along the spatial axes, as many as `like` has. */
export function cropLike(value: Value, like: Value): Value {
  const [from, to] = [value.type.shape?.slice(2), like.type.shape?.slice(2)];
  if (sameShape(from, to)) return value;
  const rank = (from ?? to)!.length;
  const ends = to?.every((d) => typeof d === "number")
    ? integers(to as readonly number[])
    : like.op("Shape", [], { start: 2 });
  return value.op("Slice", [
    integers(new Array(rank).fill(0)),
    ends,
    integers(Array.from({ length: rank }, (_, k) => k + 2)),
  ]);
}

/**
 * The transpose of reading windows: each window's number goes, by its weights [in, out / group, ...kernel], to the
 * elements that the window read; the result has the spatial sizes of `like`.
 */
export function spread(g: Value, weights: Value, axes: readonly WindowAxis[], like: Value, group = 1): Value {
  const skipped = axes.map((axis) => Math.max(0, -axis.padBegin));
  const ends = axes.map((axis) => {
    const rest = restOf(axis);
    // The windows' number may leave up to stride - 1 elements over: room for all of them, then a cut.
    if (rest === undefined) return { padEnd: axis.padEnd, beyond: axis.stride - 1 };
    const padEnd = axis.padEnd - rest; // what makes size, from stride (count - 1) + span - padBegin
    return padEnd >= 0 ? { padEnd, beyond: 0 } : { padEnd: 0, beyond: -padEnd };
  });
  const whole = g.op("ConvTranspose", [weights], {
    strides: axes.map((axis) => axis.stride),
    dilations: axes.map((axis) => axis.dilation),
    pads: padsOf(
      axes.map(({ padBegin }, k) => ({ padBegin: Math.max(0, padBegin), padEnd: ends[k]!.padEnd })),
    ),
    ...(ends.some(({ beyond }) => beyond > 0) ? { output_padding: ends.map(({ beyond }) => beyond) } : {}),
    ...(group === 1 ? {} : { group }),
  });
  if (skipped.every((n) => n === 0)) return cropLike(whole, like);
  // The first elements are read by no window.
  const room = [0, 0, ...skipped, 0, 0, ...skipped.map(() => 0)];
  return cropLike(whole.op("Pad", [integers(room)]), like);
}
