export type {
  Audit,
  AuditBound,
  AuditComparison,
  AuditedData,
  AuditedNetwork,
  ErrorDecomposition,
} from "./audit.ts";
export {
  type AuditDataOptions,
  type AuditExamples,
  auditExamples,
  type ExampleSource,
} from "./audit-examples.ts";
export { type AuditOptions, auditModel } from "./audit-model.ts";
export { auditComparisonRecord, auditRecord } from "./audit-record.ts";
export { testsNothing } from "./audited-data.ts";
export { boundLemmata } from "./bound-lemmata.ts";
export { compareAudits } from "./compare-audits.ts";
export { AuditError } from "./error.ts";
export { gapOf } from "./gap.ts";
export { type NetworkChain, networkChain } from "./network-chain.ts";
export { kendallTau, type MeasuredGap, measureRanking, type RankedMeasure } from "./rank-correlation.ts";
