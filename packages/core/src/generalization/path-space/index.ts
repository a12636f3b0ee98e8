export {
  type GapDecomposition,
  gapDecomposition,
  type OutputGap,
  type SquareLossProblem,
} from "./gap-decomposition.ts";
export { type PathKernelOptions, pathKernel } from "./path-kernel.ts";
