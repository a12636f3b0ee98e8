// Bounds of all rows of a network on a box, in as much time as its size is worth.
import { BoxBounder } from "../../bounds/linear/box-bounds.ts";
import type { Network } from "../../bounds/linear/network.ts";
import type { Box, BoxBounds } from "../../bounds/linear/row-bounds.ts";
import { finished } from "../../engine/steps.ts";

/** A box of networks of this size is bounded in a moment. */
export const quickSlots = 1500;

/** Of large networks, or in a hurry, by intervals alone. */
export function rowsOn(network: Network, box: Box, isHurried = false): BoxBounds {
  const bounder = new BoxBounder(network);
  bounder.hurried = isHurried || network.slots > quickSlots;
  return finished(bounder.bounding(box));
}
