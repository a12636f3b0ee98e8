export * from "./alignment/index.ts";
export { applySymmetry } from "./apply.ts";
export { type CanonicalForm, canonicalForm } from "./canonical/canonical-form.ts";
export { roundingTolerance } from "./compare/by-samples.ts";
export { compareNetworks } from "./compare/compare.ts";
export {
  type ComparisonWithNodes,
  compareWithNodes,
  comparisonPoints,
  comparisonRecord,
  type NodeReport,
} from "./compare/compare-with-nodes.ts";
export type { CompareOptions, CompareVerdict, Comparison } from "./compare/comparison.ts";
export { type Closeness, type NodeDifference, type NodeOptions, nodeDifferences } from "./compare/nodes.ts";
export type { LayerSymmetry } from "./compare/pairing-symmetry.ts";
export { inputSize, type Replay } from "./compare/replay.ts";
export { compareShallow, type ShallowForm, shallowForm } from "./compare/shallow-form.ts";
export {
  identitySymmetry,
  type RandomSymmetryOptions,
  randomSymmetry,
  type SymmetryElement,
} from "./element.ts";
export { SymmetryError } from "./error.ts";
export { type SymmetryGroup, symmetryGroup, type UnitClass, type UnitLeg, type WeightAxis } from "./group.ts";
export { type SymmetryReport, symmetryReport } from "./report.ts";
export type { SimplifyOptions } from "./simplify/reduced.ts";
export { type RedundantNetwork, redundantNetwork } from "./simplify/redundant-network.ts";
export type { LayerReduction, RemovalReason, RemovedUnit } from "./simplify/removal.ts";
export { type Simplification, simplify } from "./simplify/simplify.ts";
export type { UnitScale } from "./unit-scale.ts";
export { effectiveLogVolume, parameterCount } from "./volume.ts";
export { widenBfloat16 } from "./widen-bfloat16.ts";
