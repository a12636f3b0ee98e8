export { type CheckResult, checkCertificate } from "./check.ts";
export { runtimeContradiction } from "./runtime.ts";
