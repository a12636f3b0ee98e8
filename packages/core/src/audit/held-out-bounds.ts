// What examples that nobody trained on say: of classes the share of wrong answers, of numbers that of answers far off.

import type { GeneralizationBound } from "../generalization/bounds/bound.ts";
import { validationBound } from "../generalization/bounds/validation.ts";
import { numbers } from "../graph/tensor.ts";
import type { AuditedModel } from "../measures/audited-model.ts";
import { predict } from "../measures/predictions.ts";
import type { Examples } from "../train/data/dataset.ts";
import type { AuditBound, AuditedData } from "./audit.ts";
import { testsNothing } from "./audited-data.ts";
import { withLemma } from "./bound-lemmata.ts";
import type { AuditedBoundsOptions, BoundsInput } from "./bounds-input.ts";
import { grouped } from "./grouped.ts";

/** P(wrong) by the wrong answers on the test examples. */
export function heldOutBound(
  { measures, about }: BoundsInput,
  { delta, models }: AuditedBoundsOptions,
): AuditBound {
  const n = about.testExamples ?? 0;
  const bound = validationBound({ errors: Math.round((measures.testError ?? 0) * n), n, models, delta });
  if (n === 0 || testsNothing(about)) return untested(bound, about);
  const seen = about.sharedExamples ?? 0;
  if (seen > 0.01 * n)
    return withLemma(bound, `${grouped(seen)} of the ${grouped(n)} test examples are training examples too`);
  return withLemma(
    bound,
    models === 1
      ? undefined
      : `delta is shared by the ${models} models, so that the best of them may be chosen`,
  );
}

/** A bound by held-out examples where there are none. */
function untested({ value: _value, ...bound }: GeneralizationBound, about: AuditedData): AuditBound {
  return testsNothing(about)
    ? withLemma(
        { ...bound, vacuous: true, unmet: ["no model was trained on the held-out examples"] },
        "every test example is a training example",
      )
    : withLemma({ ...bound, vacuous: true, unmet: ["there are held-out examples"] });
}

/** P(|f(x) - y| > t) for numbers as targets, t twice the root mean square error on the training examples. */
export async function toleranceBound(
  { model, measures, about, test }: BoundsInput,
  { delta, models, signal }: AuditedBoundsOptions,
): Promise<AuditBound> {
  const tolerance = 2 * Math.sqrt(measures.trainError!);
  const n = test?.x.dims[0] ?? 0;
  const far = test ? await farAnswers(model, test, tolerance, signal) : 0;
  const bound = {
    ...validationBound({ errors: far, n, models, delta }),
    id: "validation-tolerance",
    name: "Held-out examples: share of answers off by more than t",
  };
  const t = `t = ${Number(tolerance.toPrecision(4))}, twice the root mean square error on the training data`;
  const why = "The square loss itself is not bounded, so no bound of its mean is stated";
  if (n > 0 && !testsNothing(about))
    return withLemma(bound, `${t}; ${grouped(far)} of ${grouped(n)} were farther off. ${why}`);
  const { remark, ...rest } = untested(bound, about);
  return { ...rest, remark: `${remark ? `${remark}; ` : ""}${t}. ${why}` };
}

/** Answers that are farther from their targets than the tolerance. */
async function farAnswers(
  model: AuditedModel,
  test: Examples,
  tolerance: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  const { scores } = await predict(model, test, signal ? { signal } : {});
  const targets = numbers(test.y);
  let far = 0;
  for (let i = 0; i < test.x.dims[0]!; i++) {
    let square = 0;
    for (let k = i * model.outputs; k < (i + 1) * model.outputs; k++)
      square += (scores[k]! - targets[k]!) ** 2;
    if (!(Math.sqrt(square) <= tolerance)) far++;
  }
  return far;
}
