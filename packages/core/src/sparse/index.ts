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
export { SparseError } from "./error.ts";
