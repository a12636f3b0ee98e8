export {
  type GapDecomposition,
  gapDecomposition,
  type OutputGap,
  type SquareLossProblem,
} from "./gap-decomposition.ts";
export { bernsteinQuantile, logBernsteinTail, type MatrixSum, splitQuantile } from "./matrix-bernstein.ts";
export { type PathKernelOptions, pathKernel } from "./path-kernel.ts";
export {
  type MarginClass,
  marginLoss,
  type PathWeightNorms,
  pathMarginComplexity,
  type TwoPhaseConstants,
  type TwoPhaseDeviations,
  type TwoPhaseSize,
  twoPhaseDeviations,
  twoPhaseGapBound,
} from "./two-phase-bound.ts";
