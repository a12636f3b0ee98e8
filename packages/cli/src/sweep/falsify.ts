// The falsifier by many workers: they run parts of the trials, and what is reported is what one process would report.
import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { type Job, makeJob } from "@lemmata/core/sweep";
import { falsify, type Lemma, type Report, readTrials, type Trial } from "@lemmata/core/theory";
import type { CommonOptions } from "../output.ts";
import { remark } from "../progress.ts";
import { UsageError } from "../usage-error.ts";
import { SweepProgress } from "./progress.ts";
import { runJobs } from "./run-jobs.ts";
import { type Task, type TrialsTask, unseal } from "./task.ts";

interface Options extends CommonOptions {
  readonly trials: number;
  readonly workers?: number;
  readonly queue?: string;
  readonly signal: AbortSignal;
}

/** Trials of a part: enough to be worth the way, few enough that all workers have some to the end. */
const [fewest, most] = [5, 100];
/** Workers somewhere else are not counted: there may be this many. */
const elsewhere = 16;

const partSize = ({ trials, workers, queue }: Pick<Options, "trials" | "workers" | "queue">): number => {
  const hands = queue === undefined ? (workers ?? availableParallelism()) : elsewhere;
  return Math.min(most, Math.max(fewest, Math.ceil(trials / (4 * hands))));
};

/** The parts of the trials of a lemma. */
export function parts(
  id: string,
  options: Pick<Options, "trials" | "seed" | "workers" | "queue">,
): Promise<readonly Job<Task>[]> {
  const size = partSize(options);
  const tasks = Array.from({ length: Math.ceil(options.trials / size) }, (_, k): TrialsTask => {
    const [from, to] = [k * size, Math.min(options.trials, (k + 1) * size)];
    return { kind: "trials", id, seed: options.seed, from, to };
  });
  return Promise.all(tasks.map((task) => makeJob<Task>(task, {})));
}

/** Trials that come in, lemma by lemma; a lemma is ready when all its parts have come. */
class Gathering {
  readonly #lemmata: ReadonlyMap<string, { readonly trials: Trial[]; readonly isReady: Promise<void> }>;
  readonly #open = new Map<string, { missing: number; done: () => void }>();

  constructor(counts: readonly (readonly [id: string, parts: number])[]) {
    this.#lemmata = new Map(
      counts.map(([id, missing]) => {
        const isReady = new Promise<void>((done) => this.#open.set(id, { missing, done }));
        return [id, { trials: [], isReady }];
      }),
    );
  }

  /** A part that failed brings no trials: whoever reports runs them himself. */
  add(id: string, trials: readonly Trial[]): void {
    const open = this.#open.get(id)!;
    for (const trial of trials) this.#lemmata.get(id)!.trials.push(trial);
    if (--open.missing === 0) open.done();
  }

  async trialsOf(id: string): Promise<readonly Trial[]> {
    const { trials, isReady } = this.#lemmata.get(id)!;
    await isReady;
    return trials;
  }
}

/** What `falsify` reports of each lemma, in their order. */
export async function* falsifyTogether(lemmata: readonly Lemma[], options: Options): AsyncGenerator<Report> {
  const { trials, seed, signal, workers, queue } = options;
  if (workers !== undefined && queue !== undefined)
    throw new UsageError("--workers works here, --queue elsewhere: give one of them");
  const byLemma = await Promise.all(lemmata.map(({ id }) => parts(id, options)));
  const jobs = byLemma.flat();
  const gathering = new Gathering(lemmata.map(({ id }, k) => [id, byLemma[k]!.length]));
  const progress = new SweepProgress("falsify", jobs.length, 0, options);
  const lemmaOf = new Map(lemmata.map((lemma) => [lemma.id, lemma]));
  const running = runJobs(jobs, {
    ...{ workers, queue, limits: {}, signal, id: randomBytes(8).toString("hex"), isResumed: false },
    onOutcome({ task }, outcome) {
      const { status, values } = unseal(outcome);
      const { id } = task as TrialsTask;
      gathering.add(id, status === "done" ? readTrials(String(values!["trials"]), lemmaOf.get(id)!) : []);
      progress.ended(status === "done");
    },
    remark: (text) => remark(text, options),
    settled: async () => {},
  });
  const failed = running.then(() => signal.throwIfAborted());
  failed.catch(() => {});
  for (const lemma of lemmata) {
    const known = await Promise.race([
      gathering.trialsOf(lemma.id),
      failed.then(() => gathering.trialsOf(lemma.id)),
    ]);
    yield await falsify(lemma, { trials, seed, signal, known });
  }
  await running;
  await progress.close();
}
