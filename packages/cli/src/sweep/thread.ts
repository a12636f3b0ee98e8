// A thread of a sweep: tasks in, outcomes out, one at a time.
import { setDefaultThreads } from "@lemmata/core/engine";
import { workerData } from "piscina";
import { runTask } from "./run-task.ts";

setDefaultThreads((workerData as { readonly threads: number }).threads);

export default runTask;
