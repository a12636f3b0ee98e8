// The side of the process that is watched (`guard.ts`): what it tells the one that watches.

/** What a model may take from now on. */
export interface Limits {
  readonly model: string;
  /** Memory of the whole process; absent: all there is. */
  readonly bytes?: number;
  /** From the start of the command until the runtime is done; absent: as long as it likes. */
  readonly seconds?: number | undefined;
}

/** Takes a bar off its line. */
export const barRemoval = "\r\x1b[K";

/** Limits; "done" when there is an answer; or what to draw on the terminal. */
export type News = Limits | "done" | { readonly draw: string; readonly answer: boolean };

/** In the environment of a process that is watched. */
export const mark = "LEMMATA_GUARDED";
/** Its value when the watching process writes to a terminal, which the watched one does not. */
export const onTerminal = "terminal";

/** Is this the process that is watched? */
export const isGuarded = (): boolean => process.env[mark] !== undefined;

/** In the environment of a process that ends with its guard by somebody's care: the guard's number. */
export const lifeline = "LEMMATA_LIFELINE";

const withGuard = { isEnsured: false };

/** Ends this process when the one that watches it is gone, whatever goes on here; `lifeline.ts` does it where it can. */
export async function endWithGuard(): Promise<void> {
  if (withGuard.isEnsured) return;
  withGuard.isEnsured = true;
  const guard = process.env[lifeline];
  if (guard === undefined) return watchByThread();
  // Gone before it could tell anybody to care.
  if (process.ppid !== Number(guard)) process.exit(130);
}

/** This thread may be busy for ever: another one looks for the guard. */
async function watchByThread(): Promise<void> {
  const { Worker } = await import("node:worker_threads");
  const parent = process.ppid;
  new Worker(
    `setInterval(() => { if (process.ppid !== ${parent}) process.kill(process.pid, "SIGKILL"); }, 300);`,
    { eval: true, env: {}, resourceLimits: { maxOldGenerationSizeMb: 8 } },
  ).unref();
}

let areThreadsLeft = false;

/** Some threads still work: they cannot be ended, and this process does not wait for them. */
export const leaveThreads = (): void => {
  areThreadsLeft = true;
};

/** Ends this process when what it had to say is written, if threads are left that would go on. */
export function endLeftThreads(): void {
  if (areThreadsLeft) process.stderr.write("", () => process.kill(process.pid, "SIGKILL"));
}

/** The words of a long command line. */
export const wordsFromGuard = (): Promise<readonly string[]> =>
  new Promise((resolve) => process.once("message", (words) => resolve(words as readonly string[])));

/** Draws on the guard's terminal; done when it is there, so that what is printed next comes after it. */
export async function drawByGuard(text: string): Promise<void> {
  const isThere = new Promise((resolve) => process.once("message", resolve));
  await tellGuard({ draw: text, answer: true });
  await isThere;
}

/** Tells the guard, if there is one. */
export function tellGuard(news: News): Promise<void> {
  return new Promise((resolve) => (process.send ? process.send(news, () => resolve()) : resolve()));
}
