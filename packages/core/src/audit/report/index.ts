export { auditReport, auditSections, type ReportOptions } from "./audit-report.ts";
export { type ComparisonOptions, comparisonReport, comparisonSections } from "./comparison-report.ts";
export { numeral, numeralFromLog, percent } from "./numerals.ts";
export { reportStyle } from "./style.ts";
export { verdict } from "./verdict.ts";
