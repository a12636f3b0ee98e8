// Runs one task where it is: in a thread, or in a process of its own.
import { type Row, rowOf } from "@lemmata/core/sweep";
import { findLemma, someTrials, trialsText } from "@lemmata/core/theory";
import { began } from "../elapsed.ts";
import { errorLine } from "../error-line.ts";
import { formulaLast } from "../formula-last.ts";
import { captured } from "../output.ts";
import { createProgram } from "../program.ts";
import type { CommandTask, LemmaTask, Outcome, ShareTask, Task, TrialsTask } from "./task.ts";

/** The parameters that the grid does not have; and of each claim what was measured, what the theory says, whether it holds. */
async function runLemma({ id, parameters, seed, budget }: LemmaTask): Promise<Row> {
  const result = await (await findLemma(id)).run(parameters, { seed, budget });
  const others = Object.entries(result.parameters).filter(([name]) => !Object.hasOwn(parameters, name));
  const claims = result.claims.map(({ name, measured, theory, holds }) => ({
    ...{ [name]: measured, [`${name} theory`]: theory, [`${name} holds`]: holds },
  }));
  return rowOf(Object.assign(Object.fromEntries(others), ...claims));
}

/** The words of a command, with those that make it print a result and nothing else. */
export const jobWords = (given: readonly string[]): string[] => {
  const words = formulaLast(given);
  const behind = words[0] === "theory" ? 2 : 1;
  return [...words.slice(0, behind), "--json", "--quiet", ...words.slice(behind)];
};

interface Falsified {
  readonly violations: readonly { readonly id: string; readonly claim: string }[];
  readonly [part: string]: unknown;
}

/** What a falsifier found, in numbers; the first violation by name. */
const falsifiedRow = (found: Falsified): Row =>
  rowOf({
    ...Object.fromEntries(
      Object.entries(found).map(([name, part]) => [name, Array.isArray(part) ? part.length : part]),
    ),
    violated: found.violations[0] ? `${found.violations[0].id}: ${found.violations[0].claim}` : null,
  });

async function runCommand({ words }: CommandTask): Promise<Row> {
  const text = await captured(() => createProgram().parseAsync(jobWords(words), { from: "user" }));
  process.exitCode = 0; // a verdict of the job, not of the process
  const found: unknown = text.trim() === "" ? {} : JSON.parse(text);
  return words[1] === "falsify" ? falsifiedRow(found as Falsified) : rowOf(found);
}

async function runShare({ words }: ShareTask): Promise<Row> {
  const text = await captured(() => createProgram().parseAsync(jobWords(words), { from: "user" }));
  process.exitCode = 0;
  return { verdict: text };
}

const runTrials = async ({ id, seed, from, to }: TrialsTask): Promise<Row> => ({
  trials: trialsText(await someTrials(await findLemma(id), { seed, from, to })),
});

function perform(task: Task): Promise<Row> {
  if (task.kind === "lemma") return runLemma(task);
  if (task.kind === "trials") return runTrials(task);
  return task.kind === "share" ? runShare(task) : runCommand(task);
}

/** What comes of a task; an error is an outcome like another. */
export async function runTask(task: Task): Promise<Outcome> {
  const start = performance.now();
  const seconds = (): number => Number(((performance.now() - start) / 1000).toPrecision(4));
  process.env[began] = String(Date.now());
  try {
    const values = await perform(task);
    return { status: "done", seconds: seconds(), values };
  } catch (error) {
    return { status: "failed", seconds: seconds(), error: errorLine(error).replace(/^lemmata: /, "") };
  }
}
