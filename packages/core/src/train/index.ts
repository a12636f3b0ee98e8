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
export {
  defaultInitialization,
  type InitialNetworkOptions,
  initialNetwork,
  trainableWeights,
} from "./network.ts";
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
export { type VarianceRow, varianceReport } from "./variance.ts";
