// The command as a user starts it, guard and all: for the files with which the runtime does not get along.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { familyBytes } from "./family.ts";
import { boundlessBytes, complaint, endlessSeconds, type Outcome } from "./judge.ts";

const bin = fileURLToPath(new URL("../../bin/lemmata.js", import.meta.url));

export interface Judged extends Outcome {
  /** What was wrong; undefined if nothing. */
  readonly problem: string | undefined;
}

/** Runs `lemmata ...words` and judges it: an answer or one clear line, and no process that goes on for ever or swells. */
export function judgedCommand(...words: string[]): Promise<Judged> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [bin, ...words], { stdio: ["ignore", "pipe", "pipe"] });
    const texts = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"] as const)
      child[stream].setEncoding("utf8").on("data", (text: string) => {
        texts[stream] += text;
      });
    const started = performance.now();
    let peak = 0;
    const looking = setInterval(() => {
      peak = Math.max(peak, familyBytes(child.pid));
    }, 50);
    const ending = setTimeout(() => child.kill("SIGTERM"), 1000 * endlessSeconds);
    child.once("close", (code) => {
      clearInterval(looking);
      clearTimeout(ending);
      const seconds = (performance.now() - started) / 1000;
      const outcome: Outcome = { exitCode: code ?? -1, ...texts };
      const problem =
        (seconds > endlessSeconds ? "it does not end" : undefined) ??
        (peak > boundlessBytes ? `took ${(peak / 1e9).toFixed(2)} GB` : undefined) ??
        complaint(outcome);
      resolve({ ...outcome, problem });
    });
  });
}
