// Recurrent layers: input [steps, batch, features], weights [directions, gates * hidden, features].
import type { Dim } from "../graph.ts";
import { differ, expectRank, formatShape, sameDim } from "./dims.ts";
import { operator } from "./operator.ts";
import { flag, float, floats, type Inferred, int, type ShapeContext, string, strings } from "./spec.ts";

const attributes = {
  activation_alpha: floats(),
  activation_beta: floats(),
  activations: strings(),
  clip: float(),
  direction: string("forward"),
  hidden_size: int(),
  layout: flag(0),
} as const;

interface RecurrentAttributes {
  readonly direction: string;
  readonly hidden_size: number | undefined;
  readonly layout: number;
}

/** All hidden states, then the last one (and for LSTM the last cell, of the same shape). */
const statesWith =
  (gates: number) =>
  (
    [x, weights, recurrence]: readonly (Inferred | undefined)[],
    { direction, hidden_size, layout }: RecurrentAttributes,
    context: ShapeContext,
  ): readonly Inferred[] => {
    expectRank(x, 3, context);
    expectRank(weights, 3, context, "its weights");
    expectRank(recurrence, 3, context, "its recurrence weights");
    const [first, second, features] = x?.shape ?? [];
    const [steps, batch] = layout === 1 ? [second, first] : [first, second];
    if (differ(features, weights?.shape?.[2]))
      context.fail(`input ${formatShape(x?.shape)} does not fit weights ${formatShape(weights?.shape)}`);
    const hidden: Dim = sameDim(hidden_size, recurrence?.shape?.[2]);
    if (typeof hidden === "number" && differ(weights?.shape?.[1], gates * hidden))
      context.fail(`weights ${formatShape(weights?.shape)} are not for ${hidden} hidden units`);
    const directions = direction === "bidirectional" ? 2 : 1;
    if (differ(weights?.shape?.[0], directions))
      context.fail(`weights ${formatShape(weights?.shape)} are not for direction "${direction}"`);
    const type = x?.type ?? weights?.type ?? "undefined";
    const all = layout === 1 ? [batch, steps, directions, hidden] : [steps, directions, batch, hidden];
    const last = layout === 1 ? [batch, directions, hidden] : [directions, batch, hidden];
    return [
      { type, shape: all },
      { type, shape: last },
      { type, shape: last },
    ];
  };

export const recurrent = {
  RNN: operator({
    inputs: [3, 6],
    outputs: [0, 2],
    attributes: { ...attributes, activations: strings(["Tanh", "Tanh"]) },
    shape: statesWith(1),
  }),
  GRU: operator({
    inputs: [3, 6],
    outputs: [0, 2],
    attributes: { ...attributes, linear_before_reset: flag(0) },
    shape: statesWith(3),
  }),
  LSTM: operator({
    inputs: [3, 8],
    outputs: [0, 3],
    attributes: { ...attributes, input_forget: flag(0) },
    shape: statesWith(4),
  }),
};
