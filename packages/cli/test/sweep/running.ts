// Starts commands, and makes jobs misbehave: a file that is loaded into the processes of a sweep before anything else.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const bin = fileURLToPath(new URL("../../bin/lemmata.js", import.meta.url));

export interface Answer {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What every process of a sweep does when it gets a job with this seed; `seed` and `log` are there. */
export function misbehaving(folder: string, code: string): NodeJS.ProcessEnv {
  const path = join(folder, "misbehaving.cjs");
  writeFileSync(
    path,
    `const { appendFileSync } = require("node:fs");
if (process.env.LEMMATA_JOB && process.send) process.on("message", ({ seed }) => {
  const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  appendFileSync(${JSON.stringify(join(folder, "runs"))}, seed + " " + process.pid + "\\n");
  ${code}
});`,
  );
  return { NODE_OPTIONS: `--require ${path}` };
}

/** The seeds of the jobs that began, in their order. */
export const began = (folder: string): string[] =>
  linesOf(join(folder, "runs")).map((line) => line.split(" ")[0]!);
export const processesOf = (folder: string): number[] =>
  linesOf(join(folder, "runs")).map((line) => Number(line.split(" ")[1]));

export const linesOf = (path: string): string[] =>
  existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    : [];

/** Jobs in a journal, which has a line about itself above. */
export const journaled = (out: string): number => Math.max(0, linesOf(`${out}.jsonl`).length - 1);

export function start(
  words: readonly string[],
  env: NodeJS.ProcessEnv = {},
): [ChildProcess, Promise<Answer>] {
  const child = spawn(process.execPath, [bin, ...words], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  const texts = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const)
    child[stream]!.setEncoding("utf8").on("data", (text: string) => {
      texts[stream] += text;
    });
  return [child, new Promise((resolve) => child.once("close", (code) => resolve({ code, ...texts })))];
}

export const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 30));
};

export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

export type Rows = readonly Readonly<Record<string, string | number | boolean | null>>[];
export const rowsOf = (path: string): Rows => JSON.parse(readFileSync(path, "utf8")) as Rows;
