export {
  layerBalances,
  matrixBalance,
  neuronBalances,
  neuronIdentities,
  printedIdentity,
  stepDrift,
} from "./balancedness.ts";
export { type FlowPoint, gradientFlow } from "./gradient-flow.ts";
export { type HardMargin, hardMargin } from "./hard-margin.ts";
export { type LazyCertificate, lazyCertificate, type Promised } from "./lazy/certificate.ts";
export { type Descent, type DescentOptions, descend } from "./lazy/descent.ts";
export { type Deviations, drawTwoLayer, featureMatrix, padded } from "./lazy/features.ts";
export { gradientFloor } from "./lazy/gradient-floor.ts";
export { hessianBound, hessianNorm, type SmoothNetwork } from "./lazy/hessian.ts";
export { type Examples, type SquaredRisk, squaredRisk } from "./lazy/squared-risk.ts";
export { type TangentModel, tangentModel } from "./lazy/tangent-model.ts";
export {
  exponentialFlow,
  marginFlow,
  marginFlowWithClock,
  marginOf,
  smoothedMargin,
  smoothedMarginSlope,
} from "./max-margin.ts";
export {
  contraction,
  type LeastSquares,
  leastSquares,
  leastSquaresFlow,
  nearestSolution,
} from "./minimum-norm.ts";
export { type NoisyLine, probabilityLeft } from "./noisy-descent.ts";
export { type FlowOptions, type FlowState, integrate } from "./runge-kutta.ts";
export { type SampleGradients, sampleGradients, tangentKernel } from "./sample-gradients.ts";
export {
  type AffineFunction,
  fewestMistakes,
  type LabelledPoint,
  logisticMinimizer,
  mistakes,
} from "./surrogate.ts";
export {
  averageIterate,
  type ConvexObjective,
  type NoisyDescent,
  type NoisyPath,
  noisyPaths,
} from "./two-point-noise.ts";
export { type VarianceRow, varianceReport } from "./variance.ts";
