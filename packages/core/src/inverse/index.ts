export { type Basis, cosineBasis, type WaveletName, waveletBasis, waveletNames } from "./bases.ts";
export {
  type Certificate,
  certificateOf,
  enoughMeasurements,
  type Isometry,
  leastSingularValue,
  noiseLength,
  rangeIsometry,
  sampledRangeIsometry,
  sparseIsometry,
  squaredNormAbove,
} from "./certificate.ts";
export { InverseError } from "./error.ts";
export { type Generator, generatorOf } from "./generator.ts";
export { type FlowTraining, type TrainedFlow, trainedFlow } from "./generators/flow.ts";
export { type GeneratorKind, generatorKinds } from "./generators/networks.ts";
export { type GeneratorTraining, type TrainedGenerator, trainedGenerator } from "./generators/train.ts";
export {
  type Cut,
  cutsOf,
  type IntermediateOptions,
  type IntermediateRecovery,
  intermediateRecovery,
} from "./intermediate.ts";
export {
  type LatentOptions,
  type LatentRecovery,
  latentDescent,
  latentObjective,
} from "./latent-descent.ts";
export {
  type LayerwiseInversion,
  type LinearSolution,
  type LinearSolver,
  layerwiseInversion,
} from "./layerwise.ts";
export type { Learned, LearningOptions } from "./learn.ts";
export { type LinearGraph, linearGraph } from "./linear-graph.ts";
export { denseMap, identityOperator, type LinearMap, matrixOfMap, squaredNormOf } from "./linear-map.ts";
export {
  type MeanInterval,
  meanInterval,
  meanSquaredError,
  peakSignalToNoise,
  structuralSimilarity,
} from "./measures.ts";
export { operatorForms, operatorFromSpec, operatorKinds } from "./operator-spec.ts";
export {
  blurOperator,
  cosineMatrix,
  cosineOperator,
  cosineSamples,
  downsampling,
  fourierSamples,
  gaussianOperator,
  hiddenBox,
  maskOperator,
  radonOperator,
  randomPixels,
} from "./operators.ts";
export { type PlugAndPlay, type PlugAndPlayOptions, plugAndPlay } from "./plug-and-play.ts";
export {
  type ReconstructionKind,
  type ReconstructionTraining,
  type TrainedReconstruction,
  trainedReconstruction,
} from "./reconstruction.ts";
export { type Picture, pictureOf } from "./shape.ts";
export { type DeviationOptions, type DeviationRecovery, sparseDeviations } from "./sparse-deviations.ts";
export {
  leastWeightOfNothing,
  type SparseRecovery,
  type SparseRecoveryOptions,
  sparseRecovery,
} from "./sparse-recovery.ts";
export {
  type TotalVariation,
  type TotalVariationOptions,
  totalVariation,
  totalVariationOf,
} from "./total-variation.ts";
export {
  type UntrainedName,
  type UntrainedOptions,
  type UntrainedRecovery,
  untrainedNames,
  untrainedNetwork,
  untrainedRecovery,
} from "./untrained.ts";
export { expectedOverlap, weightDistributionError } from "./weight-distribution.ts";
