export {
  type BackwardPass,
  type BackwardRule,
  type BackwardRules,
  backwardPass,
  type Step,
} from "./backward.ts";
export { type Cost, type CostOptions, cost } from "./cost.ts";
export {
  type Distance,
  type DistanceOptions,
  distance,
  distanceToQuadratic,
  type Enclosure,
  l1Distance,
  type Polynomial,
  type Quadratic,
  type QuadraticDistance,
  supDistance,
} from "./distance.ts";
export { quantizers } from "./gradient/quantization.ts";
export { type GradientOptions, gradient, gradientPass } from "./gradient.ts";
export { hessianVectorProduct } from "./hessian.ts";
export {
  type InputBounds,
  type IntervalTensor,
  intervalBounds,
  intervalPass,
  type NamedBox,
  outputBounds,
} from "./interval.ts";
export { perExampleJacobian } from "./jacobian.ts";
export {
  exactLipschitzConstant,
  type JacobianBounds,
  jacobianBounds,
  lipschitzBound,
  localLipschitzBound,
  type NormOrder,
} from "./lipschitz.ts";
export { type ForwardPass, forwardPass, type Rule, type Rules } from "./pass.ts";
export { type PathNorms, pathGraph, pathNorms } from "./path-norm.ts";
export type { PathOptions } from "./paths/rules.ts";
export {
  curvedSupBound,
  leastUnits,
  type PieceBounds,
  pieceBounds,
  pieceLimit,
  sawtoothDistanceBound,
  squareL2Bound,
} from "./piece-bounds.ts";
export {
  evaluate,
  type Limits,
  limitsOf,
  linearPieces,
  type Pieces,
  type PiecewiseLinear,
  type PiecewiseTensor,
  type Point,
  piecesAlong,
  piecesPass,
  slopes,
} from "./pieces.ts";
export {
  arrangementRegions,
  montufarLowerBound,
  productBound,
  serraLowerBound,
  serraUpperBound,
} from "./region-bounds.ts";
export { type BeforeSmooth, beforeSmooth } from "./regions/before-smooth.ts";
export * from "./regions/index.ts";
export { type Sizes, sizes } from "./sizes.ts";
export { jacobianVectorProduct } from "./tangent.ts";
