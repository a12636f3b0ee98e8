export { type CheckResult, checkCertificate } from "./check.ts";
export { type CircuitCheck, checkCircuit } from "./check-circuit.ts";
export { checkKernel, type KernelCheck } from "./check-kernel.ts";
export { type CircuitCertificate, circuitCertificateSchema } from "./circuit-certificate.ts";
export { circuitContradiction } from "./circuit-runtime.ts";
export { type KernelCertificate, kernelCertificateSchema } from "./kernel-certificate.ts";
export { kernelContradiction } from "./kernel-runtime.ts";
export { runtimeContradiction } from "./runtime.ts";
