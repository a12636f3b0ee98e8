export { type Activation, type ActivationName, activation, activationFamilies } from "./activation.ts";
export { ConstructError } from "./error.ts";
export type { ActivationFacts } from "./facts.ts";
export {
  type Hypothesis,
  hypothesisNames,
  requireHypothesis,
  satisfies,
  UnmetHypothesis,
} from "./hypothesis.ts";
