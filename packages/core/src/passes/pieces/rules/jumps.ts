// Operators that jump: steps, comparisons, and choices by them.

import type { Node } from "../../../graph/graph.ts";
import { type DataType, dataTypes, isFloat } from "../../../graph/tensor.ts";
import type { Rules } from "../../pass.ts";
import { chosenBySign, maximum, where } from "../choice.ts";
import { difference, product, scaled } from "../linear.ts";
import { firstDims } from "../shape.ts";
import { staircases, stairs } from "../stairs.ts";
import { type Pieces, scalar } from "../tensor.ts";
import { Unreadable } from "../unreadable.ts";
import { broadcastTo } from "./bends.ts";

type Inputs = readonly (Pieces | undefined)[];

/** Three numbers, for where d is negative, zero and positive. */
const stepped = (d: Pieces, [negative, zero, positive]: readonly [number, number, number], type: DataType) =>
  chosenBySign(d, { negative: scalar(negative), zero: scalar(zero), positive: scalar(positive, type) }, true);

/** 1 where the relation holds between two tensors, by the sign of their difference. */
const relation =
  (steps: readonly [number, number, number]) =>
  ([x, y]: Inputs, _: unknown, node: Node): Pieces => {
    const dims = firstDims(node, [x, y]);
    return stepped(difference(broadcastTo(x!, dims), y!), steps, "bool");
  };

const logical =
  (combine: (x: Pieces, y: Pieces) => Pieces) =>
  ([x, y]: Inputs, _: unknown, node: Node): Pieces => {
    const dims = firstDims(node, [x, y]);
    return { ...combine(broadcastTo(x!, dims), broadcastTo(y!, dims)), type: "bool" };
  };

/**
 * f32 and f64 are real numbers here; half precision and less are staircases of their own. Integers lose their fraction,
 * and truth is not zero.
 */
function cast(x: Pieces, type: DataType): Pieces {
  if (type === "bool") return x.type === "bool" ? x : stepped(x, [1, 0, 1], "bool");
  const isWhole = !isFloat(x.type) && x.type !== "bfloat16";
  if (/^u?int(8|16|32|64)$/.test(type)) return { ...(isWhole ? x : stairs(x, staircases.truncation)), type };
  if (type === "float32" || type === "float64" || type === x.type) return { ...x, type };
  throw new Unreadable(`it rounds to ${type}`);
}

export const jumps: Rules<Pieces> = {
  Sign: ([x]) => stepped(x!, [-1, 0, 1], x!.type),
  Floor: ([x]) => stairs(x!, staircases.floor),
  Ceil: ([x]) => stairs(x!, staircases.ceil),
  Round: ([x]) => stairs(x!, staircases.round),
  /** x where it is above alpha, else 0. */
  ThresholdedRelu: ([x], { alpha }) =>
    chosenBySign(scaled(x!, 1, -alpha), { negative: scalar(0), zero: scalar(0), positive: x! }, true),
  /** x + bias below -lambd, x - bias above lambd, else 0. */
  Shrink: ([x], { lambd, bias }) => {
    const zero = scalar(0);
    const above = chosenBySign(
      scaled(x!, 1, -lambd),
      { negative: zero, zero, positive: scaled(x!, 1, -bias) },
      true,
    );
    return chosenBySign(
      scaled(x!, 1, lambd),
      { negative: scaled(x!, 1, bias), zero: above, positive: above },
      true,
    );
  },
  Less: relation([1, 0, 0]),
  LessOrEqual: relation([1, 1, 0]),
  Equal: relation([0, 1, 0]),
  GreaterOrEqual: relation([0, 1, 1]),
  Greater: relation([0, 0, 1]),
  Not: ([x]) => scaled(x!, -1, 1),
  And: logical((x, y) => product(x, y, x.dims, "bool")),
  Or: logical((x, y) => maximum([x, y])),
  Xor: logical((x, y) => where(x, scaled(y, -1, 1), y)),
  Where: ([condition, x, y], _, node) => {
    const dims = firstDims(node, [condition, x, y]);
    return where(broadcastTo(condition!, dims), broadcastTo(x!, dims), broadcastTo(y!, dims));
  },
  Cast: ([x], { to }) => cast(x!, dataTypes[to] ?? "undefined"),
  CastLike: ([x, like]) => cast(x!, like!.type),
};
