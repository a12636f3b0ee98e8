// Every command on every hostile model: an answer or one clear line, and no process that is left behind.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { judgedCommand } from "./fuzz/command.ts";
import { Worker } from "./fuzz/crew.ts";
import { bench, everyCommand, shortLimits } from "./fuzz/every-command.ts";
import { complaint } from "./fuzz/judge.ts";
import { hostileModels } from "./hostile/index.ts";

const names = Object.keys(hostileModels);
const long = process.env["LEMMATA_HUNT"];
const isLong = long !== undefined;
const seed = Number(process.env["LEMMATA_SEED"] ?? 0);
/** What a child does not survive, the guard has to answer for; in the short test some of these are tried with it. */
const mostGuarded = isLong ? Number.POSITIVE_INFINITY : 6;
/**
 * In the short test a model meets one of the commands, another one from model to model; in a long one as many pairs as
 * it says, evenly spread, and all of them if that is enough.
 */
function meets(model: number, command: number, commands: number): boolean {
  if (!isLong) return model % commands === command;
  const pairs = names.length * commands;
  const wanted = Math.min(Number(long), pairs);
  return ((model * commands + command + seed) * wanted) % pairs < wanted;
}

it(`has over a hundred models, each below 10 KB (${names.length})`, () => {
  expect(names.length).toBeGreaterThan(100);
  for (const files of Object.values(hostileModels))
    for (const bytes of Object.values(files)) expect(bytes.length).toBeLessThan(10_240);
});

const folder = mkdtempSync(join(tmpdir(), "lemmata-hostile-"));
const tools = bench(join(folder, "bench"));
const worker = new Worker();
const lost: string[] = [];
afterAll(async () => {
  await worker.stop();
  process.stdout.write(`hostile: ${names.length} models, the guard is needed ${lost.length} times\n`);
  if (isLong) process.stdout.write(`${lost.join("\n")}\n`);
  rmSync(folder, { recursive: true });
});

/** The short test takes every second model; the long one takes them all. */
const tried = names.map((name, k) => [name, k] as const).filter(([, k]) => isLong || k % 2 === 0);

it.each(tried)("ends well: %s", { timeout: 24 * 3_600_000 }, async (name, k) => {
  const home = join(folder, String(k));
  mkdirSync(home);
  for (const [file, bytes] of Object.entries(hostileModels[name]!)) writeFileSync(join(home, file), bytes);
  const commands = Object.entries(everyCommand(join(home, "net.onnx"), tools));
  const found: string[] = [];
  for (const [command, words] of commands.filter((_, c) => meets(k, c, commands.length))) {
    const trial = await worker.try(...words);
    const isLost = trial.kind !== "finding" || trial.noise !== "";
    if (isLost) lost.push(`${name}: ${command}: ${trial.kind}`);
    if (isLost && lost.length > mostGuarded) continue;
    const problem = isLost
      ? (await judgedCommand(...shortLimits(words))).problem
      : complaint(trial.finding.outcome);
    if (problem) found.push(`${command}: ${problem}`);
  }
  expect(found).toEqual([]);
});
