// Every job that a worker can do, by name; the code of each is loaded when it is first wanted.
import type { Job } from "./protocol.ts";

export const jobs = {
  runLemma: async () => (await import("./jobs/run-lemma.ts")).runLemma,
  falsifyLemma: async () => (await import("./jobs/falsify-lemma.ts")).falsifyLemma,
  writeOnnx: async () => (await import("./jobs/write-onnx.ts")).writeOnnx,
  drawNetwork: async () => (await import("./jobs/draw-network.ts")).drawNetwork,
  squaringExample: async () => (await import("./jobs/squaring-example.ts")).squaringExample,
  compileRead: async () => (await import("./jobs/compile-read.ts")).compileRead,
  compileFormula: async () => (await import("./jobs/compile-formula.ts")).compileFormula,
  compileTable: async () => (await import("./jobs/compile-table.ts")).compileTable,
  compileMeasure: async () => (await import("./jobs/compile-measure.ts")).compileMeasure,
  verifyCertificate: async () => (await import("./jobs/verify-certificate.ts")).verifyCertificate,
  train: async () => (await import("./jobs/train.ts")).train,
  trainWatch: async () => (await import("./jobs/train-watch.ts")).trainWatch,
  inspectModel: async () => (await import("./jobs/compare-inspect.ts")).inspectModel,
  compareFiles: async () => (await import("./jobs/compare.ts")).compareFiles,
  simplifyModel: async () => (await import("./jobs/simplify.ts")).simplifyModel,
  samplePair: async () => (await import("./jobs/sample-pair.ts")).samplePair,
  auditModels: async () => (await import("./jobs/audit.ts")).auditModels,
  inspectData: async () => (await import("./jobs/audit-data.ts")).inspectData,
  explainPicture: async () => (await import("./jobs/explain.ts")).explainPicture,
  digitNetwork: async () => (await import("./jobs/digit-network.ts")).digitNetwork,
  scatterSignal: async () => (await import("./jobs/scatter.ts")).scatterSignal,
  resynthesize: async () => (await import("./jobs/scatter.ts")).resynthesize,
  recoverDigit: async () => (await import("./jobs/recover.ts")).recoverDigit,
  digitGenerator: async () => (await import("./jobs/recover.ts")).digitGenerator,
  sampleNetworks: async () => (await import("./jobs/sample-networks.ts")).sampleNetworks,
};

export type Jobs = typeof jobs;
export type JobName = keyof Jobs;
type JobOf<N extends JobName> = Awaited<ReturnType<Jobs[N]>>;
export type JobInput<N extends JobName> = JobOf<N> extends Job<infer Input, unknown> ? Input : never;
export type JobOutput<N extends JobName> = JobOf<N> extends Job<never, infer Output> ? Output : never;
