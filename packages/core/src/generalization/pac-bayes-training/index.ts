export { freshWeights } from "./fresh-weights.ts";
export {
  type CertifyOptions,
  certifyPosterior,
  type PacBayesBound,
  type PriorDistribution,
  pacBayesStatement,
} from "./pac-bayes-bound.ts";
export {
  type GaussianPosterior,
  type SampledRisk,
  type SampledRiskOptions,
  sampledRisk,
} from "./posterior-risk.ts";
export { type DrawnNetwork, drawnNetwork } from "./randomized-network.ts";
export {
  type HalvedPacBayesOptions,
  halvedPacBayes,
  type PacBayesOptions,
  type PacBayesResult,
  trainPacBayes,
} from "./train-pac-bayes.ts";
