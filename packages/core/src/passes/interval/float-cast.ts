// A cast to a narrower floating-point type rounds, to one of the two numbers of that type next to the value.
import type { DataType, NumericType } from "../../graph/tensor.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { type IntervalTensor, Unreadable } from "./tensor.ts";

/** Significant bits of the types that can be read as numbers. */
const significant: Partial<Record<DataType, number>> = {
  float64: 53,
  float32: 24,
  float16: 11,
  bfloat16: 8,
};
/** The distance of the least numbers of a type. */
const leastStep: Partial<Record<DataType, number>> = {
  float64: 2 ** -1074,
  float32: 2 ** -149,
  float16: 2 ** -24,
  bfloat16: 2 ** -133,
};

/** Does a cast between these types change numbers? Integers count by the bits that they may have. */
export function isRounding(from: DataType, to: DataType): boolean {
  const own = significant[from] ?? Number(/int(\d+)$/.exec(from)?.[1] ?? (from === "bool" ? 1 : Infinity));
  const range = from === "bfloat16" && to === "float16" ? Infinity : 0;
  return Math.max(own, range) > (significant[to] ?? 0);
}

/** Real numbers as they are, or rounded to a type: bounds for both. */
export function roundedTo(x: IntervalTensor, type: DataType): IntervalTensor {
  const bits = significant[type];
  if (bits === undefined) throw new Unreadable(`it casts to ${type}`);
  if (!isRounding(x.type, type)) return { ...x, type };
  const step = leastStep[type]!;
  const nearest = (values: Float64Array) => numbers(tensor(values, { type: type as NumericType }));
  const outward = (ends: Float64Array, side: 1 | -1): Float64Array => {
    const near = nearest(ends);
    // Beyond the neighbour of a number that the type does not hold, whichever way a run rounds.
    const far = nearest(ends.map((v) => v + side * (Math.abs(v) * 2 ** (1 - bits) + step)));
    return ends.map((v, k) => (near[k] === v ? v : side * Math.max(side * v, side * far[k]!)));
  };
  const lower = outward(x.lower, -1);
  return {
    ...x,
    type,
    lower,
    upper: x.lower === x.upper && lower.every((v, k) => v === x.lower[k]) ? lower : outward(x.upper, 1),
  };
}
