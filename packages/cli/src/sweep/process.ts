// A process of a sweep: tasks in, outcomes out, one at a time; it ends with the one that started it.
import { setDefaultThreads } from "@lemmata/core/engine";
import { endWithGuard } from "../guarded.ts";
import { runTask } from "./run-task.ts";
import type { Task } from "./task.ts";

// Ctrl-C in a terminal reaches every process there; whoever runs the sweep decides what ends.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
process.on("disconnect", () => process.exit());
setDefaultThreads(Number(process.argv[2]));
await endWithGuard();
process.on("message", async (task: Task) => process.send?.({ outcome: await runTask(task) }));
process.send?.("ready");
