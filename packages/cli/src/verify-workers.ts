// A query by several processes: each takes one share of the work after another, until one has a witness or all have proofs.
import type { Verdict } from "@lemmata/core/bounds";
import type { Options } from "./commands/verify.ts";
import { elapsed } from "./elapsed.ts";
import { interruptSignal, progressBar } from "./progress.ts";
import type { ShareTask } from "./sweep/task.ts";

/** Shares for each worker, so that none waits long for the last. */
const sharesOfWorker = 4;

/** The words of the command for one share. */
function wordsOf(path: string, options: Options, share: string): readonly string[] {
  const { network = [], shape = [], output = [], timeout, tolerance, or: isOr, seed } = options;
  return [
    ...["verify", path, "--share", share, "--seed", String(seed)],
    ...network.flatMap((entry) => ["--network", entry]),
    ...shape.flatMap((text) => ["--shape", text]),
    ...output.flatMap((name) => ["--output", name]),
    ...(timeout === undefined ? [] : ["--timeout", String(Math.max(0.1, timeout - elapsed()))]),
    ...(tolerance === undefined ? [] : ["--tolerance", String(tolerance)]),
    ...(isOr ? ["--or"] : []),
  ];
}

/** What the shares say together; `alone` is what one process found before, undecided. */
export async function verifiedByWorkers(
  path: string,
  options: Options,
  workers: number,
  alone: Verdict,
): Promise<Verdict> {
  const { ProcessCrew } = await import("./sweep/process-crew.ts");
  const crew = new ProcessCrew(workers);
  const count = 2 ** Math.ceil(Math.log2(sharesOfWorker * workers));
  const bar = progressBar("verify", options);
  const found: Verdict[] = [];
  let next = 0;
  let isOver = false;
  const isSat = (): boolean => found.some(({ verdict }) => verdict === "sat");
  const work = async (): Promise<void> => {
    while (next < count && !isOver) {
      const task: ShareTask = { kind: "share", words: wordsOf(path, options, `${next++}/${count}`) };
      const outcome = await crew.run(task, {});
      const text = outcome.values?.["verdict"];
      // A share without an answer is undecided, whatever became of its process.
      found.push(
        outcome.status === "done" && typeof text === "string"
          ? readVerdict(text)
          : { verdict: "unknown", reason: outcome.error ?? "a worker gave no answer", boxes: 0, seconds: 0 },
      );
      bar.update(found.length / count, `${found.length} of ${count} shares`);
      // Of the undecided others may still find a witness.
      isOver ||= isSat() || elapsed() > (options.timeout ?? Number.POSITIVE_INFINITY);
      if (isOver) await crew.close();
    }
  };
  const signal = interruptSignal();
  const stop = (): void => {
    isOver = true;
    void crew.close();
  };
  signal.addEventListener("abort", stop, { once: true });
  try {
    await Promise.all(Array.from({ length: workers }, work));
  } finally {
    bar.done();
    signal.removeEventListener("abort", stop);
    await crew.close();
  }
  signal.throwIfAborted();
  return {
    ...joined(found, count, isSat()),
    seconds: elapsed(),
    boxes: found.reduce((n, v) => n + v.boxes, alone.boxes),
  };
}

/** The verdict of a share, as its command printed it; anything else is no answer. */
function readVerdict(text: string): Verdict {
  // A worker that was ended when the time was over is spoken for by a bare word.
  if (text === "timed-out") return { verdict: "timed-out", boxes: 0, seconds: 0 };
  const read = JSON.parse(text) as Verdict;
  return ["sat", "unsat", "unknown", "timed-out"].includes(read.verdict)
    ? read
    : { verdict: "unknown", reason: "a worker gave no answer", boxes: 0, seconds: 0 };
}

function joined(
  found: readonly Verdict[],
  count: number,
  isSat: boolean,
): Omit<Verdict, "boxes" | "seconds"> {
  if (isSat) return found.find(({ verdict }) => verdict === "sat")!;
  if (found.length === count && found.every(({ verdict }) => verdict === "unsat"))
    return { verdict: "unsat", strength: "proved" };
  const open = found.filter(({ verdict }) => verdict !== "unsat");
  return open.find(({ verdict }) => verdict === "timed-out") ?? open[0] ?? { verdict: "timed-out" };
}
