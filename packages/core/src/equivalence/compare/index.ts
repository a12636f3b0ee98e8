export { roundingTolerance } from "./by-samples.ts";
export { compareNetworks } from "./compare.ts";
export {
  type ComparisonWithNodes,
  compareWithNodes,
  comparisonPoints,
  comparisonRecord,
  type NodeReport,
} from "./compare-with-nodes.ts";
export type { CompareOptions, CompareVerdict, Comparison } from "./comparison.ts";
export { type Closeness, type NodeDifference, type NodeOptions, nodeDifferences } from "./nodes.ts";
export type { LayerSymmetry } from "./pairing-symmetry.ts";
export { inputSize, type Replay } from "./replay.ts";
export { compareShallow, type ShallowForm, shallowForm } from "./shallow-form.ts";
