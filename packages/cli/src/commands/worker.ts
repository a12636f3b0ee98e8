import { type CommonOptions, counted, print, printJson } from "../output.ts";
import { interruptSignal, remark } from "../progress.ts";
import { takeJobs } from "../sweep/queue-worker.ts";
import { withoutPassword } from "../sweep/redis.ts";

interface Options extends CommonOptions {
  readonly queue: string;
  readonly workers?: number;
  readonly idle?: number;
}

/** Milliseconds between two looks at the clock. */
const look = 100;

/** `lemmata worker --queue redis://host:6379`: until Ctrl-C, or until there has been nothing to do for a while. */
export default async function workerCommand(options: Options): Promise<void> {
  const signal = interruptSignal();
  const counts = { ran: 0, failed: 0 };
  let last = performance.now();
  const worker = await takeJobs(options.queue, {
    workers: options.workers,
    onJob(isDone) {
      counts.ran++;
      if (!isDone) counts.failed++;
      last = performance.now();
    },
  });
  remark(`takes jobs from ${withoutPassword(options.queue)} until Ctrl-C`, options);
  const isIdle = (): boolean =>
    options.idle !== undefined && !worker.isBusy() && performance.now() - last > 1000 * options.idle;
  while (!signal.aborted && !isIdle()) await new Promise((resolve) => setTimeout(resolve, look));
  await worker.close();
  if (options.json) printJson(counts);
  else if (!options.quiet) print(`${counted(counts.ran, "job")} ran, ${counts.failed} failed`);
}
