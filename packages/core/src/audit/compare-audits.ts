// Several audits on the same data, side by side.
import type { Audit, AuditComparison } from "./audit.ts";
import { gapOf } from "./gap.ts";
import { measureRanking } from "./rank-correlation.ts";

/** The audits with the rank correlation of every measure with the gap, over the models whose gap is known. */
export function compareAudits(audits: readonly Audit[]): AuditComparison {
  const rows = audits.flatMap((audit) => {
    const gap = gapOf(audit);
    return gap === undefined ? [] : [{ gap, measures: audit.measures.named }];
  });
  return { audits, ranking: measureRanking(rows) };
}
