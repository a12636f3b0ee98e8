export { ballMoment, minusBallOperator, powerDistance } from "./ball-polynomials.ts";
export {
  exponentGap,
  type RateModel,
  type RateQuestion,
  type RateRow,
  rateCard,
} from "./card.ts";
export { chebyshevTail, jacksonBound, lebesgueBound, powerCoefficients } from "./chebyshev-tail.ts";
export { type FeatureWidth, featureWidth } from "./fixed-features.ts";
export { localTaylorError } from "./local-taylor-error.ts";
export { type RateMeasurement, rateMeasurements } from "./measurements.ts";
export { geometricSizes } from "./sizes.ts";
