// Bounds on a logarithmic axis against what was measured, and what each of them assumes.
import type { Audit, AuditBound } from "../audit.ts";
import { isHeldOut, otherBounds, type StatedBound, statedBounds } from "../stated-bounds.ts";
import { type Html, html } from "./html.ts";
import { confidence, numeral, upperNumeral } from "./numerals.ts";
import { section } from "./parts.ts";
import { confidenceOfChoice, errorText, isOfError } from "./verdict.ts";

/** Beyond this, bounds are drawn at the end of the axis: how vacuous they are is in their number. */
const greatest = 1e4;
/** Ticks that a page 390 pixels wide has room for. */
const mostOnPhone = 5;

interface LogAxis {
  /** In percent of the width, within the axis. */
  readonly at: (value: number) => number;
  readonly ticks: readonly number[];
}

function logAxis(values: readonly number[]): LogAxis {
  const known = values.filter((v) => v > 0 && v <= greatest);
  const from = Math.max(-6, Math.floor(Math.log10(Math.min(0.1, ...known))));
  const to = Math.ceil(Math.log10(Math.max(10, ...known)));
  const step = Math.max(1, Math.ceil((to - from) / 6));
  const ticks = Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, k) => 10 ** (from + k * step));
  const at = (value: number): number =>
    Math.min(100, Math.max(0, (100 * (Math.log10(value) - from)) / (to - from)));
  return { at, ticks };
}

const place = (share: number): string => `${share.toFixed(2)}%`;

/** The bounds section. */
export function boundsSection(audit: Audit, nameOf: (bound: AuditBound) => Html): Html {
  const [stated, apart] = [statedBounds(audit), otherBounds(audit)];
  const shown = new Set([...stated, ...apart].map(({ bound }) => bound));
  const others = audit.bounds.filter((bound) => !shown.has(bound));
  if (audit.bounds.length === 0)
    return section("bounds", "Bounds", html`<p>No bound is stated for this network and these data.</p>`);
  return section(
    "bounds",
    "Bounds",
    stated.length > 0
      ? html`${probabilities(audit, stated)}${boundsChart(audit, stated, nameOf)}`
      : html`<p>No bound of these weights has its hypotheses met.</p>`,
    apart.length > 0
      ? html`<h3>Of another network</h3>
<p>Not a bound of the audited weights: a randomized network of the same architecture was trained for it, and it bounds the error of that one, with probability at least ${confidenceOfChoice(apart)}.</p>
${boundsChart({ ...audit, measures: withoutErrors(audit) }, apart, nameOf)}`
      : undefined,
    others.length > 0 ? withoutNumber(others, nameOf) : undefined,
  );
}

/** What the numbers mean together and each by itself. */
const probabilities = (audit: Audit, stated: readonly StatedBound[]): Html =>
  html`<p>Each bound is not below ${isOfError(audit) ? "the error on new examples" : "what it bounds"} with probability at least ${confidence(audit.delta)} over the draw of the sample, each by itself${
    stated.length > 1
      ? `; the ${stated.length} together with probability at least ${confidenceOfChoice(stated)}`
      : ""
  }. Smaller is tighter.</p>
`;

/** Errors of the audited weights are no measure of another network. */
function withoutErrors({
  measures: { trainError: _train, testError: _test, ...rest },
}: Audit): Audit["measures"] {
  return rest;
}

