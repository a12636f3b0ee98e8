// A progress bar on a terminal, for work of over a second, and lines now and then where there is none; and Ctrl-C as an
// abort signal.
import { barRemoval, drawByGuard, isGuarded, mark, onTerminal, tellGuard } from "./guarded.ts";
import type { CommonOptions } from "./output.ts";

/** In the environment of a job of a sweep. */
export const withinSweep = "LEMMATA_JOB";

const [width, patience] = [32, 1000];
/** Seconds beyond which what is left is a guess that helps nobody. */
const longestWait = 86_400;

/** A process that is watched has the terminal of the one that watches. */
const hasTerminal = (): boolean =>
  isGuarded() ? process.env[mark] === onTerminal : process.stderr.isTTY === true;
const draw = (text: string): void =>
  isGuarded() ? void tellGuard({ draw: text, answer: false }) : void process.stderr.write(text);

/** Milliseconds between two lines where stderr is no terminal. */
const betweenLines = 10_000;

/** `12 %, 40 s left, 1,204 boxes` */
function progressText(fraction: number, milliseconds: number, note: string): string {
  const left = fraction > 0 ? Math.ceil((milliseconds * (1 - fraction)) / fraction / 1000) : longestWait;
  const time = left < longestWait ? `, ${left} s left` : "";
  return `${`${Math.round(100 * Math.min(1, fraction))} %`.padStart(5)}${time}${note && `, ${note}`}`;
}

/** `const bar = progressBar("falsify", options)`, then `bar.update(0.4)` and `bar.done()`. */
export function progressBar(label: string, { quiet }: CommonOptions, { onPipe = true } = {}) {
  const start = performance.now();
  const isTerminal = hasTerminal();
  let drawn = isTerminal ? 0 : start;
  return {
    update(fraction: number, note = ""): void {
      const now = performance.now();
      if (
        quiet ||
        !(isTerminal || onPipe) ||
        now - start < patience ||
        now - drawn < (isTerminal ? 100 : betweenLines)
      )
        return;
      drawn = now;
      const text = progressText(fraction, now - start, note);
      const filled = Math.round(width * Math.min(1, fraction));
      if (isTerminal) draw(`\r${label} ${"█".repeat(filled)}${"░".repeat(width - filled)} ${text} \x1b[K`);
      else draw(`${label}: ${text.trim()}\n`);
    },
    /** Takes the bar away, for a line to be printed or for good; in a process that is watched, once it is done. */
    async done(): Promise<void> {
      if (!isTerminal || drawn === 0) return;
      if (isGuarded()) await drawByGuard(barRemoval);
      else draw(barRemoval);
    },
  };
}

/** A line for the user, at once, beside what the command prints in the end. */
export function remark(text: string, { quiet }: CommonOptions): void {
  if (!quiet) draw(`${hasTerminal() ? barRemoval : ""}${text}\n`);
}

/** What all of this process hear: one listener a signal, however often it is asked for. */
let interruption: AbortController | undefined;

/**
 * Aborted when the user presses Ctrl-C, or when the process is asked to end; asked once more, it ends as usual. Signals
 * may come twice, from the terminal and from the guard, which ends a process that it watches by itself.
 */
export function interruptSignal(): AbortSignal {
  if (process.env[withinSweep] !== undefined) return new AbortController().signal; // who runs the sweep is told, and decides
  if (interruption && !interruption.signal.aborted) return interruption.signal;
  const controller = new AbortController();
  interruption = controller;
  const abort = () => controller.abort();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    if (isGuarded()) process.on(signal, abort);
    else process.once(signal, abort);
  return controller.signal;
}
