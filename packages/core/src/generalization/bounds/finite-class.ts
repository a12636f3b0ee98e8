// Countable classes with weights: Hoeffding or Chernoff for each function, and a union bound.

import { klUpperInverse } from "./bernoulli-kl.ts";
import {
  type GeneralizationBound,
  type Hypothesis,
  isShare,
  type SampleSize,
  sampleHypotheses,
  stated,
} from "./bound.ts";

export interface FiniteClassOptions extends SampleSize {
  /** Mean loss on the sample, losses in [0, 1]. */
  readonly empirical: number;
  /** ln(1 / p(f)) of the chosen function; the weights p were fixed before the sample and sum to at most 1. */
  readonly logInverseWeight: number;
}

const hypotheses = (o: FiniteClassOptions): readonly Hypothesis[] => [
  ...sampleHypotheses(o),
  ["losses lie in [0, 1]", isShare(o.empirical)],
  ["the weights were fixed before the sample and sum to at most 1", o.logInverseWeight >= 0],
];

/**
 * |R(f) - R^(f)| <= sqrt((ln 1/p(f) + ln 2/delta) / (2 n)) for all f at once: the width, added to the empirical risk.
 * @example occamBound({ empirical: 0.1, logInverseWeight: Math.log(100), n: 1000, delta: 0.05 }).value // 0.1643...
 */
export const occamBound = (o: FiniteClassOptions): GeneralizationBound =>
  stated(
    { id: "occam", name: "Occam (countable class)", delta: o.delta, hypotheses: hypotheses(o) },
    () => o.empirical + Math.sqrt((o.logInverseWeight + Math.log(2 / o.delta)) / (2 * o.n)),
  );

/**
 * kl(R^(f) || R(f)) <= (ln 1/p(f) + ln 1/delta) / n wherever R(f) >= R^(f): never worse, and far better near R^ = 0.
 * @example occamKlBound({ empirical: 0, logInverseWeight: 0, n: 100, delta: 0.05 }).value // 0.0295...
 */
export const occamKlBound = (o: FiniteClassOptions): GeneralizationBound =>
  stated({ id: "occam-kl", name: "Occam (kl form)", delta: o.delta, hypotheses: hypotheses(o) }, () =>
    klUpperInverse(o.empirical, (o.logInverseWeight + Math.log(1 / o.delta)) / o.n),
  );

/** ln(1/p) of a network with this many parameters of so many bits each, all alike: bits * parameters * ln 2. */
export const logInverseBitWeight = (parameters: number, bits: number): number => bits * parameters * Math.LN2;

/** Fewer examples make the b-bit bound vacuous even at R^ = 0: those with (ln 1/p + ln 2/delta) / (2 n) >= 1. */
export const leastSampleForOccam = (logInverseWeight: number, delta: number): number =>
  Math.floor((logInverseWeight + Math.log(2 / delta)) / 2) + 1;
