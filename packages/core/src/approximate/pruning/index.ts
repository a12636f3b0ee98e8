export { type CaratheodoryOptions, type ReducedCombination, reduceCombination } from "./caratheodory.ts";
export {
  type AtomAverage,
  type CombinationSizes,
  type ConvexCombination,
  combinationSizes,
  greedyAverage,
  sampleAverage,
} from "./combination.ts";
export { type ExactlyPruned, type FewUnits, type PruneOptions, pruneOnData, pruneToFew } from "./prune.ts";
export { normalizedUnits, type TwoLayer, twoLayerOf } from "./units.ts";
