export { type CheckResult, checkCertificate } from "./check.ts";
