// The report of an audit: in the page, and as files.
import type { AuditOutput } from "../worker/jobs/audit.ts";

const lemmaLink = (id: string): string => `#/theory/${encodeURIComponent(id)}`;

/** The elements of the report; the code that draws it is loaded when first wanted. */
export async function reportElements({ audits, ranking, graph }: AuditOutput): Promise<readonly ChildNode[]> {
  const { auditSections, comparisonSections, reportStyle } = await import("@lemmata/core/audit/report");
  const body = ranking
    ? comparisonSections(audits, ranking, { document })
    : auditSections(audits[0]!, { document, lemmaLink, ...(graph && { graph }) });
  const holder = document.createElement("template");
  holder.innerHTML = body;
  const style = document.createElement("style");
  style.textContent = reportStyle;
  // The page has a <main> already: only what is in the report's goes into it.
  return [style, ...(holder.content.firstElementChild?.childNodes ?? [])];
}

/** The report as one HTML file, as `--html` writes it. */
export async function reportFile({ audits, ranking, graph }: AuditOutput): Promise<string> {
  const { auditReport, comparisonReport } = await import("@lemmata/core/audit/report");
  return ranking
    ? comparisonReport(audits, ranking, { document })
    : auditReport(audits[0]!, { document, ...(graph && { graph }) });
}

/** What files of this report are called. */
export const fileStem = ({ audits }: AuditOutput): string =>
  audits.length === 1
    ? `${audits[0]!.model.name.replace(/\.onnx$/i, "") || "network"}-audit`
    : "audit-comparison";
