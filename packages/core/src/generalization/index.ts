export * from "./bounds/index.ts";
export {
  type ComplexityQuantities,
  type ComplexityTable,
  complexityQuantities,
  complexityTable,
} from "./complexity-table.ts";
export {
  type BoundedSlope,
  boundedSlopes,
  type CertifiedCovering,
  certifiedLogCovering,
  deepLogCovering,
  denseParameterCount,
  greatestOutput,
  leastLogCovering,
  logEffectiveVolume,
  logPermutations,
  type NetworkClass,
  parameterLipschitz,
  shallowLogCovering,
} from "./covering.ts";
export * from "./double-descent/index.ts";
export { type GranulatedTau, granulatedTau, type ModelSetting } from "./granulated-tau.ts";
export * from "./local-kernels/index.ts";
export * from "./memorization/index.ts";
export {
  expectedRisk,
  type FreeLunch,
  freeLunch,
  type Labelling,
  type LearningRule,
  unseenRisk,
} from "./no-free-lunch.ts";
export * from "./pac-bayes-training/index.ts";
export * from "./path-space/index.ts";
export {
  excessRiskBound,
  printedExcessRisk,
  type RiskBound,
  type RiskOptions,
} from "./risk-from-covering.ts";
export * from "./stability/index.ts";
export { type GreedyCover, greedyCover, packing, type TinyClass, tinyDistance } from "./tiny-class.ts";