function boundsChart(
  audit: Audit,
  stated: readonly StatedBound[],
  nameOf: (bound: AuditBound) => Html,
): Html {
  const { trainError, testError } = audit.measures;
  const lines = [
    { name: "training error", value: trainError, style: "train" },
    { name: "test error", value: testError, style: "test" },
  ].flatMap(({ value, ...line }) =>
    value !== undefined && value > 0 && isOfError(audit) ? [{ ...line, value }] : [],
  );
  const axis = logAxis([...stated.map(({ risk }) => risk), ...lines.map(({ value }) => value)]);
  const marks = [
    ...lines.map(
      ({ style, value }) => html`<i class="mark ${style}" style="left: ${place(axis.at(value))}"></i>`,
    ),
    html`<i class="mark one" style="left: ${place(axis.at(1))}"></i>`,
  ];
  const keys = [
    ...lines.map(
      ({ name, style, value }) =>
        html`<li><i class="key ${style}"></i>${name} ${errorText(audit, value)}</li>`,
    ),
    html`<li><i class="key one"></i>1: from here on a bound says nothing</li>`,
  ];
  const rows = stated.map(({ bound, risk }) => {
    const end = axis.at(risk);
    const kind = bound.vacuous ? "vacuous" : isHeldOut(bound) ? "heldout" : "useful";
    const beyond = risk > greatest ? html`<b class="beyond" aria-hidden="true">›</b>` : "";
    return html`<li class="${kind}"><span class="name">${nameOf(bound)}</span><span class="track" aria-hidden="true">${marks}<i class="bar" style="width: ${place(end)}"></i>${
      risk > greatest ? beyond : html`<i class="dot" style="left: ${place(end)}"></i>`
    }</span><span class="value">${upperNumeral(risk)}${bound.vacuous ? html`<small> vacuous</small>` : ""}</span></li>\n`;
  });
  const { length } = axis.ticks;
  const ticks = axis.ticks.map((t, k) => {
    // Where the page is narrow, every other one is left out, but not the last.
    const isBetween = length > mostOnPhone && (length - k) % 2 === 0;
    return html`<span${isBetween ? html` class="between"` : ""} style="left: ${place(axis.at(t))}">${numeral(t)}</span>`;
  });
  return html`<ul class="legend">${keys}</ul>
<ol class="bounds">${rows}<li class="axis" aria-hidden="true"><span class="track">${ticks}</span></li></ol>`;
}

/** Bounds that give no number here, and why. */
const withoutNumber = (bounds: readonly AuditBound[], nameOf: (bound: AuditBound) => Html): Html =>
  html`<h3>Not on the axis</h3>
<ul class="unmet">${bounds.map((bound) => html`<li>${nameOf(bound)}: ${reasonOf(bound)}</li>\n`)}</ul>`;

function reasonOf({ unmet, value, quantity, remark }: AuditBound): string {
  if (unmet.length > 0) return `not met: ${unmet.join("; ")}${remark ? ` (${remark})` : ""}`;
  if (value === undefined || Number.isNaN(value)) return "it has no number";
  if (quantity === "excess")
    return `${upperNumeral(value)}, of the distance from the best network of its class, not of the error`;
  return `${upperNumeral(value)}, of the gap; without a training error it is not one of the error`;
}

const quantities: Readonly<Record<AuditBound["quantity"], string>> = {
  risk: "the error on new examples",
  gap: "the distance of that error from the training error",
  excess: "the distance of that error from the best of the class",
};

/** What every number assumes. */
export function assumptionsSection(
  { bounds }: Audit,
  nameOf: (bound: AuditBound) => Html,
  linkOf: (id: string) => Html,
): Html | undefined {
  if (bounds.length === 0) return undefined;
  return section(
    "assumptions",
    "What each number assumes",
    html`<div class="assumptions">${bounds.map(
      (bound) => html`<article><h3>${nameOf(bound)}</h3>
<p>${
        bound.value === undefined || Number.isNaN(bound.value)
          ? html`No number: a hypothesis is not met.`
          : html`<strong>${upperNumeral(bound.value)}</strong>${bound.vacuous ? " (vacuous)" : ""}`
      } Bounds ${quantities[bound.quantity]}${bound.network === "audited" ? "" : " of another network, which was trained for it"}, with probability at least ${confidence(bound.delta)} (δ = ${numeral(bound.delta)}).</p>
<ul>${bound.assumptions.map((text) =>
        bound.unmet.includes(text)
          ? html`<li class="failed"><strong>Not met:</strong> ${text}</li>`
          : html`<li>${text}</li>`,
      )}${bound.unmet
        .filter((text) => !bound.assumptions.includes(text))
        .map((text) => html`<li class="failed"><strong>Not met:</strong> ${text}</li>`)}</ul>
${bound.remark ? html`<p>Remark: ${bound.remark}.</p>` : ""}${bound.lemma ? html`<p class="lemma">${linkOf(bound.lemma)}</p>` : ""}</article>
`,
    )}</div>`,
  );
}
