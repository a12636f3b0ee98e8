export { boundedOperators } from "./bounded-operators.ts";
export { boxAround, type InputBox, inputBox, type NamedInterval, parseIntervals } from "./box-text.ts";
export {
  type InputRange,
  type LinearBoundsOptions,
  linearBounds,
  linearBoundsInTime,
  type OutputBounds,
} from "./linear.ts";
export {
  type LipschitzBounds,
  type LipschitzInTime,
  lipschitzBoundsInTime,
} from "./lipschitz-in-time.ts";
export { type MilpSolution, type MilpSolver, milpBounds } from "./milp.ts";
export { exactDecimal } from "./query/linear.ts";
export type { DeclaredNetwork, Formula, Query, Variable } from "./query/query.ts";
export { isWorthSharing, type OpenPart, partsFrom, partsText } from "./query/share.ts";
export { type Verdict, type VerifyOptions, verifyQuery, type WitnessValue } from "./query/verify.ts";
export { parseVnnlib } from "./query/vnnlib.ts";
export { type SearchOptions, type SplitBounds, type SplitBoundsOptions, splitBounds } from "./split.ts";
