// What is split: inputs or units.
import type { Network } from "../linear/network.ts";

/** With no more inputs than this halving them tightens all bounds at once, which is worth more than holding units. */
export const fewInputs = 20;

/** Is a box of this network better split by its units? */
export const isSplitByNeurons = ({ inputs, layers }: Network): boolean =>
  inputs > fewInputs && layers.some(({ kind }) => kind === "hinge");
