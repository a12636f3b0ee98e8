// What fits on one screen: the network, the data, the errors, the tightest bound, and what that means.
import type { Audit } from "../audit.ts";
import { testsNothing } from "../audited-data.ts";
import { gapOf } from "../gap.ts";
import { type StatedBound, trainingBounds } from "../stated-bounds.ts";
import { type Html, html } from "./html.ts";
import {
  confidence,
  counted,
  lowerPercent,
  numeral,
  percent,
  upperNumeral,
  upperPercent,
} from "./numerals.ts";
import { confidenceOfChoice, errorAtMost, errorText, isOfError, verdict } from "./verdict.ts";

const card = (name: string, value: string, note?: string): Html =>
  html`<div><dt>${name}</dt><dd>${value}${note ? html`<small>${note}</small>` : ""}</dd></div>`;

const listed = (parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined).join(", ");

function lead({ model, data }: Audit): readonly Html[] {
  const shape = model.inputDims.length > 0 ? model.inputDims.join(" × ") : "one number";
  const network = listed([
    counted(model.parameters, "parameter"),
    counted(model.nodes, "node"),
    `${shape} to ${counted(model.outputs, "output")}`,
  ]);
  const examples = listed([
    counted(data.examples, "training example"),
    data.testExamples === undefined ? "no test examples" : counted(data.testExamples, "test example"),
    counted(data.features, "feature"),
    data.classes === undefined ? "numbers as targets" : counted(data.classes, "class", "classes"),
  ]);
  return [
    html`<p class="lead">Network: ${network}${model.remark ? html`; <bdi>${model.remark}</bdi>` : ""}.<br>Data: ${data.name ? html`<bdi>${data.name}</bdi>, ` : ""}${examples}${data.remark ? html`; ${data.remark}` : ""}.</p>`,
  ];
}

/** The bound's name, what it says nothing of, and the confidence that is left after choosing it. */
function boundNote({ bound }: StatedBound, among: readonly StatedBound[]): string {
  const chosen = among.length > 1 ? `least of ${numeral(among.length)}, ` : "";
  return [
    bound.name,
    ...(bound.vacuous ? ["vacuous"] : [`${chosen}confidence ${confidenceOfChoice(among)}`]),
  ].join("; ");
}

/** The head of a report; the name is a heading of this level. */
export function summary(audit: Audit, title: string): Html {
  const { measures, errorDecomposition: split, data } = audit;
  const stated = trainingBounds(audit);
  const best = stated[0];
  const gap = gapOf(audit);
  const isShare = isOfError(audit);
  const error = (value: number | undefined): string => (value === undefined ? "–" : errorText(audit, value));
  const unit = isShare ? undefined : "mean squared error";
  const cards = [
    card(
      "Training error",
      error(measures.trainError),
      unit ?? `a constant answer: ${percent(data.constantError)}`,
    ),
    card(
      "Test error",
      error(measures.testError),
      split
        ? `true error ${lowerPercent(split.trueError[0])} to ${upperPercent(split.trueError[1])}, confidence ${confidence(split.delta)}`
        : measures.testError === undefined
          ? "no test examples"
          : testsNothing(data)
            ? "all of them are training examples: nothing of the true error"
            : unit,
    ),
    card("Gap", error(gap), gap === undefined ? undefined : "test less training error"),
    card(
      "Tightest bound from training data",
      best ? (best.bound.vacuous ? upperNumeral(best.risk) : errorAtMost(audit, best.risk)) : "–",
      best ? boundNote(best, stated) : isShare ? "none applies" : "none is stated for numbers as targets",
    ),
  ];
  return html`<header>
<h1><bdi>${title}</bdi></h1>
${lead(audit)}
<dl class="cards">${cards}</dl>
<div class="verdict">${verdict(audit).map((sentence) => html`<p>${sentence}</p>`)}</div>
</header>`;
}
