// The report of an audit: one page that needs nothing else, or its body alone for a page around it.

import { drawNetwork } from "../../figure/network/plot.ts";
import type { Graph } from "../../graph/graph.ts";
import type { Audit, AuditBound } from "../audit.ts";
import { assumptionsSection, boundsSection } from "./bounds-section.ts";
import { drawn, type Html, html } from "./html.ts";
import { layersSection } from "./layers-section.ts";
import { marginsSection } from "./margins-section.ts";
import { activitySection, namedSection, sharpnessSection, wholeSection } from "./measures-section.ts";
import { counted, numeral } from "./numerals.ts";
import { reportPage } from "./page.ts";
import { figure, section } from "./parts.ts";
import { summary } from "./summary.ts";

export interface ReportOptions {
  /** The browser's, or linkedom's in Node. */
  readonly document: Document;
  /** Draws the network, if given. */
  readonly graph?: Graph;
  /** Default: the name of the network. */
  readonly title?: string;
  /** Where a lemma is shown, such as (id) => `#/theory/${id}`; without it, the command that runs it is named. */
  readonly lemmaLink?: (id: string) => string;
}

const blocks = 40;
/** Wider pictures scroll rather than shrink until they cannot be read. */
const widePicture = 1250;

/** Only what a page may lead to: no scripts. */
const isSafeLink = (address: string): boolean => /^(https?:|#|\.{0,2}\/|[\w-]+(\/|$))/i.test(address);

function lemmaReference(id: string, lemmaLink: ReportOptions["lemmaLink"]): Html {
  const address = lemmaLink?.(id);
  return address !== undefined && isSafeLink(address)
    ? html`<a href="${address}">Lemma ${id}</a>`
    : html`Lemma ${id}: <code>lemmata theory run ${id}</code>`;
}

function networkSection(graph: Graph, document: Document): Html {
  const picture = drawNetwork(graph, { document, mostBlocks: blocks });
  const wide = Number(picture.getAttribute("width")) > widePicture;
  const operators = new Map<string, number>();
  for (const { op } of graph.nodes) operators.set(op, (operators.get(op) ?? 0) + 1);
  const uses = [...operators].sort((a, b) => b[1] - a[1]).map(([op, n]) => `${op} ${numeral(n)}`);
  return section(
    "network",
    "The network",
    html`<div class="network${wide ? " wide" : ""}">${figure(
      drawn(picture),
      `${counted(graph.nodes.length, "operator")}: ${uses.join(", ")}.`,
    )}</div>`,
  );
}

const titles = {
  bounds: "Bounds",
  margins: "Margins",
  layers: "Layers",
  whole: "As one function",
  activity: "Activity",
  sharpness: "Sharpness",
  measures: "All measures",
  network: "Network",
  assumptions: "Assumptions",
};

function parts(audit: Audit, { document, graph, lemmaLink }: ReportOptions) {
  const nameOf = ({ name }: AuditBound): Html => html`${name}`;
  const found: Readonly<Record<keyof typeof titles, Html | undefined>> = {
    bounds: boundsSection(audit, nameOf),
    margins: marginsSection(audit, document),
    layers: layersSection(audit, document),
    whole: wholeSection(audit),
    activity: activitySection(audit),
    sharpness: sharpnessSection(audit),
    network: graph ? networkSection(graph, document) : undefined,
    measures: namedSection(audit),
    assumptions: assumptionsSection(audit, nameOf, (id) => lemmaReference(id, lemmaLink)),
  };
  return Object.entries(found).flatMap(([id, part]) =>
    part ? [{ id, title: titles[id as keyof typeof titles], part }] : [],
  );
}

function footer({ seconds, delta }: Audit): Html {
  const works = Object.entries(seconds).map(([what, s]) => `${what} ${numeral(s, 2)} s`);
  return html`<footer><p>Audited by Lemmata at δ = ${numeral(delta)}${works.length > 0 ? `; work: ${works.join(", ")}` : ""}.</p></footer>`;
}

function bodyOf(audit: Audit, options: ReportOptions, withContents: boolean): Html {
  const sections = parts(audit, options);
  const contents = withContents
    ? html`<nav aria-label="Contents">${sections.map(({ id, title }) => html`<a href="#audit-${id}">${title}</a> `)}</nav>`
    : "";
  return html`<main class="lemmata-report">
${summary(audit, options.title ?? (audit.model.name || "Network without a name"))}
${contents}${sections.map(({ part }) => part)}
${footer(audit)}
</main>`;
}

/** The body of a report as HTML, for a page that has `reportStyle`; all names in it are escaped. */
export const auditSections = (audit: Audit, options: ReportOptions): string =>
  bodyOf(audit, options, false).html;

/** The report as the text of one HTML file, without scripts and without references to other files. */
export const auditReport = (audit: Audit, options: ReportOptions): string =>
  reportPage(
    `${options.title ?? (audit.model.name || "Network without a name")}: audit`,
    bodyOf(audit, options, true),
  );
