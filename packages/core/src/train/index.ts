export {
  type Advance,
  type AdvanceOptions,
  advance,
  initialState,
  type TrainingData,
  type TrainingState,
  trainedModel,
} from "./advance.ts";
export { backpropagate } from "./backpropagation.ts";
export { checkData } from "./check-data.ts";
export {
  checkExamples,
  classCount,
  type Dataset,
  type Examples,
  type SplitOptions,
  splitExamples,
  takeExamples,
  takeRows,
} from "./data/dataset.ts";
export {
  type DatasetOptions,
  datasetFromFile,
  drawnDataset,
  drawnDatasetNames,
  fittedDataset,
  withClasses,
} from "./data/dataset-file.ts";
export type { TargetOptions } from "./data/dataset-targets.ts";
export { withThrownLabels } from "./data/label-noise.ts";
export { type MnistFiles, mnistFrom } from "./data/mnist.ts";
export {
  type CirclesOptions,
  circles,
  type PlaneOptions,
  type SpiralsOptions,
  spirals,
  twoMoons,
} from "./data/plane.ts";
export { type DenseLayer, denseNetwork, layersFrom, preActivations } from "./dense-network.ts";
export {
  type EmpiricalRisk,
  empiricalRisk,
  type RiskPoint,
  type WeightVector,
  weightVector,
} from "./empirical-risk.ts";
export { TrainError } from "./error.ts";
export { weightedGradient } from "./example-losses.ts";
export { frozenGates } from "./frozen-gates.ts";
export { hessianProduct } from "./hessian-product.ts";
export {
  draw,
  type Fans,
  type Initialization,
  type InitializationName,
  initializationNames,
  type Law,
  type LayerLaw,
  layerLaws,
} from "./initialization.ts";
export { type LogitPenalties, logitPenaltyNames } from "./logit-penalty.ts";
export { type LossFormula, lossFormulas, rampLoss, type ScalarLossName } from "./loss/formulas.ts";
export { correct, type Loss, type LossName, losses, margin, objective, targetType } from "./loss.ts";
export { type Masks, masksFromLists, masksFromZeros } from "./masks.ts";
export {
  defaultInitialization,
  type InitialNetworkOptions,
  initialNetwork,
  openNetwork,
} from "./network.ts";
export {
  type Coefficients,
  defaultCoefficients,
  type Optimizer,
  type OptimizerName,
  optimizers,
} from "./optimizer.ts";
export type { Penalties } from "./penalty.ts";
export {
  keptShares,
  largestWeights,
  type PruneOptions,
  type PruningRound,
  prune,
  pruneDefaults,
  sparsityOf,
} from "./pruning.ts";
export { type RateOptions, rates, type Schedule, type ScheduleName, schedules } from "./schedule.ts";
export { type Score, score } from "./score.ts";
export { permutation } from "./shuffle.ts";
export { activationNames, applyActivation } from "./spec/activation.ts";
export { type AttentionMaps, attend, attentionWeights, layerNorm } from "./spec/attention.ts";
export { parseSpecJson, specFromJson } from "./spec/json.ts";
export type {
  ActivationSpec,
  AttentionSpec,
  ConvSpec,
  DenseSpec,
  LayerSpec,
  NetworkSpec,
  PoolSpec,
  ResidualSpec,
  TokensSpec,
} from "./spec/layer-spec.ts";
export { type Recipe, recipes } from "./spec/recipes.ts";
export { parseSpec } from "./spec/spec.ts";
export { type Progress, type Trained, type TrainOptions, train } from "./train.ts";
export type { TrainingOptions } from "./training/options.ts";
export { type Training, training } from "./training.ts";
export { type TwoPhaseOptions, type TwoPhases, trainTwoPhases } from "./two-phase.ts";
export { trainableWeights } from "./weights.ts";
