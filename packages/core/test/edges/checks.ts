// All checks of a model, by name. The costly ones look at some of the models only.
import { checkLinearBounds, checkSplitBounds } from "./check-bounds.ts";
import { checkGradient, checkLipschitz } from "./check-derivatives.ts";
import { checkPieces, checkRegions } from "./check-pieces.ts";
import { checkCompare, checkSimplify } from "./check-same.ts";
import { checkIntervals, checkShapes, checkUpgrade } from "./check-values.ts";
import type { Verdict } from "./finding.ts";
import type { Trial } from "./trial.ts";

/** `n` is the number of the model among those that ran. */
export type Check = (trial: Trial, n: number) => Verdict | Promise<Verdict>;

/** One model in so many. */
const sometimes =
  (every: number, check: Check): Check =>
  (trial, n) =>
    n % every === 0 ? check(trial, n / every) : "refused";

/** The intervals come first: they leave the enclosures of the runs for the others. */
export const checks: Readonly<Record<string, Check>> = {
  shapes: checkShapes,
  intervals: checkIntervals,
  upgrade: checkUpgrade,
  linear: checkLinearBounds,
  split: sometimes(4, checkSplitBounds),
  pieces: checkPieces,
  regions: checkRegions,
  gradient: checkGradient,
  lipschitz: checkLipschitz,
  simplify: sometimes(2, checkSimplify),
  compare: sometimes(4, checkCompare),
};
