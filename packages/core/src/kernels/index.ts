export { type EmpiricalKernel, type EmpiricalKernelOptions, empiricalKernel } from "./empirical-kernel.ts";
export { KernelError } from "./error.ts";
export { type KernelFlow, kernelFlow, type PriorCovariance, predictionVariance } from "./kernel-flow.ts";
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
