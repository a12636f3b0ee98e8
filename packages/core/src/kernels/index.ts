export { type DrawnNetwork, drawnNetwork } from "./drawn-network.ts";
export { type EmpiricalKernel, type EmpiricalKernelOptions, empiricalKernel } from "./empirical-kernel.ts";
export { KernelError } from "./error.ts";
export {
  empiricalBlocks,
  type KernelBlocks,
  limitBlocks,
  type PairBlock,
  type TestBlock,
} from "./kernel-blocks.ts";
export {
  type InitialCovariance,
  type KernelFlow,
  kernelFlow,
  startVariance,
  type TrainedKernel,
} from "./kernel-flow.ts";
export {
  type KernelRegression,
  type KernelRegressionOptions,
  kernelRegression,
} from "./kernel-regression.ts";
export {
  type KernelMoments,
  type KernelSpectrum,
  kernelMoments,
  kernelSpectrum,
  spectrumEnds,
  storedSpectrum,
} from "./kernel-spectrum.ts";
export type { Architecture } from "./limit/architecture.ts";
export type { Parameterization } from "./limit/context.ts";
export {
  type LimitKernel,
  type LimitKernelFunction,
  type LimitKernelOptions,
  limitKernel,
  limitKernelFunction,
  type Pairs,
  type PreparedExamples,
  type Target,
} from "./limit-kernel.ts";
export {
  arcCosineProfile,
  circleEigenvalue,
  paddedCircleEigenvalue,
  paddedCoefficients,
  paddedProfile,
} from "./padded-kernel.ts";
export {
  type FillOptions,
  fillSymmetric,
  matrixInMemory,
  type RowBlock,
  rowBlocks,
  rowsAtOnce,
  type StoredMatrix,
  storedProduct,
  unstoredProduct,
  writeSymmetric,
} from "./stored-matrix.ts";
export {
  type StoredCovariance,
  type StoredRegression,
  type StoredRegressionOptions,
  storedRegression,
} from "./stored-regression.ts";
export { type TangentNorms, tangentNorms } from "./tangent-norms.ts";
export { centredOneHot, meanSquaredError, misclassified } from "./targets.ts";
export { type TrainingTime, trainingFilter } from "./training-filter.ts";
