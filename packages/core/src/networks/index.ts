export { type BitsOptions, bits } from "./bits.ts";
export {
  affine,
  type Carrying,
  compose,
  concatenate,
  deepen,
  identity,
  linearCombination,
  type Padding,
  parallel,
  power,
  scaleInput,
  scaleOutput,
  share,
  sum,
} from "./calculus/calculus.ts";
export type { Certified } from "./circuit/certified.ts";
export { absolute, type Gate, gateNetwork, maximum, minimum, type Stage } from "./gates/gates.ts";
export { median, orderStatistics, sorting, sortingStages } from "./gates/sorting.ts";
export type { Layer, Layered } from "./layers/layered.ts";
export {
  type Complexity,
  complexity,
  graphOf,
  layer,
  layersOf,
  type NetworkOptions,
  network,
  type Precision,
  sparseLayer,
} from "./layers/layers.ts";
export { dyadicPoints, type RandomNetworkOptions, randomNetwork } from "./layers/random.ts";
export {
  type Exponents,
  type Layout,
  type MonomialOptions,
  monomial,
  monomials,
  productOf,
} from "./monomial.ts";
export { parity } from "./parity.ts";
export { decomposePaths, openGates, type Path, type PathDecomposition } from "./path-decomposition.ts";
export { type PolynomialOptions, polynomial } from "./polynomial/polynomial.ts";
export { polynomialRange } from "./polynomial/range.ts";
export { type PolynomialTerms, type Term, univariate } from "./polynomial/terms.ts";
export { distanceToProduct, type ProductDistance, valueExactly } from "./product/distance.ts";
export {
  type MultiplicationOptions,
  multiplication,
  multiplicationError,
  multiplicationLevels,
  type ProductOptions,
  polarizedMultiplication,
  product,
  signedProduct,
} from "./product/product.ts";
export { antidiagonalGrid, diamondGrid, type Triangulation } from "./product/triangulation.ts";
export { type RationalOptions, rational } from "./rational/rational.ts";
export { type ReciprocalOptions, reciprocal } from "./rational/reciprocal.ts";
export { type SplineError, splineError } from "./spline/error.ts";
export { freeKnots, type RootCurvature, rootCurvature, uniformKnots } from "./spline/knots.ts";
export { splineRounding } from "./spline/rounding.ts";
export {
  interpolant,
  interpolationError,
  interpolationPieces,
  type Smoothness,
  spline,
  splineCertificate,
} from "./spline/spline.ts";
export {
  greatestSecond,
  lipschitz,
  type Segment,
  type Target,
  type TargetName,
  targets,
} from "./spline/target.ts";
export { bottleneckSquare } from "./square/nary.ts";
export { recurrentSquare, recurrentSquareUnits, unrolledSquare } from "./square/recurrent.ts";
export { square, squareError } from "./square/square.ts";
export { type ZigzagSquareOptions, zigzagSquare } from "./square/zigzags.ts";
export { type SelfSimilar, selfSimilarSum, takagi } from "./takagi.ts";
export {
  expectedSquaredError,
  type InputLaw,
  infiniteNetwork,
  inputLaws,
  sampledNetwork,
  sampledSteps,
  sampleThresholds,
  squaredError,
  type ThresholdSample,
} from "./threshold/sample.ts";
export {
  gridSteps,
  midpointSteps,
  type Steps,
  staircase,
  staircaseError,
  thresholdNetwork,
  variationSteps,
} from "./threshold/staircase.ts";
export { gridIndicator, hardThreshold } from "./threshold/threshold.ts";
export { type Variation, variation } from "./threshold/variation.ts";
export { affineImage, type Polyline, polylineLength, trajectory } from "./trajectory.ts";
export { type Ramps, rampWidth, type TrapezoidOptions, trapezoid } from "./trapezoid.ts";
export { mostPieces } from "./triangle/folds.ts";
export { sawtooth, sawtoothSpline, type TriangleOptions, triangle, zigzag } from "./triangle/triangle.ts";
