// A query by several processes. Each takes some of the parts that are open, for a few seconds, and gives back what it leaves
// open of them: so no work is lost, and nobody waits long for a part that is harder than it looked.
import { type OpenPart, partsFrom, partsText, type Verdict } from "@lemmata/core/bounds";
import type { Options } from "./commands/verify.ts";
import { elapsed } from "./elapsed.ts";
import { interruptSignal, progressBar } from "./progress.ts";
import type { ShareTask } from "./sweep/task.ts";

/** How long a worker keeps its parts; less for the first ones, so that there are soon parts enough for all. */
const [firstSeconds, mostSeconds] = [0.5, 4] as const;
/** What a worker may take beyond its time until it has answered. */
const patience = 5;

/** The words of the command for some parts. */
function wordsOf(
  path: string,
  options: Options,
  parts: readonly OpenPart[],
  seconds: number,
): readonly string[] {
  const { network = [], tolerance, or: isOr, seed } = options;
  return [
    ...["verify", path, "--parts", partsText(parts), "--seed", String(seed), "--timeout", String(seconds)],
    ...network.flatMap((entry) => ["--network", entry]),
    ...(tolerance === undefined ? [] : ["--tolerance", String(tolerance)]),
    ...(isOr ? ["--or"] : []),
  ];
}

type Answer = Omit<Verdict, "left"> & { readonly left?: string };

/** The verdict of a worker, as its command printed it; anything else is no answer. */
function readAnswer(text: unknown, error: string | undefined): Answer {
  const none = {
    verdict: "unknown",
    reason: error ?? "a worker gave no answer",
    boxes: 0,
    seconds: 0,
  } as const;
  if (typeof text !== "string") return none;
  // A worker that was ended when the time was over is spoken for by a bare word.
  if (text === "timed-out") return { verdict: "timed-out", boxes: 0, seconds: 0 };
  const read = JSON.parse(text) as Answer;
  return ["sat", "unsat", "unknown", "timed-out"].includes(read.verdict) ? read : none;
}

const shareOf = (parts: readonly OpenPart[]): number => parts.reduce((sum, { share }) => sum + share, 0);

/** What is open, who works on it, and what was found. */
class Work {
  readonly #workers: number;
  #open: OpenPart[];
  #busy = 0;
  #taken = 0;
  boxes: number;
  /** A witness, or why something stays undecided. */
  found: Answer | undefined;

  constructor(open: readonly OpenPart[], workers: number, boxes: number) {
    this.#open = [...open];
    this.#workers = workers;
    this.boxes = boxes;
  }

  get isDone(): boolean {
    return this.#open.length === 0 && this.#busy === 0;
  }

  get isEmpty(): boolean {
    return this.#open.length === 0;
  }

  get openShare(): number {
    return shareOf(this.#open);
  }

  /** Every so manieth part, so that large and small ones are mixed; fewer at first. */
  take(): { readonly parts: readonly OpenPart[]; readonly seconds: number } {
    this.#open.sort((p, q) => q.share - p.share);
    const parts = this.#open.filter((_, k) => k % this.#workers === 0);
    this.#open = this.#open.filter((_, k) => k % this.#workers !== 0);
    this.#busy++;
    const turn = Math.floor(this.#taken++ / this.#workers);
    return { parts, seconds: Math.min(mostSeconds, firstSeconds * 2 ** turn) };
  }

  /** What a worker says of the parts that it took. */
  give(answer: Answer): void {
    this.#busy--;
    this.boxes += answer.boxes;
    if (answer.verdict === "timed-out" && answer.left !== undefined)
      this.#open.push(...partsFrom(answer.left));
    else if (answer.verdict === "sat") this.found = answer;
    else if (answer.verdict !== "unsat" && this.found?.verdict !== "sat") this.found ??= answer;
  }
}

/** What all workers say together of what one process, `alone`, left open. */
export async function verifiedByWorkers(
  path: string,
  options: Options,
  workers: number,
  alone: Verdict,
  open: readonly OpenPart[],
): Promise<Verdict> {
  const { ProcessCrew } = await import("./sweep/process-crew.ts");
  const crew = new ProcessCrew(workers);
  const work = new Work(open, workers, alone.boxes);
  const whole = work.openShare;
  const bar = progressBar("verify", options);
  const limit = options.timeout ?? Number.POSITIVE_INFINITY;
  let isOver = false;
  let wake: () => void = () => {};
  let changed = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const tell = (): void => {
    wake();
    changed = new Promise((resolve) => {
      wake = resolve;
    });
  };
  const worker = async (): Promise<void> => {
    while (!isOver && !work.isDone && !work.found) {
      if (work.isEmpty) {
        await changed;
        continue;
      }
      const { parts, seconds } = work.take();
      const task: ShareTask = {
        kind: "share",
        words: wordsOf(path, options, parts, Math.max(0.1, Math.min(seconds, limit - elapsed()))),
      };
      const outcome = await crew.run(task, { seconds: seconds + patience });
      if (isOver) break;
      work.give(readAnswer(outcome.values?.["verdict"], outcome.error));
      bar.update(1 - work.openShare / whole, `${work.boxes} boxes`);
      if (elapsed() > limit) isOver = true;
      tell();
    }
    tell();
  };
  const signal = interruptSignal();
  let stop: () => void = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = (): void => {
      isOver = true;
      tell();
      resolve();
    };
  });
  const timer = Number.isFinite(limit) ? setTimeout(stop, 1000 * Math.max(0, limit - elapsed())) : undefined;
  signal.addEventListener("abort", stop, { once: true });
  try {
    await Promise.race([stopped, Promise.all(Array.from({ length: workers }, worker))]);
  } finally {
    bar.done();
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    await crew.close();
  }
  signal.throwIfAborted();
  return { ...together(work, alone), seconds: elapsed(), boxes: work.boxes };
}

function together(work: Work, alone: Verdict): Omit<Verdict, "boxes" | "seconds" | "left"> {
  const { found } = work;
  if (found) {
    const { left: _, ...said } = found;
    return said;
  }
  if (work.isDone) return { verdict: "unsat", strength: "proved" };
  const { reason } = alone;
  return { verdict: "timed-out", ...(reason !== undefined && { reason }) };
}
