// Losses of one prediction as formulas, with their derivatives in the prediction: what the graphs of loss.ts compute.

export interface LossFormula {
  /** Of the prediction f and the label y: a number, or -1 and 1 for losses of the margin y f. */
  readonly value: (f: number, y: number) => number;
  /** d/df; at a kink the slope of the flat side. */
  readonly slope: (f: number, y: number) => number;
}

/** l(y f) and y l'(y f). */
const ofMargin = (value: (m: number) => number, slope: (m: number) => number): LossFormula => ({
  value: (f, y) => value(y * f),
  slope: (f, y) => y * slope(y * f),
});

/** ln(1 + e^-m) without overflow. */
const softplusOf = (m: number): number => Math.max(0, -m) + Math.log1p(Math.exp(-Math.abs(m)));

export const lossFormulas = {
  square: { value: (f, y) => (f - y) ** 2, slope: (f, y) => 2 * (f - y) },
  logistic: ofMargin(softplusOf, (m) => -1 / (1 + Math.exp(m))),
  exponential: ofMargin(
    (m) => Math.exp(-m),
    (m) => -Math.exp(-m),
  ),
  hinge: ofMargin(
    (m) => Math.max(0, 1 - m),
    (m) => (m < 1 ? -1 : 0),
  ),
  ramp: ofMargin(
    (m) => Math.min(1, Math.max(0, 1 - m)),
    (m) => (m > 0 && m < 1 ? -1 : 0),
  ),
} as const satisfies Readonly<Record<string, LossFormula>>;

export type ScalarLossName = keyof typeof lossFormulas;

/**
 * The ramp l_gamma(t) = 1_{(-inf, gamma]}(t) - (t / gamma) 1_{[0, gamma]}(t).
 * @example rampLoss(1, 4) // 0.75
 */
export const rampLoss = (t: number, gamma: number): number =>
  (t <= gamma ? 1 : 0) - (t >= 0 && t <= gamma ? t / gamma : 0);
