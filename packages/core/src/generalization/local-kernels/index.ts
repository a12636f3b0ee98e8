export { type KernelMarginOptions, kernelMarginBounds } from "./kernel-margin-bound.ts";
export { type KernelNormReport, type KernelNorms, kernelNorms } from "./kernel-norms.ts";
export {
  claimedBound,
  exponentialBound,
  type LocalLayer,
  type LocalSample,
  localKernelBound,
  peeledBound,
} from "./kernel-rademacher.ts";
export { type LocalStructure, localStructure } from "./local-structure.ts";
export {
  type AxisWindows,
  overlapFactors,
  type PatchGeometry,
  patchCount,
  patchGeometry,
} from "./patch-geometry.ts";
export {
  dyadicTree,
  type Kernels,
  type PatchLayer,
  type PatchNetwork,
  patchValues,
  randomKernels,
  slidingWindows,
} from "./patch-network.ts";
export {
  ascend,
  type RademacherEstimate,
  type RademacherOptions,
  rademacherEstimate,
} from "./rademacher-estimate.ts";
export { windowEnergies } from "./window-energy.ts";
