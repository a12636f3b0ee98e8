// A progress bar on a terminal, for work of over a second; and Ctrl-C as an abort signal.
import { drawByGuard, isGuarded, mark, onTerminal, tellGuard } from "./guarded.ts";
import type { CommonOptions } from "./output.ts";

const [width, patience] = [32, 1000];
/** Seconds beyond which what is left is a guess that helps nobody. */
const longestWait = 86_400;

/** Takes a bar off its line. */
export const barRemoval = "\r\x1b[K";

/** A process that is watched has the terminal of the one that watches. */
const hasTerminal = (): boolean =>
  isGuarded() ? process.env[mark] === onTerminal : process.stderr.isTTY === true;
const draw = (text: string): void =>
  isGuarded() ? void tellGuard({ draw: text, answer: false }) : void process.stderr.write(text);

/** `const bar = progressBar("falsify", options)`, then `bar.update(0.4)` and `bar.done()`. */
export function progressBar(label: string, { quiet }: CommonOptions) {
  const shown = hasTerminal() && !quiet;
  const start = performance.now();
  let drawn = 0;
  return {
    update(fraction: number, note = ""): void {
      const now = performance.now();
      if (!shown || now - start < patience || now - drawn < 100) return;
      drawn = now;
      const filled = Math.round(width * Math.min(1, fraction));
      const left =
        fraction > 0
          ? Math.ceil(((now - start) * (1 - fraction)) / fraction / 1000)
          : Number.POSITIVE_INFINITY;
      const time = left < longestWait ? `, ${left} s left` : "";
      const percent = `${Math.round(100 * fraction)} %`.padStart(5);
      draw(
        `\r${label} ${"█".repeat(filled)}${"░".repeat(width - filled)} ${percent}${time}${note && `, ${note}`} \x1b[K`,
      );
    },
    /** Takes the bar away, for a line to be printed or for good; in a process that is watched, once it is done. */
    async done(): Promise<void> {
      if (drawn === 0) return;
      if (isGuarded()) await drawByGuard(barRemoval);
      else draw(barRemoval);
    },
  };
}

/** Aborted when the user presses Ctrl-C; a second Ctrl-C ends the process as usual. */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  process.once("SIGINT", () => controller.abort());
  return controller.signal;
}
