// An audit as a plain record, for JSON: every number, but no list that grows with the data. What is infinite is the string "Infinity".
import type { Audit, AuditComparison } from "./audit.ts";

type Margins = NonNullable<Audit["measures"]["margins"]>;

const marginNumbers = ({ min, q10, median, mean }: Margins) => ({ min, q10, median, mean });

/** Measures that have no value are missing, and `reasons` says why. */
function measuresRecord({ margins, testMargins, layers, ...rest }: Audit["measures"]) {
  return {
    ...rest,
    ...(margins ? { margins: marginNumbers(margins) } : {}),
    ...(testMargins ? { testMargins: marginNumbers(testMargins) } : {}),
    layers: layers.map(({ singularValues, ...layer }) => layer),
  };
}

/** One model. */
export const auditRecord = ({ measures, ...rest }: Audit) => ({
  ...rest,
  measures: measuresRecord(measures),
});

/** Several models and the ranking. */
export const auditComparisonRecord = ({ audits, ranking }: AuditComparison) => ({
  models: audits.map(auditRecord),
  ranking,
});
