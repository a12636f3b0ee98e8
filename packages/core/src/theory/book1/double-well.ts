import type { Graph } from "../../graph/graph.ts";

export interface DoubleWell {
  readonly graph: Graph;
  /** r' by the gradient pass. */
  readonly slopes: Graph;
  readonly value: (theta: number) => number;
  readonly slope: (theta: number) => number;
  readonly left: number;
  readonly barrier: number;
  readonly right: number;
}
