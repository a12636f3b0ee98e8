import type { Plan } from "../plan.ts";

/** Nodes with plans of one kind, to be computed together. */
export interface Group<P extends Plan = Plan> {
  readonly ids: readonly number[];
  readonly plans: readonly P[];
  readonly sources: readonly (readonly number[])[];
}
