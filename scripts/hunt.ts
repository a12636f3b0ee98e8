// `npm run hunt`: the long versions of the tests that draw, with fresh seeds. What it finds becomes a fixed case of a test.
//
//   npm run hunt                              one round of 20,000 cases a test
//   npm run hunt -- --cases 1000 --hours 8    rounds with a new seed each, for eight hours
//   LEMMATA_SEED=7 npm run hunt               the round with this seed, again
//   npm run hunt -- fuzz                      only test files whose path has "fuzz" in it
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values, positionals } = parseArgs({
  options: { cases: { type: "string" }, hours: { type: "string", default: "0" } },
  allowPositionals: true,
});
const cases = Number(values.cases ?? process.env["LEMMATA_HUNT"] ?? 20_000);
const hours = Number(values.hours);
/** The seed that was asked for. */
const asked = process.env["LEMMATA_SEED"] ? Number(process.env["LEMMATA_SEED"]) : undefined;
if (!(Number.isSafeInteger(cases) && cases > 0 && hours >= 0 && Number.isSafeInteger(asked ?? 0))) {
  console.error(
    "hunt: --cases is a whole number from 1 up, --hours a number from 0 up, LEMMATA_SEED a whole number",
  );
  process.exit(2);
}

/** A test file draws at random if it says so. */
const draws = /LEMMATA_HUNT|LEMMATA_SEED|from "fast-check"/;
const files = readdirSync(join(root, "packages"), { recursive: true, encoding: "utf8" })
  .filter((file) => /^[^/]+\/test\/.*\.test\.ts$/.test(file) && !file.includes("node_modules"))
  .map((file) => `packages/${file}`)
  .filter((file) => draws.test(readFileSync(join(root, file), "utf8")))
  .filter((file) => positionals.length === 0 || positionals.some((part) => file.includes(part)))
  .sort();
if (files.length === 0) {
  console.error("hunt: no test file of this name draws at random");
  process.exit(2);
}

// What is hunted is the library as it was built, as in `npm test`.
const { status: built } = spawnSync("npm", ["run", "--silent", "build"], { cwd: root, stdio: "inherit" });
if (built !== 0) process.exit(built ?? 1);

const freshSeed = (): number => Math.floor(2 ** 31 * Math.random());
const end = Date.now() + 3_600_000 * hours;
const found: number[] = [];
do {
  const seed = asked ?? freshSeed();
  console.log(`\n── hunt: ${files.length} test files, ${cases} cases, LEMMATA_SEED=${seed}`);
  const { status, signal } = spawnSync("npx", ["vitest", "run", ...files], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, LEMMATA_BUILT: "1", LEMMATA_HUNT: String(cases), LEMMATA_SEED: String(seed) },
  });
  if (signal || status === 130) process.exit(130);
  if (status !== 0) found.push(seed);
} while (Date.now() < end && asked === undefined);

for (const seed of found)
  console.error(
    `hunt: found with LEMMATA_SEED=${seed} npm run hunt -- ${["--cases", cases, ...positionals].join(" ")}`,
  );
if (found.length === 0) console.log("hunt: nothing found");
process.exitCode = found.length > 0 ? 1 : 0;
