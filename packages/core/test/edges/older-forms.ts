// An operator as older opsets write it: lists that are inputs today were attributes.
import type { Attribute } from "../../src/graph/graph.ts";
import { numbers, type Tensor } from "../../src/graph/tensor.ts";
import type { Usage } from "./mutate.ts";

const ints = (t: Tensor): Attribute => ({
  type: "ints",
  value: t.data instanceof BigInt64Array ? [...t.data] : Array.from(numbers(t), BigInt),
});
const int = (t: Tensor): Attribute => ({ type: "int", value: BigInt(numbers(t)[0] ?? 0) });
const float = (t: Tensor): Attribute => ({ type: "float", value: Math.fround(numbers(t)[0] ?? 0) });

interface Moved {
  /** The first version in which these are inputs. */
  readonly since: number;
  /** By place of the input: the attribute's name and form. */
  readonly parts: Readonly<Record<number, readonly [string, (t: Tensor) => Attribute]>>;
}

const axes = { 1: ["axes", ints] } as const;
const reductions = "Mean Max Min Prod L1 L2 SumSquare LogSum LogSumExp".split(" ");
const movedParts: Readonly<Record<string, Moved>> = {
  Squeeze: { since: 13, parts: axes },
  Unsqueeze: { since: 13, parts: axes },
  ReduceSum: { since: 13, parts: axes },
  ...Object.fromEntries(reductions.map((name) => [`Reduce${name}`, { since: 18, parts: axes }])),
  Split: { since: 13, parts: { 1: ["split", ints] } },
  Slice: { since: 10, parts: { 1: ["starts", ints], 2: ["ends", ints], 3: ["axes", ints] } },
  Clip: { since: 11, parts: { 1: ["min", float], 2: ["max", float] } },
  Pad: { since: 11, parts: { 1: ["pads", ints], 2: ["value", float] } },
  TopK: { since: 10, parts: { 1: ["k", int] } },
  Dropout: { since: 12, parts: { 1: ["ratio", float] } },
};

/** Attributes that came later. */
const laterAttributes: Readonly<Record<string, number>> = {
  noop_with_empty_axes: 18,
  select_last_index: 12,
  allowzero: 14,
  num_outputs: 18,
  layout: 14,
  training_mode: 14,
  reduction: 16,
};

/** The same use of an operator in the form of an opset; the runtime refuses what that did not have. */
export function inOpset(usage: Usage, opset: number): Usage {
  const attributes = new Map(
    [...usage.attributes].filter(([name]) => !(opset < (laterAttributes[name] ?? 0))),
  );
  const moved = movedParts[usage.op];
  if (!moved || opset >= moved.since) return { ...usage, attributes };
  const inputs = usage.inputs.flatMap((t, k) => {
    const part = moved.parts[k];
    if (!part) return [t];
    if (t !== "") attributes.set(part[0], part[1](t));
    return [];
  });
  return { ...usage, inputs, attributes };
}
