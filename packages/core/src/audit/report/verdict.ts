// What an audit comes to, in plain words.
import type { Audit } from "../audit.ts";
import { testsNothing } from "../audited-data.ts";
import { otherBounds, type StatedBound, statedBounds, trainingBounds } from "../stated-bounds.ts";
import {
  confidence,
  counted,
  lowerPercent,
  numeral,
  percent,
  upperNumeral,
  upperPercent,
} from "./numerals.ts";

/** All of them hold together with the sum of their deltas: only with that confidence may one choose the least. */
export const confidenceOfChoice = (stated: readonly StatedBound[]): string =>
  confidence(...stated.map(({ bound }) => bound.delta));

/** It speaks of the mean loss, so that it may stand beside the training and the test error. */
export const isOfError = ({ data: { task } }: Audit): boolean => task === "classification";

/** An error: a share of examples in percent, or a mean of squares. */
export const errorText = ({ data: { task } }: Audit, error: number): string =>
  task === "classification" ? percent(error) : numeral(error);

/** An upper bound of it, rounded up. */
export const errorAtMost = ({ data: { task } }: Audit, error: number): string =>
  task === "classification" ? upperPercent(error) : upperNumeral(error);

/** One sentence a matter: the fit, what test examples say, what bounds say. */
export function verdict(audit: Audit): readonly string[] {
  return [fitSentence(audit), testSentence(audit), boundSentence(audit), randomizedSentence(audit)].filter(
    (sentence): sentence is string => sentence !== undefined,
  );
}

function fitSentence(audit: Audit): string | undefined {
  const { trainError } = audit.measures;
  const { task, constantError } = audit.data;
  if (trainError === undefined) return undefined;
  const what = task === "classification" ? "errs on" : "has the mean squared error";
  const tail = task === "classification" ? " of the training examples" : " on the training examples";
  const rival = `a constant answer ${task === "classification" ? "errs on" : "has"} ${errorText(audit, constantError)}`;
  const worse = trainError >= constantError ? ": it is no better than that" : "";
  return `The network ${what} ${errorText(audit, trainError)}${tail}; ${rival}${worse}.`;
}

function testSentence(audit: Audit): string | undefined {
  const { errorDecomposition: split, data, measures } = audit;
  if (measures.testError === undefined)
    return "There are no test examples, so its error on new ones was not measured.";
  if (testsNothing(data))
    return `On test examples the error is ${errorText(audit, measures.testError)}, but every one of them is a training example: that says nothing of new ones.`;
  if (!split) return `On test examples the error is ${errorText(audit, measures.testError)}.`;
  const [lower, upper] = split.trueError;
  const tests =
    data.testExamples === undefined
      ? "The test examples"
      : `The ${counted(data.testExamples, "test example")}`;
  const found = `${tests} alone say, with confidence ${confidence(split.delta)}, that the error on new examples lies between ${lowerPercent(lower)} and ${upperPercent(upper)}`;
  const inside = split.trainError >= lower && split.trainError <= upper;
  return `${found}${inside ? "; the training error lies in that range, so chance alone may explain the gap" : ""}.`;
}

function boundSentence(audit: Audit): string | undefined {
  if (!isOfError(audit)) return toleranceSentence(audit);
  const stated = trainingBounds(audit);
  const best = stated[0];
  if (!best)
    return audit.bounds.length === 0
      ? "No bound on its generalization is stated for it."
      : "Of the bounds that read the training examples alone, none applies to these weights: each has a hypothesis that is not met.";
  const useful = stated.filter(({ bound }) => !bound.vacuous);
  if (useful.length === 0)
    return `From the training examples alone no bound says anything of these weights: the least, “${best.bound.name}”, is ${upperNumeral(best.risk)}, and an error never exceeds 1.`;
  const { bound, risk } = useful[0]!;
  const others = useful.length - 1;
  const rest =
    others > 0 ? `; ${counted(others, "other bound")} ${others === 1 ? "says" : "say"} something too` : "";
  const constant = audit.data.constantError;
  const hardly = risk > 0.999;
  const limit = hardly ? "below 100%, which says next to nothing" : `at most ${errorAtMost(audit, risk)}`;
  const chosen =
    stated.length > 1 ? ` (${confidenceOfChoice(stated)} as the least of ${stated.length} bounds)` : "";
  const weak =
    !hardly && risk >= constant ? `, though a constant answer errs on ${percent(constant)} only` : "";
  return `From the training examples alone, “${bound.name}” is not vacuous: with confidence ${confidence(bound.delta)}${chosen}, the error on new examples is ${limit}${weak}${rest}.`;
}

/** What the architecture and the data allow, by a classifier that was trained for its bound. */
function randomizedSentence(audit: Audit): string | undefined {
  const found = otherBounds(audit).find(({ bound }) => !bound.vacuous);
  if (!found) return undefined;
  return `A randomized classifier with this architecture, trained anew for its bound, errs on at most ${errorAtMost(audit, found.risk)} of new examples (“${found.bound.name}”, confidence ${confidence(found.bound.delta)}): that is what architecture and data allow, not what these weights do.`;
}

/** Of numbers as targets: the share of answers that are far off. */
function toleranceSentence(audit: Audit): string {
  const found = statedBounds(audit).find(({ bound }) => !bound.vacuous);
  if (!found) return "Its targets are numbers, and no bound is stated for their squared error.";
  return `With confidence ${confidence(found.bound.delta)}, “${found.bound.name}” is at most ${upperPercent(found.risk)}.`;
}
