export {
  type Activation,
  type ActivationFacts,
  type ActivationName,
  activation,
  activationFamilies,
} from "./activation.ts";
export {
  type Hypothesis,
  hypothesisNames,
  requireHypothesis,
  satisfies,
  UnmetHypothesis,
} from "./activation-hypothesis.ts";
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
} from "./calculus.ts";
export { ConstructError } from "./error.ts";
export { absolute, type Gate, gateNetwork, maximum, minimum, type Stage } from "./gates.ts";
export { median, orderStatistics, sorting, sortingStages } from "./gates-sorting.ts";
export {
  type Complexity,
  complexity,
  graphOf,
  type Layer,
  type Layered,
  layer,
  layersOf,
  type NetworkOptions,
  network,
  type Precision,
  sparseLayer,
} from "./layers.ts";
export { dyadicPoints, type RandomNetworkOptions, randomNetwork } from "./layers-random.ts";
export {
  type Exponents,
  type Layout,
  type MonomialOptions,
  monomial,
  monomials,
  productOf,
} from "./monomial.ts";
export { parity } from "./parity.ts";
export { type PolynomialOptions, polynomial } from "./polynomial.ts";
export { polynomialRange } from "./polynomial-range.ts";
export { type PolynomialTerms, type Term, univariate } from "./polynomial-terms.ts";
export {
  type MultiplicationOptions,
  multiplication,
  multiplicationError,
  multiplicationLevels,
  type ProductOptions,
  polarizedMultiplication,
  product,
  signedProduct,
} from "./product.ts";
export type { Certified } from "./product-certified.ts";
export { distanceToProduct, type ProductDistance, valueExactly } from "./product-distance.ts";
export { antidiagonalGrid, diamondGrid, type Triangulation } from "./product-triangulation.ts";
export { type RationalOptions, rational } from "./rational.ts";
export { type ReciprocalOptions, reciprocal } from "./reciprocal.ts";
export { recurrentSquare, recurrentSquareUnits, unrolledSquare } from "./recurrent-square.ts";
export {
  interpolant,
  interpolationError,
  interpolationPieces,
  type Smoothness,
  spline,
  splineCertificate,
} from "./spline.ts";
export { type SplineError, splineError } from "./spline-error.ts";
export { freeKnots, type RootCurvature, rootCurvature, uniformKnots } from "./spline-knots.ts";
export { splineRounding } from "./spline-rounding.ts";
export {
  greatestSecond,
  lipschitz,
  type Segment,
  type Target,
  type TargetName,
  targets,
} from "./spline-target.ts";
export { square, squareError } from "./square.ts";
export { bottleneckSquare } from "./square-nary.ts";
export {
  gridSteps,
  midpointSteps,
  type Steps,
  staircase,
  staircaseError,
  thresholdNetwork,
  variationSteps,
} from "./staircase.ts";
export { type Variation, variation } from "./staircase-variation.ts";
export { type SelfSimilar, selfSimilarSum, takagi } from "./takagi.ts";
export { gridIndicator, hardThreshold } from "./threshold.ts";
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
} from "./threshold-sample.ts";
export { type Ramps, rampWidth, type TrapezoidOptions, trapezoid } from "./trapezoid.ts";
export { sawtooth, sawtoothSpline, type TriangleOptions, triangle, zigzag } from "./triangle.ts";
export { mostPieces } from "./triangle-folds.ts";
export { type ZigzagSquareOptions, zigzagSquare } from "./triangle-square.ts";
