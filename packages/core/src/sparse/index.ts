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
  atomNonzeros,
  type LearnedDictionaries,
  type LearningOptions,
  learnedDictionaries,
  learningObjective,
} from "./layers/dictionary-learning.ts";
export {
  type GeneralizedLasso,
  type GeneralizedLassoOptions,
  generalizedLasso,
  generalizedObjective,
  multilayerBasisPursuit,
  type Penalty,
} from "./layers/generalized-lasso.ts";
export {
  coherenceOf,
  type ForwardLayer,
  forwardStability,
  type HolisticVerdict,
  holisticUniqueness,
  type LayerVerdict,
  layerwiseUniqueness,
  type OracleError,
  oracleErrors,
  type StabilityOptions,
  sharedSignals,
} from "./layers/guarantees.ts";
export { holisticPursuit, type LayeredCode, projectionPursuit } from "./layers/holistic-pursuit.ts";
export {
  codesOf,
  drawnCode,
  effectiveDictionary,
  type LayerPattern,
  type ModelDimension,
  modelDimension,
  nonzeros,
  patternOf,
  unitAtoms,
} from "./layers/model.ts";
export {
  type LayerReading,
  type NetworkPursuit,
  networkPursuit,
  networkReading,
  orthonormalityDefect,
  type PursuitLayer,
  pursuitCodes,
} from "./layers/network-reading.ts";
export { type ParsevalOptions, parsevalRetraction, trainedNearParseval } from "./layers/parseval.ts";
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
  analysisLasso,
  analysisPursuit,
  type CosparseSignal,
  cosparseProjection,
} from "./pursuit/analysis-pursuit.ts";
export {
  type AcceleratedCode,
  type AcceleratedOptions,
  acceleratedCode,
  type CodeOperator,
  operatorOf,
} from "./pursuit/code-operator.ts";
export {
  type ConvolutionalDictionary,
  convolutionalDictionary,
  densestStripe,
  explicitDictionary,
  type Filters,
  filterCoherence,
} from "./pursuit/convolutional.ts";
export { type Dictionary, dictionaryOf } from "./pursuit/dictionary.ts";
export { babel, type DictionaryQuality, dictionaryQuality } from "./pursuit/dictionary-quality.ts";
export { gradientMapping } from "./pursuit/gradient-mapping.ts";
export {
  hardThresholding,
  orthogonalMatching,
  type SparseCode,
  subspacePursuit,
} from "./pursuit/greedy-pursuits.ts";
export { type BallCode, l1BallCode, nearestInL1Ball } from "./pursuit/l1-ball.ts";
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
export {
  type UnrolledClassifier,
  type UnrolledLayer,
  type UnrolledOptions,
  type UnrolledVariant,
  unrolledClassifier,
} from "./unrolled/classifier.ts";
export { type KSparseOptions, kSparseAutoencoder, kSparseEncoder } from "./unrolled/k-sparse.ts";
export { type ListaOptions, listaGraph, trainedLista } from "./unrolled/lista.ts";
