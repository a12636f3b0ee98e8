// Asks the test files that reach a damage whether they notice it.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestCourse } from "./record.ts";
import type { Mutant, Workbench } from "./workbench.ts";

/** What vitest's JSON reporter writes, as far as it is read. */
interface Results {
  readonly testResults: readonly { readonly name: string; readonly status: string }[];
}

/** All files that are asked about one damage take no longer than this together, undamaged; the quickest come first. */
const longestTests = 60_000;

/** Tests that run lemmata, which were asked before, and those that run every pass on what they draw. */
const asWhole = /^(theory|edges|exported)\//;

/** The test files that import something of these folders. */
function testsOf(folder: string, folders: readonly string[]): string[] {
  const tests = join(folder, "packages/core/test");
  const imported = new RegExp(`/src/(${folders.join("|")})[/.]`);
  return readdirSync(tests, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts") && !asWhole.test(file))
    .filter((file) => imported.test(readFileSync(join(tests, file), "utf8")))
    .map((file) => `packages/core/test/${file}`);
}

/** What each test file of these folders reaches when nothing is damaged; those that fail undamaged are left out. */
export function undamagedTests({ folder }: Workbench, folders: readonly string[]): TestCourse[] {
  const record = join(folder, "reached.jsonl");
  const tests = testsOf(folder, folders);
  const results = join(folder, "undamaged.json");
  vitest(
    folder,
    ["--reporter=json", `--outputFile=${results}`, ...tests],
    { LEMMATA_REACHED: record },
    3_600_000,
  );
  const { testResults } = JSON.parse(readFileSync(results, "utf8")) as Results;
  const failed = testResults.filter((t) => t.status !== "passed").map((t) => t.name);
  for (const name of failed) process.stderr.write(`fails undamaged, not asked: ${name}\n`);
  return readFileSync(record, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as TestCourse)
    .filter((course) => !failed.includes(course.file))
    .toSorted((a, b) => a.milliseconds - b.milliseconds);
}

/** Whether a test file that reaches the damage fails with it, or does not end. */
export function testsNotice({ folder }: Workbench, { id }: Mutant, courses: readonly TestCourse[]): boolean {
  const files: string[] = [];
  let sum = 0;
  for (const { file, milliseconds, reached } of courses) {
    if (!reached.includes(id)) continue;
    if (files.length > 0 && sum + milliseconds > longestTests) break;
    files.push(file);
    sum += milliseconds;
  }
  if (files.length === 0) return false;
  return (
    vitest(folder, ["--bail=1", ...files], { LEMMATA_MUTANT: String(id) }, 60_000 + Math.ceil(4 * sum))
      .status !== 0
  );
}

const vitest = (cwd: string, words: readonly string[], env: Record<string, string>, timeout: number) =>
  spawnSync("npx", ["vitest", "run", ...words], {
    cwd,
    env: { ...process.env, ...env },
    stdio: "ignore",
    timeout,
  });
