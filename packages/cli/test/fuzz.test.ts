// Hostile files: whatever the bytes, every command gives a result, or one clear line and exit code 2.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { float32, type Graph, graph, tensor, writeModel } from "@lemmata/core/graph";
import { afterAll, expect, it } from "vitest";
import { judgedCommand } from "./fuzz/command.ts";
import { Worker } from "./fuzz/crew.ts";
import { bench, everyCommand, shortLimits } from "./fuzz/every-command.ts";
import { complaint } from "./fuzz/judge.ts";
import { baseModels } from "./fuzz/models.ts";
import { type MutatedFile, mutatedFile } from "./fuzz/structure.ts";

/** In the long run (`npm run hunt`) as many files as it says. */
const fileCount = Number(process.env["LEMMATA_HUNT"] ?? 400);
/** LEMMATA_SEED=n tries other files, or with LEMMATA_HUNT=1 one file again. */
const firstSeed = Number(process.env["LEMMATA_SEED"] ?? 0);
const workerCount = 2;
const tools = bench(mkdtempSync(join(tmpdir(), "lemmata-bench-")));
afterAll(() => rmSync(dirname(tools.out), { recursive: true }));

const sharedModels = fileURLToPath(new URL("../../../../shared/models", import.meta.url));

interface Tally {
  ran: number;
  refused: number;
  /** Files on which the runtime crashed, hung, swelled or printed: the guard of the command answered for it. */
  guarded: Record<string, number>;
  violations: string[];
}

it(`survives ${fileCount} mutated files`, { timeout: 24 * 3_600_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "lemmata-fuzz-"));
  const bases = baseModels(sharedModels);
  const tally: Tally = { ran: 0, refused: 0, guarded: {}, violations: [] };
  let next = firstSeed;
  const work = async (): Promise<void> => {
    const worker = new Worker();
    while (next < firstSeed + fileCount) {
      const file = mutatedFile(bases, next++);
      const path = join(folder, `${file.seed}.onnx`);
      writeFileSync(path, file.bytes);
      const found = await violation(worker, file, path, tally);
      if (found) tally.violations.push(found);
      else rmSync(path);
    }
    await worker.stop();
  };
  await Promise.all(Array.from({ length: workerCount }, work));
  const { ran, refused, guarded, violations } = tally;
  const answered = Object.entries(guarded).map(([kind, count]) => `${count} ${kind}`);
  process.stdout.write(
    `fuzz: ${ran} ran, ${refused} refused, guard: ${answered.join(", ") || "none"}; ${violations.length} violations\n`,
  );
  if (violations.length === 0) rmSync(folder, { recursive: true });
  expect(violations, `the files are in ${folder}`).toEqual([]);
});

/** What one file did that it must not, with all that is needed to do it again. */
async function violation(
  worker: Worker,
  file: MutatedFile,
  path: string,
  tally: Tally,
): Promise<string | undefined> {
  for (const [command, words] of commandsFor(file.seed, path)) {
    const trial = await worker.try(...words);
    const isAnswer = trial.kind === "finding" && trial.noise === "";
    if (isAnswer) tally[trial.finding.outcome.exitCode === 2 ? "refused" : "ran"]++;
    else {
      const kind = trial.kind === "finding" ? "printed" : trial.kind;
      tally.guarded[kind] = (tally.guarded[kind] ?? 0) + 1;
    }
    const problem = isAnswer
      ? complaint(trial.finding.outcome)
      : (await judgedCommand(...(command === "run" ? words : shortLimits(words)))).problem;
    if (problem) return `seed ${file.seed}, ${file.base}, ${file.mutation}: ${command}: ${problem}`;
  }
  return undefined;
}

/** `run` always, and one of the others in turn. */
function commandsFor(seed: number, path: string): (readonly [string, string[]])[] {
  const { run, ...others } = everyCommand(path, tools);
  const names = Object.keys(others);
  const other = names[seed % names.length]!;
  return [
    ["run", run!],
    [other, others[other]!],
  ];
}

const large = (size: number) => tensor([size, size], { type: "int64" });
const endings: readonly (readonly [string, RegExp, () => Graph, readonly string[]])[] = [
  [
    "time",
    /^lemmata: \S+: the run was ended after 3 s \(--timeout allows more\)\n$/,
    () =>
      graph({ x: float32(1) }, ({ x }) => {
        const ones = x.builder.apply("ConstantOfShape", [large(7000)])[0]!;
        return { y: ones.matmul(ones).matmul(ones).matmul(ones).matmul(ones).sum([0, 1]) };
      }),
    [],
  ],
  [
    "memory, of a size that only the run finds out",
    /^lemmata: \S+: the run needs over 0\.85 GB of memory \(--memory allows more\)\n$/,
    () =>
      graph({ x: float32(4) }, ({ x }) => ({
        y: x.op("NonZero").op("Size").reshape([1]).mul([1e9]).op("ConstantOfShape"),
      })),
    // On a busy machine it takes a while to fill so much memory.
    ["--timeout", "100"],
  ],
];

it.each(endings)("ends a run that takes too much %s", async (_, line, build, words) => {
  const folder = mkdtempSync(join(tmpdir(), "lemmata-guard-"));
  const path = join(folder, "net.onnx");
  writeFileSync(path, writeModel(build()));
  const { problem, exitCode, stderr } = await judgedCommand("run", path, "--random", "--json", ...words);
  rmSync(folder, { recursive: true });
  expect({ problem, exitCode }).toEqual({ problem: undefined, exitCode: 2 });
  expect(stderr).toMatch(line);
});
