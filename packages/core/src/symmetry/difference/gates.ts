// Points where a change of weights can show: the units that it reads and the unit that it changes must be open.
import type { Random } from "../../engine/random.ts";
import type { Target } from "../../passes/linear-bounds/back-substitution.ts";
import type { Box } from "../../passes/linear-bounds/box-bounds.ts";
import type { Network } from "../../passes/linear-bounds/network.ts";
import { rowOf } from "./exact-row.ts";
import type { RowChange } from "./network.ts";

/** A row as a target: its value is what the hinge of its unit sees. */
function rowTarget({ layers }: Network, layer: number, row: number): Target {
  const { from, end, weights, slot, constant } = rowOf(layers[layer]!, row);
  return {
    slots: Array.from({ length: end - from }, (_, k) => slot(from + k)),
    weights: weights.slice(from, end),
    constant,
  };
}

/** For each change: rows of hinges that should be above 0 for it to be seen. */
export function gatesOf(
  network: Network,
  changes: readonly RowChange[],
  random: Random,
  most = 12,
): readonly (readonly Target[])[] {
  const chosen =
    changes.length > most
      ? Array.from({ length: most }, () => changes[Math.floor(random.uniform() * changes.length)]!)
      : changes;
  return chosen.map(({ layer, row, slots }) => {
    const slot = slots[Math.floor(random.uniform() * slots.length)]!;
    const source = network.layers.findIndex(
      ({ firstSlot, units }) => slot >= firstSlot && slot < firstSlot + units,
    );
    const gates = [rowTarget(network, layer, row)];
    if (source >= 0 && network.layers[source]!.kind === "hinge")
      gates.unshift(rowTarget(network, source, slot - network.layers[source]!.firstSlot));
    return gates;
  });
}

/** The box, stretched about its middle. */
export const stretched = ({ lower, upper }: Box, by: number): Box => ({
  lower: lower.map((l, i) => l / 2 + upper[i]! / 2 - (by * (upper[i]! - l)) / 2),
  upper: upper.map((u, i) => u / 2 + lower[i]! / 2 + (by * (u - lower[i]!)) / 2),
});
