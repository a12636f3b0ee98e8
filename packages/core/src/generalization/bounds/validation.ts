// A model chosen out of several by its error on held-out examples: each one's error is binomial, and a union bound.
import { binomialTail } from "../../numbers/statistics.ts";
import { type GeneralizationBound, type SampleSize, sampleHypotheses, stated } from "./bound.ts";

export interface ValidationOptions extends SampleSize {
  /** Wrong answers of the chosen model on the n held-out examples. */
  readonly errors: number;
  /** Models that the search tried on these examples; 1 for a single test. */
  readonly models: number;
}

/**
 * The greatest p under which at most k errors in n have the probability `level` (Clopper and Pearson), rounded up.
 * @example binomialUpperLimit(10, 0, 0.05) // 1 - 0.05^(1/10), about 0.2589
 */
export function binomialUpperLimit(n: number, k: number, level: number): number {
  if (k >= n) return 1;
  // P(X <= k) = P(n - X >= n - k), a tail of the complementary binomial.
  const atMost = (p: number): number => binomialTail(n, 1 - p, n - k);
  const target = level * (1 - 1e-9); // the tail is good to about 1e-13
  let [low, high] = [k / n, 1];
  for (let step = 0; step < 200; step++) {
    const p = low + (high - low) / 2;
    if (p <= low || p >= high) break;
    if (atMost(p) <= target) high = p;
    else low = p;
  }
  return high;
}

/**
 * With probability at least 1 - delta the risk of the chosen model is below the value, whichever was chosen.
 * @example validationBound({ errors: 20, n: 1000, models: 50, delta: 0.05 }).value // 0.0376...
 */
export const validationBound = ({ errors, models, n, delta }: ValidationOptions): GeneralizationBound =>
  stated(
    {
      id: "validation",
      name: models === 1 ? "Held-out examples" : `Held-out examples, the best of ${models} models`,
      delta,
      hypotheses: [
        ...sampleHypotheses({ n, delta }),
        ["no model was trained on the held-out examples"],
        ["errors is a whole number from 0 to n", Number.isInteger(errors) && errors >= 0 && errors <= n],
        ["models is a positive whole number", Number.isInteger(models) && models >= 1],
      ],
    },
    () => binomialUpperLimit(n, errors, delta / models),
  );
