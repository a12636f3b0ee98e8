export {
  type CertifiedMinimum,
  certifiedMinimum,
  type MinimumOptions,
} from "./certificate/certified-minimum.ts";
export { type CertifiedLoss, type ConvexLoss, convexLoss, type Targets } from "./certificate/convex-loss.ts";
export { type CheckedData, exactPolarSquare, refusal } from "./certificate/exact-check.ts";
export {
  type FactorizationGap,
  type FactorPair,
  factorizationGap,
  type GrowthStep,
  grownFactors,
  singularThresholding,
  type Thresholded,
  variationalExcess,
  withColumn,
} from "./certificate/factorization.ts";
export { type Homogeneity, homogeneity } from "./certificate/homogeneity.ts";
export {
  type RegressionFactors,
  type RegressionGap,
  regressionFactors,
  regressionGap,
} from "./certificate/regression-factors.ts";
export {
  type CertificateOptions,
  type CertificateVerdict,
  certifyTwoLayer,
  type OptimalityCertificate,
} from "./certificate/relu-certificate.ts";
export { type PolarBounds, type PolarOptions, reluPolar } from "./certificate/relu-polar.ts";
export { type Slide, slid } from "./certificate/slide.ts";
export { type Neuron, readTwoLayer, type TwoLayer } from "./certificate/two-layer.ts";
export { LandscapeError } from "./error.ts";
export { bestInput, bestOutput, criticalResiduals } from "./linear/alternating.ts";
export { type Covariances, covariancesOf, explained, regression } from "./linear/covariances.ts";
export {
  type ClassWeights,
  type CriticalClass,
  criticalClasses,
  criticalWeights,
  type ExactLandscape,
  exactLandscape,
  type LinearLandscape,
  linearLandscape,
  type Sizes,
} from "./linear/critical-points.ts";
export { type DeepSaddle, type DeepTolerances, type DeepVerdict, deepSaddle } from "./linear/deep-saddle.ts";
export { dropoutLoss, expectedDropoutLoss, type Factors } from "./linear/dropout.ts";
export {
  type DeficientEscape,
  type DeficientPoint,
  type Escape,
  escapeDirection,
  escapeFromDeficient,
} from "./linear/escape.ts";
export { balancedFactors, type LinearMinimum, linearMinimum } from "./linear/global-minimum.ts";
export { type Chain, chainNorm, type LinearRisk, linearRisk, moved } from "./linear/linear-risk.ts";
export { escapeTime, flowedEscapeTime, leadingEscapeTime, type ScalarChain } from "./linear/scalar-chain.ts";
export {
  describePaths,
  type LandscapePaths,
  type PathsOptions,
  rowsOf,
  targetsOf,
} from "./path/describe-paths.ts";
export {
  type KeepOptions,
  type KeptHalf,
  keptHalf,
  type LowBarrierPath,
  lowBarrierPath,
  mixedTwoLayer,
  type PathCertificate,
  pathCertificate,
  type SegmentKind,
} from "./path/keep-half.ts";
export {
  isConnectedBelow,
  midpointExcess,
  type PathProfile,
  pathProfile,
  profileOf,
} from "./path/profile.ts";
export { type RescaledPath, rescaledPath } from "./path/rescaled-path.ts";
export { type CurveOptions, trainedCurve } from "./path/trained-curve.ts";
export { type PathKind, type WeightPath, weightPath } from "./path/weight-path.ts";
export { classifyPoint, type PointFacts, type PointKind, type PointTolerances } from "./point/classify.ts";
export { describePoint, type LandscapePoint, type PointOptions } from "./point/describe-point.ts";
export { filterDirection } from "./point/filter-directions.ts";
export {
  type HessianSpectrum,
  hessianSpectrum,
  type SpectrumOptions,
  spectralDensity,
} from "./point/hessian-spectrum.ts";
export { gridMinima, type Slice, type SliceOptions, slice } from "./point/slice.ts";
export { type ObjectiveOptions, type WeightObjective, weightObjective } from "./point/weight-objective.ts";
export { criticalPointFrom, type FoundPoint, rankCorrelation } from "./statistics/critical-search.ts";
export { type SmallTask, type SmoothRisk, smallNetworkRisk } from "./statistics/small-network.ts";
export {
  type SpinCriticalPoint,
  type SpinModel,
  spinComplexity,
  spinCriticalPoint,
  spinIndexFraction,
  spinLevel,
  spinModel,
  spinRate,
  spinStart,
  spinThreshold,
} from "./statistics/spherical-spin.ts";
