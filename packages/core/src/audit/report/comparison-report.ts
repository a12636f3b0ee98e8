// Several audited networks side by side, and which measures order them as their gaps do.
import * as Plot from "@observablehq/plot";
import type { Audit } from "../audit.ts";
import { gapOf } from "../gap.ts";
import type { RankedMeasure } from "../rank-correlation.ts";
import { trainingBounds } from "../stated-bounds.ts";
import { chart, pointScale, seriesColour } from "./charts.ts";
import { type Html, html } from "./html.ts";
import { counted, numeral, upperNumeral } from "./numerals.ts";
import { reportPage } from "./page.ts";
import { figure, section, table } from "./parts.ts";
import { confidenceOfChoice, errorText } from "./verdict.ts";

export interface ComparisonOptions {
  readonly document: Document;
  readonly title?: string;
  /** Ids of the measures to draw against the gap; by default those with the strongest correlations, one a family first. */
  readonly chosen?: readonly string[];
}

interface Compared {
  readonly key: string;
  readonly audit: Audit;
  readonly gap: number | undefined;
}

const drawnMeasures = 4;

const boundText = (risk: number | undefined): string => (risk === undefined ? "–" : upperNumeral(risk));

/** A, B, ..., Z, A2, ... */
const keyOf = (k: number): string =>
  `${String.fromCharCode(65 + (k % 26))}${k >= 26 ? Math.floor(k / 26) + 1 : ""}`;

function modelsTable(models: readonly Compared[]): Html {
  const error = (audit: Audit, value: number | undefined): string =>
    value === undefined ? "–" : errorText(audit, value);
  const best = (audit: Audit) => trainingBounds(audit)[0];
  const sureness = (audit: Audit): string =>
    best(audit)?.bound.vacuous === false ? confidenceOfChoice(trainingBounds(audit)) : "–";
  return table(
    "The networks, the least gap first; confidence: that of the tightest bound, after choosing it",
    [
      { head: "", cell: ({ key }: Compared) => key },
      {
        head: "Network",
        cell: ({ audit }) => html`<bdi>${audit.model.name || "without a name"}</bdi>`,
        isName: true,
      },
      { head: "parameters", cell: ({ audit }) => numeral(audit.model.parameters), numeric: true },
      { head: "training error", cell: ({ audit }) => error(audit, audit.measures.trainError), numeric: true },
      { head: "test error", cell: ({ audit }) => error(audit, audit.measures.testError), numeric: true },
      { head: "gap", cell: ({ audit, gap }) => error(audit, gap), numeric: true },
      { head: "tightest bound", cell: ({ audit }) => boundText(best(audit)?.risk), numeric: true },
      { head: "confidence", cell: ({ audit }) => sureness(audit), numeric: true },
      { head: "of", cell: ({ audit }) => best(audit)?.bound.name ?? "none applies" },
    ],
    models,
  );
}

function correlationChart(ranking: readonly RankedMeasure[]): Html {
  const known = ranking.filter((r): r is RankedMeasure & { readonly tau: number } => Number.isFinite(r.tau));
  const unknown = ranking.filter((r) => !Number.isFinite(r.tau));
  const place = (tau: number): string => `${(50 + 50 * tau).toFixed(2)}%`;
  const rows = known.map(({ name, tau, count }) => {
    const [from, to] = tau < 0 ? [tau, 0] : [0, tau];
    const style = `left: ${place(from)}; width: ${(50 * (to - from)).toFixed(2)}%`;
    return html`<li class="${tau < 0 ? "negative" : "positive"}"><span class="name">${name}</span><span class="track" aria-hidden="true"><i class="bar" style="${style}"></i><i class="mark zero" style="left: 50%"></i></span><span class="value">${numeral(tau, 3)}<small> of ${numeral(count)}</small></span></li>\n`;
  });
  const ticks = [-1, -0.5, 0, 0.5, 1].map((t) => html`<span style="left: ${place(t)}">${numeral(t)}</span>`);
  const rest =
    unknown.length > 0
      ? html`<p>Without a correlation, as fewer than two networks differ in it: ${unknown.map((r) => r.name).join(", ")}.</p>`
      : undefined;
  if (known.length === 0) return html`<p>No measure has a correlation with the gap.</p>`;
  return html`<ol class="bounds correlations">${rows}<li class="axis" aria-hidden="true"><span class="track">${ticks}</span></li></ol>${rest}`;
}

