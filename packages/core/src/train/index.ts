export {
  type Advance,
  type AdvanceOptions,
  advance,
  initialState,
  type TrainingData,
  type TrainingState,
  trainedModel,
} from "./advance.ts";
export { checkData } from "./check-data.ts";
export {
  checkExamples,
  classCount,
  type Dataset,
  type Examples,
  type SplitOptions,
  splitExamples,
  takeExamples,
} from "./data/dataset.ts";
export { type MnistFiles, mnistFrom } from "./data/mnist.ts";
export {
  type CirclesOptions,
  circles,
  type PlaneOptions,
  type SpiralsOptions,
  spirals,
  twoMoons,
} from "./data/plane.ts";
export { TrainError } from "./error.ts";
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
export { correct, type Loss, type LossName, losses, margin, objective, targetType } from "./loss.ts";
export {
  defaultInitialization,
  type InitialNetworkOptions,
  initialNetwork,
} from "./network.ts";
export {
  type Coefficients,
  defaultCoefficients,
  type Optimizer,
  type OptimizerName,
  optimizers,
} from "./optimizer.ts";
export type { Penalties } from "./penalty.ts";
export { type RateOptions, rates, type Schedule, type ScheduleName, schedules } from "./schedule.ts";
export { type Score, score } from "./score.ts";
export { permutation } from "./shuffle.ts";
export {
  type ActivationSpec,
  type ConvSpec,
  type DenseSpec,
  type LayerSpec,
  type NetworkSpec,
  type PoolSpec,
  parseSpec,
  type ResidualSpec,
} from "./spec.ts";
export { activationNames, applyActivation } from "./spec-activation.ts";
export { parseSpecJson, specFromJson } from "./spec-json.ts";
export { type Progress, type Trained, type TrainOptions, train } from "./train.ts";
export { type Training, type TrainingOptions, training } from "./training.ts";
export { type VarianceRow, varianceReport } from "./variance.ts";
export { trainableWeights } from "./weights.ts";
