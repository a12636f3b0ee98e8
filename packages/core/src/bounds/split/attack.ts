// The search for a point of a box where all targets of an alternative are <= 0: random points, then descent.
import type { Random } from "../../numbers/random.ts";
import type { Target } from "../linear/back-substitution.ts";
import type { Evaluation } from "../linear/evaluate.ts";
import type { Box } from "../linear/row-bounds.ts";

/** All targets of one alternative hold where all are <= 0. */
export type Alternative = readonly Target[];

/** A point, and the greatest target of an alternative there, in floating point. */
export interface Candidate {
  readonly x: Float64Array;
  readonly value: number;
}

/** The greatest of the targets at the point that was evaluated last, and which it is. */
function greatestTarget(evaluation: Evaluation, targets: Alternative) {
  let [value, target] = [Number.NEGATIVE_INFINITY, targets[0]];
  for (const candidate of targets) {
    const found = evaluation.value(candidate);
    if (!(found <= value)) [value, target] = [found, candidate];
  }
  return { value, target };
}

const clamp = (x: number, lower: number, upper: number): number => Math.min(upper, Math.max(lower, x));

/** A point as a candidate for an alternative. */
export function candidate(evaluation: Evaluation, targets: Alternative, x: Float64Array): Candidate {
  evaluation.at(x);
  return { x, value: greatestTarget(evaluation, targets).value };
}

/** Projected steps against the sign of the greatest target's gradient, shorter each time; the best point, if one is <= 0. */
export function descend(
  evaluation: Evaluation,
  targets: Alternative,
  { lower, upper }: Box,
  from: Float64Array,
  steps: number,
): Candidate | undefined {
  let [x, best, least] = [from, from, Number.POSITIVE_INFINITY];
  for (let step = 0; step <= steps; step++) {
    evaluation.at(x);
    const { value, target } = greatestTarget(evaluation, targets);
    if (value < least) [best, least] = [x, value];
    if (step === steps || !target) break;
    const slopes = evaluation.gradient(target);
    const length = 0.5 * (1 - step / steps);
    x = x.map((v, i) =>
      clamp(v - length * Math.sign(slopes[i]!) * (upper[i]! - lower[i]!), lower[i]!, upper[i]!),
    );
  }
  return least <= 0 ? { x: best, value: least } : undefined;
}

const [randomPoints, starts, steps] = [128, 8, 24];

/** A random point of the box, or of its corners. */
const randomPoint = ({ lower, upper }: Box, random: Random, isCorner: boolean): Float64Array =>
  lower.map((l, i) => {
    const share = random.uniform();
    return clamp(l + (isCorner ? Math.round(share) : share) * (upper[i]! - l), l, upper[i]!);
  });

/** Evaluations of the network, about, that a search from random starts takes; one with `attack` takes a little more. */
export const workOfStarts = 3 * steps * starts;

/** Descent from random points, whatever their values: it finds points that the best starts do not lead to. */
export function attackAnywhere(
  evaluation: Evaluation,
  alternatives: readonly Alternative[],
  box: Box,
  random: Random,
  isOver: () => boolean,
): Candidate | undefined {
  for (let n = 0; n < starts && !isOver(); n++) {
    const targets = alternatives[random.integer(0, alternatives.length - 1)]!;
    const found = descend(evaluation, targets, box, randomPoint(box, random, false), steps);
    if (found) return found;
  }
  return undefined;
}

/** Random points of the box and its corners; descent from the best of them. Ends early when `isOver`. */
export function attack(
  evaluation: Evaluation,
  alternatives: readonly Alternative[],
  box: Box,
  random: Random,
  isOver: () => boolean,
): Candidate | undefined {
  const seen: { readonly x: Float64Array; readonly targets: Alternative; readonly value: number }[] = [];
  for (let n = 0; n < randomPoints && !isOver(); n++) {
    const x = randomPoint(box, random, n % 2 === 0);
    evaluation.at(x);
    for (const targets of alternatives)
      seen.push({ x, targets, value: greatestTarget(evaluation, targets).value });
  }
  seen.sort((p, q) => p.value - q.value);
  for (const { x, targets } of seen.slice(0, starts)) {
    const found = isOver() ? undefined : descend(evaluation, targets, box, x, steps);
    if (found) return found;
  }
  return undefined;
}
