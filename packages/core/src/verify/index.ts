export { exactDecimal } from "./linear.ts";
export type { DeclaredNetwork, Formula, Query, Variable } from "./query.ts";
export { type Verdict, type VerifyOptions, verifyQuery, type WitnessValue } from "./verify.ts";
export { parseVnnlib } from "./vnnlib.ts";
