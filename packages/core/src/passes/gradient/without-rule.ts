// Operators without a gradient rule, and why: the error of the pass says it.
import type { OperatorName } from "../../graph/operators/index.ts";

export const withoutRule: Partial<Readonly<Record<OperatorName, string>>> = {
  Loop: "the way back needs the states of all turns, whose number only the run tells",
  Scan: "the way back needs the states of all steps; write the steps out instead",
};
