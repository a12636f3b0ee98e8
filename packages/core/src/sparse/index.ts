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
export { lasso, lassoViolation, softThreshold } from "./lasso.ts";
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
export {
  coherence,
  gram,
  type Isometry,
  isometryOn,
  normalizedGram,
  restrictedIsometry,
  subsets,
} from "./restricted-isometry.ts";
