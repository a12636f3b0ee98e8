export {
  derivativeEnclosure,
  type SmoothActivation,
  smoothActivations,
  smoothDerivativeBound,
} from "../../functions/smooth.ts";
export {
  type DifferenceOptions,
  type DifferenceScheme,
  differenceError,
  differenceErrorAtLeast,
  differenceNodes,
  differenceWeights,
} from "./difference.ts";
export {
  addExponentials,
  bernsteinExponentials,
  type ExponentialSum,
  type ExponentialTerm,
  exponentialNetwork,
  exponentialValue,
  multiplyExponentials,
} from "./exponential-algebra.ts";
export { fitExponential, reducedNetwork, type UnivariateUnits } from "./exponential-fit.ts";
export { measuredDifference } from "./measure.ts";
export { type MollifiedSquare, mollifiedSquare } from "./mollified.ts";
export { type DifferenceMonomial, differenceMonomial, type MonomialChoice } from "./monomial-network.ts";
export {
  type DifferencePolynomial,
  type DifferencePolynomialOptions,
  differencePolynomial,
  differenceUnits,
  type RidgeUnits,
} from "./polynomial-network.ts";
