// The command as a user starts it, guard and all: for the files with which the runtime does not get along.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { familyBytes } from "./family.ts";
import { complaint, mostBytes, mostSeconds, type Outcome } from "./judge.ts";

const bin = fileURLToPath(new URL("../../bin/lemmata.js", import.meta.url));

export interface Judged extends Outcome {
  /** What was wrong; undefined if nothing. */
  readonly problem: string | undefined;
}

/** Runs `lemmata ...words` and judges it, its time and memory included; slow twice is slow, once is a busy machine. */
export async function judgedCommand(...words: string[]): Promise<Judged> {
  const first = await tried(words);
  return first.problem?.startsWith("took too long") ? tried(words) : first;
}

function tried(words: readonly string[]): Promise<Judged> {
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
    }, 5);
    // The guard passes SIGTERM on to its child; three times the limit shows how long it would have taken.
    const ending = setTimeout(() => child.kill("SIGTERM"), 3000 * mostSeconds);
    child.once("close", (code) => {
      clearInterval(looking);
      clearTimeout(ending);
      const seconds = (performance.now() - started) / 1000;
      const outcome: Outcome = { exitCode: code ?? -1, ...texts };
      const problem =
        (seconds > mostSeconds ? `took too long, ${seconds.toFixed(1)} s` : undefined) ??
        (peak > mostBytes ? `took ${(peak / 1e9).toFixed(2)} GB` : undefined) ??
        complaint(outcome);
      resolve({ ...outcome, problem });
    });
  });
}
