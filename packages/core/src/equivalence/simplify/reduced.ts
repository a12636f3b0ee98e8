// What is asked of a simplification, and what each way of reducing a graph gives.
import type { InputRange } from "../../bounds/linear.ts";
import type { Graph } from "../../graph/graph.ts";
import type { CertifiedChange } from "./certified-change.ts";
import type { LayerReduction, RemovedUnit } from "./removal.ts";

export interface SimplifyOptions {
  /** Where the function must stay as it is; without it only what holds everywhere is used. */
  readonly box?: InputRange;
  /** The greatest change of an output to allow on the box; default 0: only what rounding of merged weights costs. */
  readonly within?: number;
  /** No merge that would round a weight: the change is 0. */
  readonly exactOnly?: boolean;
  /**
   * Time to allow, for bounds and for branch and bound on what they leave open: what is not done by then is bounded more
   * loosely. Default: as long as bounds take, and no branch and bound.
   */
  readonly seconds?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (share: number) => void;
}

/** What is asked for, with the seconds that are left of the time allowed. */
export interface TimedOptions extends SimplifyOptions {
  readonly left: (() => number) | undefined;
}

/** A reduced graph, before its sizes are counted. */
export interface Reduced {
  readonly graph: Graph;
  readonly removed: readonly RemovedUnit[];
  readonly layers: readonly LayerReduction[];
  /** No weight was rounded. */
  readonly exact: boolean;
  readonly change: CertifiedChange | undefined;
}
