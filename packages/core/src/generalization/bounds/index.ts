export type { SignOptions } from "../../numbers/signs.ts";
export { bernoulliKl, klLowerInverse, klUpperInverse } from "./bernoulli-kl.ts";
export { type BoundedQuantity, type GeneralizationBound, type SampleSize, tightestBound } from "./bound.ts";
export { bestOverMargins, type ClassifierFacts, classifierBounds } from "./classifier-bounds.ts";
export { type CoveringMarginOptions, coveringExcessBound, coveringMarginBound } from "./covering-bound.ts";
export {
  type ComplexityOnSample,
  complexityGap,
  declaredShare,
  empiricalComplexityGap,
} from "./declared-classes.ts";
export {
  dudleyBound,
  entropyIntegral,
  type FarthestFirst,
  farthestFirst,
  hausslerLogCovering,
  sampleDiameter,
} from "./entropy-integral.ts";
export {
  type FiniteClassOptions,
  leastSampleForOccam,
  logInverseBitWeight,
  occamBound,
  occamKlBound,
} from "./finite-class.ts";
export {
  affinePatterns,
  coverCount,
  intervalPatterns,
  logSauer,
  rectanglePatterns,
  sauerCount,
  shatteredSize,
  thresholdPatterns,
} from "./growth-function.ts";
export {
  drawIndexed,
  halfSpaceLaw,
  type IndexedSample,
  indexedRisk,
  type KnownLaw,
  knownBayesRisk,
  knownRisk,
} from "./known-law.ts";
export {
  type MarginBase,
  type NormMarginOptions,
  normMarginBound,
  type RademacherMarginOptions,
  rademacherMarginBound,
} from "./margin.ts";
export {
  type ChosenPrior,
  chosenPrior,
  type DiagonalGaussian,
  diagonalGaussian,
  type GaussianWeights,
  gaussianKl,
  gaussianPacBayesBound,
  klBudget,
  type PacBayesTerms,
  type PriorGrid,
  pacBayesBound,
} from "./pac-bayes.ts";
export { type PacBayesMarginOptions, pacBayesMarginBound } from "./pac-bayes-margin.ts";
export {
  finiteRademacher,
  linearRademacherBound,
  massartBound,
  type RademacherComplexity,
} from "./rademacher.ts";
export {
  depthFreeFactor,
  exponentialDepthFactor,
  type NormClass,
  normRademacher,
} from "./rademacher-norm.ts";
export { type SpectralMarginOptions, spectralConstant, spectralMarginBound } from "./spectral-margin.ts";
export { type GridLevel, gridLevel, gridLevelFromOne, gridRatio } from "./union-grid.ts";
export { binomialUpperLimit, type ValidationOptions, validationBound } from "./validation.ts";
export {
  type GrowthOptions,
  growthGapBound,
  type NetworkVcOptions,
  networkVcBound,
  vcGapBound,
} from "./vc.ts";
export {
  logNetworkGrowth,
  type PiecewiseNetwork,
  vcDimensionBound,
  vcDimensionClosedForm,
} from "./vc-dimension.ts";
