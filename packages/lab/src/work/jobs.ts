// Every job that a worker can do, by name; the code of each is loaded when it is first wanted.
import type { Job } from "./protocol.ts";

export const jobs = {
  runLemma: async () => (await import("./jobs/run-lemma.ts")).runLemma,
};

export type Jobs = typeof jobs;
export type JobName = keyof Jobs;
type JobOf<N extends JobName> = Awaited<ReturnType<Jobs[N]>>;
export type JobInput<N extends JobName> = JobOf<N> extends Job<infer Input, unknown> ? Input : never;
export type JobOutput<N extends JobName> = JobOf<N> extends Job<never, infer Output> ? Output : never;
