// A thread of a sweep: tasks in, outcomes out, one at a time.
import { setDefaultThreads } from "@lemmata/core/engine";
import { workerData } from "piscina";
import { runTask } from "./run-task.ts";
import { type Sealed, seal, type Task } from "./task.ts";

setDefaultThreads((workerData as { readonly threads: number }).threads);

/** What came of several tasks, and how long they took together. */
export interface Batch {
  readonly outcomes: readonly Sealed[];
  readonly seconds: number;
}

export default async function runBatch(tasks: readonly Task[]): Promise<Batch> {
  const start = performance.now();
  const outcomes: Sealed[] = [];
  for (const task of tasks) outcomes.push(seal(await runTask(task)));
  return { outcomes, seconds: (performance.now() - start) / 1000 };
}
