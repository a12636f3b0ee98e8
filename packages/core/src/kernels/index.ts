export { type EmpiricalKernel, type EmpiricalKernelOptions, empiricalKernel } from "./empirical-kernel.ts";
export { KernelError } from "./error.ts";
export type { Architecture } from "./limit/architecture.ts";
export type { Parameterization } from "./limit/context.ts";
export {
  type KernelBlock,
  type LimitKernel,
  type LimitKernelFunction,
  type LimitKernelOptions,
  limitKernel,
  limitKernelFunction,
  type PreparedExamples,
} from "./limit-kernel.ts";
