export { type BarronActivation, barronBound, barronFactor, barronUnits } from "./bound.ts";
export { type Bump, bumpSum, waveSum } from "./combinations.ts";
export { BarronError } from "./error.ts";
export { barronFamilies } from "./families.ts";
export {
  type FormulaSpectrumOptions,
  formulaBarronConstant,
  formulaFunction,
  formulaMoment,
  formulaWaves,
  type NumericConstant,
} from "./formula-spectrum.ts";
export { type GreedyCourse, orthogonalGreedy, relaxedGreedy } from "./greedy.ts";
export {
  expectedMaureyError,
  expectedStratifiedError,
  maureySample,
  type SamplingMoments,
  samplingMoments,
  stratifiedSampler,
  totalMass,
} from "./maurey.ts";
export {
  drawPairs,
  drawSignedThresholds,
  drawThresholds,
  representedValue,
  thresholdMass,
} from "./representation.ts";
export {
  ballPoints,
  meanSquare,
  meanSquaredGap,
  type RidgeActivation,
  type RidgeSum,
  type RidgeUnit,
  ridgeNetwork,
  ridgeValues,
  sharpNetwork,
  unitRows,
} from "./ridge-sum.ts";
export type { MomentOrder, SpectralFunction, Wave, WeightedWave } from "./spectral-function.ts";
export {
  numericMoment,
  radialMoment,
  type SpectralResolution,
  spectralNodes,
} from "./spectral-quadrature.ts";
export { type Stratum, strata } from "./strata.ts";
export { type BarronTargetName, barronTarget } from "./targets.ts";
