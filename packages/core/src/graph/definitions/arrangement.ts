// Operators that move, keep or mark elements.

import { tensor } from "../tensor.ts";
import type { Value } from "../value.ts";
import { type Definitions, fixedSizes, shapeOf } from "./definition.ts";
import { integers, where } from "./expression.ts";

/** Axes of [batch, channels, rows, columns] split, moved and joined again. */
const regrouped = (
  x: Value,
  split: readonly number[],
  perm: readonly number[],
  joined: readonly number[],
): Value =>
  x
    .reshape([0, ...split])
    .transpose(perm)
    .reshape([0, ...joined]);

export const arrangement: Definitions = {
  DepthToSpace: ([x], { blocksize: b, mode }, node) => {
    const [channels, rows, columns] = fixedSizes(x!, 1, node) as [number, number, number];
    const depth = channels / (b * b);
    const joined = [depth, rows * b, columns * b];
    return mode === "CRD"
      ? regrouped(x!, [depth, b, b, rows, columns], [0, 1, 4, 2, 5, 3], joined)
      : regrouped(x!, [b, b, depth, rows, columns], [0, 3, 4, 1, 5, 2], joined);
  },
  SpaceToDepth: ([x], { blocksize: b }, node) => {
    const [channels, rows, columns] = fixedSizes(x!, 1, node) as [number, number, number];
    const split = [channels, rows / b, b, columns / b, b];
    return regrouped(x!, split, [0, 3, 5, 1, 2, 4], [channels * b * b, rows / b, columns / b]);
  },
  /** Entry (i, j) stays where j - i >= k (upper), or <= k (lower). */
  Trilu: ([x, k], { upper }, node) => {
    const rank = shapeOf(x!, node).length;
    const [rows, columns] = fixedSizes(x!, rank - 2, node) as [number, number];
    const offsets = Array.from(
      { length: rows * columns },
      (_, at) => (at % columns) - Math.floor(at / columns),
    );
    const offset = x!.builder.weight(integers(offsets, [rows, columns]));
    const kept = offset.op(upper === 0 ? "LessOrEqual" : "GreaterOrEqual", [k ?? 0]);
    return where(kept, x!, 0, x!);
  },
  /** The runtime knows it for other types of values: a mark for each place, then one of the two values. */
  OneHot: ([indices, depth, values], { axis }) => {
    const marks = tensor([0, 1], { type: "float32" });
    const marked = indices!.op("OneHot", [depth, marks], { axis }).op("Greater", [0.5]);
    return where(marked, values!.gather(1, 0), values!.gather(0, 0), values!);
  },
  NonZero: ([x]) => x!.op("Equal", [0]).op("Not").op("NonZero"),
};
