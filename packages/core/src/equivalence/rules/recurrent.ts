// Recurrent layers: hidden units are permuted together with all their gates; each direction has units of its own.
import {
  type Axis,
  contract,
  equate,
  forbidFibres,
  pin,
  pinnedAxis,
  pinOrder,
  resolve,
  restrict,
  withoutScale,
} from "../axes/axis-class.ts";
import { splitAxis } from "./reshape.ts";
import type { Axes, AxisRule, AxisRules } from "./rule.ts";

interface Attributes {
  readonly layout: number;
}

/** W [d, (gates, h), i], R [d, (gates, h), h], B [d, (2 gates, h)], first states [d, batch, h], peepholes [d, (3, h)]. */
const recurrent =
  (gates: number): AxisRule<Attributes> =>
  ({ x: [data, W, R, B, lengths, h, c, P], y, attributes: { layout } }) => {
    const ranks = [...[data, W, R, h, c].map((t) => [t, 3] as const), [B, 2], [P, 2], [lengths, 1]] as const;
    if (ranks.some(([axes, rank]) => axes && axes.length !== rank)) return undefined;
    if (data?.length !== 3 || !W || !R || layout !== 0) return undefined;
    const hidden = R[2]!;
    const direction = W[0]!;
    const gated: readonly (readonly [Axes | undefined, number])[] = [
      [W, gates],
      [R, gates],
      [B, 2 * gates],
      [P, 3],
    ];
    contract(data[2]!, W[2]!);
    restrict([hidden], "unit");
    for (const axis of [data[0]!, data[1]!, direction, ...(lengths ?? [])]) pin(axis);
    for (const [axes, count] of gated) {
      if (!axes) continue;
      const parts = splitAxis(axes[1]!, count);
      if (!parts) return undefined;
      pin(parts.outer);
      forbidFibres([hidden, W[2]!], [parts.outer]);
      restrict([parts.inner], "unit");
      equate(hidden, parts.inner);
      equate(direction, axes[0]!);
    }
    for (const state of [h, c]) {
      if (!state) continue;
      restrict(state, "unit");
      equate(direction, state[0]!);
      pinOrder(state[1]!);
      equate(hidden, state[2]!);
    }
    forbidFibres([hidden, W[2]!], [data[0]!, data[1]!]);
    forbidFibres([hidden], [data[2]!]);
    const [steps, batch] = [pinnedAxis(undefined), pinnedAxis(undefined)];
    const units: Axis = resolve(hidden).map(([...segment]) => segment);
    const d = resolve(withoutScale(direction));
    const last: Axes = [d, batch, units];
    return y.map((_, k) => (k === 0 ? [steps, d, batch, units] : last));
  };

export const recurrentRules = {
  RNN: recurrent(1),
  GRU: recurrent(3),
  LSTM: recurrent(4),
} satisfies AxisRules as AxisRules;
