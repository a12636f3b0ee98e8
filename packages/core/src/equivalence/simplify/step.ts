// A step of the reduction of a chain.
import type { RemovedUnit } from "./removal.ts";
import type { UnitChain } from "./unit-chain.ts";

export interface StepOptions {
  /** No step may round a weight. */
  readonly exactOnly: boolean;
}

/** The chain without some units of hidden layer l, and which; undefined if there is nothing to do. */
export type ChainStep = (
  chain: UnitChain,
  l: number,
  options: StepOptions,
) => { readonly chain: UnitChain; readonly removed: readonly RemovedUnit[] } | undefined;