/** The strongest of each family first, then the strongest of the rest. */
function strongest(ranking: readonly RankedMeasure[]): readonly string[] {
  const sorted = ranking
    .filter((r) => Number.isFinite(r.tau))
    .sort((a, b) => Math.abs(b.tau!) - Math.abs(a.tau!));
  const first = sorted.filter((r, k) => sorted.findIndex((s) => s.family === r.family) === k);
  return [...new Set([...first, ...sorted])].slice(0, drawnMeasures).map((r) => r.id);
}

function scatter(id: string, models: readonly Compared[], document: Document): Html | undefined {
  const rows = models.flatMap(({ key, audit, gap }) => {
    const found = audit.measures.named.find((m) => m.id === id);
    const isKnown = found && (found.value !== undefined || found.log !== undefined);
    return isKnown && gap !== undefined ? [{ key, gap, found }] : [];
  });
  const inLogs = rows.every(({ found }) => found.log !== undefined);
  const points = rows
    .map(({ key, gap, found }) => ({
      key,
      gap,
      at: inLogs ? found.log! / Math.LN10 : (found.value ?? Number.NaN),
    }))
    .filter(({ at, gap }) => Number.isFinite(at) && Number.isFinite(gap));
  if (points.length < 2) return undefined;
  const { name, family } = rows[0]!.found;
  const places = { x: "at", y: "gap" } as const;
  const picture = chart(
    { document, title: `${name} against the gap`, height: 300 },
    pointScale(
      points.map(({ at }) => at),
      inLogs ? `log₁₀ of ${name}` : name,
    ),
    pointScale(
      points.map((p) => p.gap),
      "gap",
    ),
    [
      Plot.dot(points, { ...places, fill: seriesColour(0), r: 4.5 }),
      ...(points.length <= 26
        ? [Plot.text(points, { ...places, text: "key", dy: -12, fill: "currentColor", fontWeight: 600 })]
        : []),
    ],
  );
  return figure(picture, `${name} (${family}) against the gap; letters are those of the table.`);
}

/** The body of a comparison as HTML, for a page that has `reportStyle`. */
export const comparisonSections = (
  audits: readonly Audit[],
  ranking: readonly RankedMeasure[],
  options: ComparisonOptions,
): string => bodyOf(audits, ranking, options).html;

function bodyOf(
  audits: readonly Audit[],
  ranking: readonly RankedMeasure[],
  { document, title = titleOf(audits), chosen }: ComparisonOptions,
): Html {
  const models = audits
    .map((audit) => ({ audit, gap: gapOf(audit) }))
    .sort((a, b) => (a.gap ?? Number.POSITIVE_INFINITY) - (b.gap ?? Number.POSITIVE_INFINITY))
    .map((model, k): Compared => ({ ...model, key: keyOf(k) }));
  const pictures = (chosen ?? strongest(ranking)).flatMap((id) => scatter(id, models, document) ?? []);
  return html`<main class="lemmata-report">
<header><h1>${title}</h1></header>
${modelsTable(models)}
${section(
  "correlations",
  "Which measures order the networks as their gaps do",
  html`<p>Kendall’s τ of each measure with the gap: 1 where a greater measure always goes with a greater gap, −1 where it is always the other way, 0 where it tells nothing. With few networks, great values come about by chance.</p>`,
  correlationChart(ranking),
)}
${pictures.length > 0 ? section("scatter", "Measures against the gap", html`<div class="charts">${pictures}</div>`) : ""}
</main>`;
}

const titleOf = (audits: readonly Audit[]): string => `${counted(audits.length, "network")} compared`;

/** A comparison as the text of one HTML file, without scripts and without references to other files. */
export const comparisonReport = (
  audits: readonly Audit[],
  ranking: readonly RankedMeasure[],
  options: ComparisonOptions,
): string => reportPage(options.title ?? titleOf(audits), bodyOf(audits, ranking, options));
