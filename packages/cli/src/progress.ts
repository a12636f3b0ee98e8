// A progress bar on a terminal, for work of over a second; and Ctrl-C as an abort signal.
import type { CommonOptions } from "./output.ts";

const [width, patience] = [32, 1000];

/** `const bar = progressBar("falsify", options)`, then `bar.update(0.4)` and `bar.done()`. */
export function progressBar(label: string, { quiet }: CommonOptions) {
  const shown = process.stderr.isTTY && !quiet;
  const start = performance.now();
  let drawn = 0;
  return {
    update(fraction: number, note = ""): void {
      const now = performance.now();
      if (!shown || now - start < patience || now - drawn < 100) return;
      drawn = now;
      const filled = Math.round(width * Math.min(1, fraction));
      const left = fraction > 0 ? Math.ceil(((now - start) * (1 - fraction)) / fraction / 1000) : 0;
      const percent = `${Math.round(100 * fraction)} %`.padStart(5);
      process.stderr.write(
        `\r${label} ${"█".repeat(filled)}${"░".repeat(width - filled)} ${percent}, ${left} s left${note && `, ${note}`} \x1b[K`,
      );
    },
    /** Takes the bar away, for a line to be printed or for good. */
    done(): void {
      if (drawn > 0) process.stderr.write("\r\x1b[K");
    },
  };
}

/** Aborted when the user presses Ctrl-C; a second Ctrl-C ends the process as usual. */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  process.once("SIGINT", () => controller.abort());
  return controller.signal;
}
