// HiGHS in a thread of its own: it does not always look at the clock, and nothing else runs in its thread while it works.
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import type { MilpSolution, MilpSolver } from "@lemmata/core/bounds";
import type { LinearSolution, LinearSolver } from "@lemmata/core/inverse";
import { milliseconds } from "./watch.ts";

/** What the thread does: loads the solver, then answers one problem after the other. */
const program = `
const { parentPort, workerData } = require("node:worker_threads");
const solver = require(workerData)();
parentPort.on("message", async ({ problem, seconds, isWhole }) => {
  try {
    const { Status, ObjectiveValue, Columns } = (await solver).solve(problem, { mip_rel_gap: 0, time_limit: seconds });
    parentPort.postMessage({ Status, ObjectiveValue, ...(isWhole ? { Columns } : {}) });
  } catch (error) {
    parentPort.postMessage({ failure: String(error && error.message || error) });
  }
});`;

type Answer = MilpSolution | { readonly failure: string };

/** A solver that keeps to its time, and what ends its thread. */
export function milpSolver(signal: AbortSignal): { readonly solve: MilpSolver; readonly end: () => void } {
  const file = createRequire(import.meta.url).resolve("highs");
  let thread: Worker | undefined;
  const end = (): void => {
    void thread?.terminate();
    thread = undefined;
  };
  const solve = async (problem: string, seconds: number): Promise<MilpSolution> => {
    thread ??= new Worker(program, { eval: true, workerData: file, stdout: true, stderr: true });
    const answer = await answerOf(thread, { problem, seconds }, signal);
    if (answer === undefined) end();
    signal.throwIfAborted();
    if (answer && "failure" in answer) throw new Error(answer.failure);
    return answer ?? { Status: "Time limit reached", ObjectiveValue: Number.NaN };
  };
  return { solve, end };
}

/** The same for a linear program whose variables are wanted. */
export function linearSolver(
  signal: AbortSignal,
  seconds: number,
): { readonly solve: LinearSolver; readonly end: () => void } {
  const thread = new Worker(program, {
    ...{ eval: true, stdout: true, stderr: true },
    workerData: createRequire(import.meta.url).resolve("highs"),
  });
  const end = (): void => void thread.terminate();
  const solve = async (problem: string): Promise<LinearSolution> => {
    const answer = await answerOf(thread, { problem, seconds, isWhole: true }, signal);
    signal.throwIfAborted();
    if (answer && "failure" in answer) throw new Error(answer.failure);
    return (
      (answer as LinearSolution | undefined) ?? {
        Status: "Time limit reached",
        ObjectiveValue: Number.NaN,
        Columns: {},
      }
    );
  };
  return { solve, end };
}

/** The answer of a thread; undefined when there is none in time, or when it is not waited for any more. */
function answerOf(
  thread: Worker,
  task: { readonly problem: string; readonly seconds: number; readonly isWhole?: boolean },
  signal: AbortSignal,
): Promise<Answer | undefined> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => finish(undefined), milliseconds(task.seconds));
    const stop = (): void => finish(undefined);
    const fail = (error: unknown): void => {
      reject(error);
      finish(undefined);
    };
    const finish = (answer: Answer | undefined): void => {
      clearTimeout(late);
      signal.removeEventListener("abort", stop);
      thread.off("message", finish).off("error", fail);
      resolve(answer);
    };
    signal.addEventListener("abort", stop);
    thread.once("message", finish);
    thread.once("error", fail);
    thread.postMessage(task);
  });
}
