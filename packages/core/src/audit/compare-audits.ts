// Several audits on the same data, side by side.
import type { Audit, AuditComparison } from "./audit.ts";
import { measureRanking } from "./rank-correlation.ts";

/** The audits with the rank correlation of every measure with the gap, over the models whose gap is known. */
export function compareAudits(audits: readonly Audit[]): AuditComparison {
  const rows = audits.flatMap(({ measures }) =>
    measures.trainError === undefined || measures.testError === undefined
      ? []
      : [{ gap: measures.testError - measures.trainError, measures: measures.named }],
  );
  return { audits, ranking: measureRanking(rows) };
}
