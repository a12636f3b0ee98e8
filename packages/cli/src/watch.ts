// Looks at a child, and ends it when it takes more than it may; draws what the child wants drawn.
import { type ChildProcess, execFile } from "node:child_process";
import { openSync, readSync } from "node:fs";
import { barRemoval, type Limits, type News } from "./guarded.ts";
import type { CommandLimits } from "./limits.ts";

/** The share of the limit at which the child is ended, since memory grows between two looks. */
export const alarm = 0.85;

export class Watch {
  /** Why the child was ended. */
  reason: string | undefined;
  /** Whether it was ended for its time. */
  isLate = false;
  /** What errors are about. */
  subject: string;
  readonly #child: ChildProcess;
  readonly #started = process.uptime();
  readonly #looking: NodeJS.Timeout;
  #time: NodeJS.Timeout | undefined;
  #bytes: number;
  #what = "it";
  #isDrawn = false;

  constructor(child: ChildProcess, { bytes, seconds, option }: CommandLimits, subject: string) {
    this.#child = child;
    this.#bytes = bytes;
    this.subject = subject;
    if (seconds !== undefined) this.#allow(seconds, option);
    this.#looking = lookAtMemory(child, (resident) => {
      if (resident <= alarm * this.#bytes) return;
      const gigabytes = Number(((alarm * this.#bytes) / 1e9).toPrecision(3));
      this.#stop(`${this.#what} needs over ${gigabytes} GB of memory (--memory allows more)`);
    });
    child.on("message", (news: News) => {
      if (news === "done") clearTimeout(this.#time);
      else if ("draw" in news) {
        this.#draw(news.draw);
        if (news.answer) child.send("drawn");
      } else this.#narrow(news);
    });
  }

  /** What the child says of itself, once it knows what it has to do. */
  #narrow({ model, bytes, seconds }: Limits): void {
    this.subject = model;
    if (bytes !== undefined) [this.#bytes, this.#what] = [bytes, "the run"];
    if (seconds !== undefined) this.#allow(seconds, "--timeout");
  }

  #allow(seconds: number, option: string): void {
    clearTimeout(this.#time);
    const left = milliseconds(seconds - (process.uptime() - this.#started));
    this.#time = setTimeout(() => {
      this.isLate = true;
      this.#stop(`${this.#what} was ended after ${Number(seconds.toFixed(1))} s (${option} allows more)`);
    }, left);
  }

  #stop(reason: string): void {
    this.reason ??= `${this.subject}: ${reason}`;
    this.#child.kill("SIGKILL");
  }

  /** The runtime prints to the child's stderr by itself, so the bar of the child comes another way. */
  #draw(text: string): void {
    this.#isDrawn = text !== barRemoval && !text.endsWith("\n");
    process.stderr.write(text);
  }

  end(): void {
    if (this.#isDrawn) process.stderr.write(barRemoval);
    clearTimeout(this.#time);
    clearInterval(this.#looking);
  }
}

/** What a timer is set to: from 0 on, and not so many that they overflow and it is over at once (2^31, some 25 days). */
export const milliseconds = (seconds: number): number => Math.min(2 ** 31 - 1, Math.max(0, 1000 * seconds));

/** Tells again and again what memory a process has: Linux shows it in a file, others are asked by `ps`. */
export function lookAtMemory({ pid }: ChildProcess, tell: (bytes: number) => void): NodeJS.Timeout {
  const kilobytes = (text: string): void => tell(1024 * Number(/\d+/.exec(text)?.[0] ?? 0));
  if (process.platform === "linux") {
    const status = statusOf(pid);
    // Memory grows by up to 3 GB a second: 10 milliseconds are 30 MB.
    return setInterval(() => kilobytes(/VmRSS:.*/.exec(status())?.[0] ?? ""), 10);
  }
  return setInterval(
    () =>
      execFile("ps", ["-o", "rss=", "-p", String(pid)], (_, text) => kilobytes(text)).on("error", () => {}),
    500,
  );
}

/** The file that Linux keeps of a process, opened once since it is read often; nothing when the process has ended. */
function statusOf(pid: number | undefined): () => string {
  const page = Buffer.alloc(65_536);
  let file: number | undefined;
  return () => {
    try {
      file ??= openSync(`/proc/${pid}/status`, "r");
      return page.toString("latin1", 0, readSync(file, page, 0, page.length, 0));
    } catch {
      return "";
    }
  };
}
