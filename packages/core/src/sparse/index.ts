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
export {
  coherence,
  gram,
  type Isometry,
  isometryOn,
  normalizedGram,
  restrictedIsometry,
  subsets,
} from "./restricted-isometry.ts";
