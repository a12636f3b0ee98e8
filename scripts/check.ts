// `npm run check [-- --since main]`: what a change can have broken, in about a minute: types, lint, and the tests that it
// touches. Of these the ones that took longest the last time wait for `npm test`; it says which.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { parseArgs } from "node:util";

const { values: options } = parseArgs({
  options: { since: { type: "string", default: "HEAD" }, seconds: { type: "string", default: "60" } },
});
const lines = (command: string, ...words: string[]): string[] =>
  spawnSync(command, words, { encoding: "utf8" })
    .stdout.split("\n")
    .filter((line) => line);

const changed = [
  ...lines("git", "diff", "--name-only", "--diff-filter=d", options.since),
  ...lines("git", "ls-files", "--others", "--exclude-standard"),
].filter((file) => existsSync(file));
if (changed.length === 0) {
  console.log(`nothing has changed since ${options.since}`);
  process.exit(0);
}

function step(label: string, command: string, ...words: string[]): void {
  console.log(`\n── ${label}`);
  const { status } = spawnSync(command, words, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

const isSource = (file: string): boolean =>
  /^(packages|scripts|bench)\/.*\.(ts|svelte|json|css|html)$/.test(file);
const sources = changed.filter(isSource);
if (sources.length > 0) step("lint and format", "npx", "biome", "check", "--error-on-warnings", ...sources);
step("types", "npx", "tsc", "-p", "tsconfig.json", "--noEmit");
if (changed.some((file) => file.startsWith("packages/lab/")))
  step("types of the lab", "npm", "run", "--silent", "check", "-w", "packages/lab");

/** Test files, with the files of the tree that each imports at once. */
const tests = new Map(
  ["packages/core/test", "packages/cli/test", "packages/lab/test"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".test.ts"))
      .map((file) => [join(folder, file), importsOf(join(folder, file))] as const),
  ),
);

function importsOf(file: string): readonly string[] {
  return [...readFileSync(file, "utf8").matchAll(/(?:from|import)\s*\(?"(\.[^"]+)"/g)].map(([, path]) =>
    normalize(join(dirname(file), path!)),
  );
}

/** Its own tests are those that were changed, import what was changed, or stand in the room of the same name. */
function isTouched(test: string, imports: readonly string[]): boolean {
  const room = /^packages\/core\/test\/(.*)\/[^/]*$/.exec(test)?.[1];
  return changed.some(
    (file) =>
      file === test ||
      imports.includes(file) ||
      (room !== undefined && room !== "theory" && file.startsWith(`packages/core/src/${room}/`)) ||
      (file.startsWith("packages/core/test/") && imports.includes(file)),
  );
}
const touched = [...tests].filter(([test, imports]) => isTouched(test, imports)).map(([test]) => test);
const always = ["packages/core/test/layering.test.ts", "packages/core/test/surface.test.ts"];
const lemmata = changed.flatMap((file) =>
  file.startsWith("packages/core/src/theory/")
    ? [/^\s*id: "([^"]+)"/m.exec(readFileSync(file, "utf8"))?.[1]].filter((id) => id !== undefined)
    : [],
);

/** Seconds that a test file took the last time. */
const cache = "node_modules/.vite/vitest";
const results = existsSync(cache)
  ? readdirSync(cache, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith("results.json"))
  : [];
const took = new Map<string, number>(
  results.flatMap((file) =>
    (
      JSON.parse(readFileSync(join(cache, file), "utf8")) as { results: [string, { duration: number }][] }
    ).results.map(
      ([test, { duration }]) => [test.replace(/^[^:]*:/, "").replace(/^\//, ""), duration / 1000] as const,
    ),
  ),
);
const secondsOf = (test: string): number => (took.get(test) ?? (changed.includes(test) ? 1 : 10)) + 1;
let left = Number(options.seconds) * 2; // two tests run side by side
const [chosen, waiting]: [string[], string[]] = [[], []];
for (const test of [...new Set([...always, ...touched])].sort((a, b) => secondsOf(a) - secondsOf(b))) {
  left -= secondsOf(test);
  (left >= 0 ? chosen : waiting).push(test);
}
if (lemmata.length > 0)
  step(`lemmata: ${lemmata.join(", ")}`, "npm", "run", "--silent", "try", "--", ...lemmata);
step(`tests: ${chosen.length} of ${tests.size} files`, "npx", "vitest", "run", ...chosen);
if (waiting.length > 0)
  console.log(
    `\nleft to \`npm test\`, since they take long:\n${waiting.map((test) => `  ${test}`).join("\n")}`,
  );
