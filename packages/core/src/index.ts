// What most users need, by name. Every floor of the library is an entry point of its own, with all that it offers:
// `@lemmata/core/graph`, `/engine`, `/passes`, `/bounds`, `/networks`, `/train` ... (docs/api.md lists them).

export { auditModel } from "./audit/index.ts";
export {
  inputBox,
  linearBounds,
  milpBounds,
  type OutputBounds,
  parseVnnlib,
  splitBounds,
  verifyQuery,
} from "./bounds/index.ts";
export { type CheckResult, checkCertificate } from "./check/index.ts";
export { type Certificate, compile } from "./compile/index.ts";
export { decodeData, encodeData, readCsv, readNpy, readNpz, writeNpy, writeNpz } from "./data/index.ts";
export { type RunOptions, run, Session, type SessionOptions } from "./engine/index.ts";
export {
  alignByActivations,
  alignByWeights,
  canonicalForm,
  compareNetworks,
  simplify,
  symmetryGroup,
} from "./equivalence/index.ts";
export { evaluateFormula, parseFormula } from "./formula/index.ts";
export { type ActivationName, activation } from "./functions/index.ts";
export {
  Builder,
  bool,
  checkGraph,
  equalGraphs,
  float32,
  float64,
  type Graph,
  GraphError,
  graph,
  inferTypes,
  int64,
  loadModel,
  type Node,
  numbers,
  ReadableError,
  readModel,
  saveModel,
  type Tensor,
  type TensorType,
  tensor,
  Value,
  writeModel,
} from "./graph/index.ts";
export { measureModel } from "./measures/index.ts";
export {
  compose,
  type Layer,
  layer,
  layersOf,
  maximum,
  minimum,
  network,
  parallel,
  polynomial,
  product,
  rational,
  sorting,
  spline,
  square,
  triangle,
} from "./networks/index.ts";
export { createRandom, type Random } from "./numbers/index.ts";
export {
  cost,
  distance,
  gradient,
  hessianVectorProduct,
  linearPieces,
  lipschitzBound,
  outputBounds,
  pathNorms,
  perExampleJacobian,
  piecesAlong,
  planeRegions,
  sizes,
} from "./passes/index.ts";
export { initialNetwork, parseSpec, train } from "./train/index.ts";
