export { bumpConstant, gridPoint, type LabelledFunction, labelledFunction, labelNetwork } from "./labels.ts";
export { type SplineBump, splineBump } from "./spline-bump.ts";
export {
  fewestWeights,
  fewestWeightsOfAnyDepth,
  type LayerCounts,
  mostShattered,
  reluVcBound,
} from "./vc-bound.ts";
