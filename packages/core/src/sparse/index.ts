export {
  hebbianBitError,
  hebbianMemory,
  linearMemory,
  lookupWeights,
  type Pairs,
  recall,
  softRecall,
  type Vector,
} from "./associative-memory.ts";
export {
  attention,
  edgeRecovery,
  type Support,
  scoreMatrix,
  softmaxRows,
  supportOf,
  thresholded,
} from "./attention.ts";
export { SparseError } from "./error.ts";
export { lasso, lassoViolation } from "./lasso.ts";
export {
  expectedNeighbours,
  type Grid,
  gridDistance,
  type Locality,
  localityOf,
  neighbourPairs,
} from "./locality.ts";
export {
  allPairs,
  degreesOfFreedom,
  designOf,
  leafPairs,
  monomials,
  type PairGraph,
  squaredDistance,
} from "./polynomial-graph.ts";
export { type Dictionary, dictionaryOf } from "./pursuit/dictionary.ts";
export { babel, type DictionaryQuality, dictionaryQuality } from "./pursuit/dictionary-quality.ts";
export {
  hardThresholding,
  orthogonalMatching,
  type SparseCode,
  subspacePursuit,
} from "./pursuit/greedy-pursuits.ts";
export {
  type LassoCode,
  type LassoOptions,
  lassoCode,
  lassoPath,
  optimalityViolation,
} from "./pursuit/lasso-code.ts";
export {
  layeredBasisPursuit,
  layeredThresholding,
  type MultilayerCode,
  type MultilayerOptions,
  multilayerObjective,
  multilayerPursuit,
  safeSteps,
} from "./pursuit/multilayer.ts";
export { hardThreshold, keepLargest, rectifiedThreshold, softThreshold } from "./pursuit/thresholds.ts";
export { layeredGraph, unrolledGraph } from "./pursuit/unrolled.ts";
export {
  coherence,
  gram,
  type Isometry,
  isometryOn,
  normalizedGram,
  restrictedIsometry,
  subsets,
} from "./restricted-isometry.ts";
