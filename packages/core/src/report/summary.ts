// What fits on one screen: the network, the data, the errors, the tightest bound, and what that means.
import type { Audit } from "../capacity/audit/audit.ts";
import { type Html, html } from "./html.ts";
import { counted, numeral, percent } from "./numerals.ts";
import { errorText, gapOf, isHeldOut, isRandomized, statedBounds, verdict } from "./verdict.ts";

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
    html`<p class="lead">Network: ${network}.<br>Data: ${data.name ? html`<bdi>${data.name}</bdi>, ` : ""}${examples}.</p>`,
  ];
}

/** The head of a report; the name is a heading of this level. */
export function summary(audit: Audit, title: string): Html {
  const { measures, errorDecomposition: split, data } = audit;
  const stated = statedBounds(audit);
  const best = stated.find(({ bound }) => !isHeldOut(bound));
  const gap = gapOf(audit);
  const isShare = data.task === "classification";
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
        ? `true error ${error(split.trueError[0])} to ${error(split.trueError[1])}, confidence ${percent(1 - split.delta, 6)}`
        : measures.testError === undefined
          ? "no test examples"
          : unit,
    ),
    card("Gap", error(gap), gap === undefined ? undefined : "test less training error"),
    card(
      "Tightest bound from training data",
      best ? (best.bound.vacuous || !isShare ? numeral(best.risk) : percent(best.risk)) : "–",
      best
        ? `${best.bound.name}${best.bound.vacuous ? "; vacuous" : ""}${isRandomized(best.bound) ? "; of a randomized classifier, not of these weights" : ""}`
        : isShare
          ? "none applies"
          : "none is stated for numbers as targets",
    ),
  ];
  return html`<header>
<h1><bdi>${title}</bdi></h1>
${lead(audit)}
<dl class="cards">${cards}</dl>
<div class="verdict">${verdict(audit).map((sentence) => html`<p>${sentence}</p>`)}</div>
</header>`;
}
