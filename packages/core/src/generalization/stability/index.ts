export { logGridCells, type RobustnessFacts, robustnessGap, seenRobustness } from "./robustness.ts";
export {
  type DescentStability,
  descentStability,
  type KernelStability,
  kernelStability,
  knowsOneSample,
  type StabilityFacts,
  seenStability,
  stabilityGap,
} from "./uniform-stability.ts";
