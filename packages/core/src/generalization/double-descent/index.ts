export {
  type ExcessRisk,
  type Moments,
  minimumNormRisk,
  normalDesignBias,
  normalDesignVariance,
  type RegressionTask,
} from "./bias-variance.ts";
export { effectiveComplexity, linearComplexity } from "./effective-complexity.ts";
export {
  type BenignOverfitting,
  benignOverfitting,
  dataSpectrum,
  type EffectiveRanks,
  effectiveRanks,
  type Spectrum,
  type VarianceEquivalent,
  varianceEquivalent,
} from "./effective-ranks.ts";
export { type EpochTask, epochRisk, type Feature } from "./epochs.ts";
export {
  bestRidge,
  type LimitTask,
  limitRisk,
  type MarchenkoPastur,
  marchenkoPastur,
  secondDescent,
} from "./marchenko-pastur.ts";
export { type EpochNetwork, networkRisks, tangentRate } from "./network-epochs.ts";
export { type Examples, type FittedNetwork, fitNetwork } from "./networks.ts";
export { copiedFeaturesVariance, oneSampleVariance, varianceOfGroups } from "./one-sample.ts";
export { leftOut, type OrderedTask, orderedRisk, type SweetSpot, sweetSpots } from "./ordered-features.ts";
export {
  fitPolynomials,
  type PolynomialFit,
  type PolynomialTask,
  polynomialAt,
} from "./polynomial-regression.ts";
export {
  drawFeatures,
  type FeatureFit,
  fitFeatures,
  type Labelled,
  randomFeatures,
} from "./random-features.ts";
export { networkValue, networkWeights, type Signal, type SmallNetwork } from "./small-network.ts";
