// Writes docs/operators.md (from the rule tables) and docs/errata.md (from the lemmata, of which only changed ones are
// tried again). A file name says which one. --check fails when operators.md is stale; of the errata the tests of the
// lemmata see that, which try them anyway.
import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

const root = new URL("..", import.meta.url);

const documents: readonly (readonly [string, () => Promise<string>])[] = [
  ["docs/operators.md", async () => (await import("./operator-table.ts")).operatorsMarkdown()],
  ["docs/errata.md", async () => (await import("./errata-document.ts")).errataDocument()],
];
const triedByTests = "docs/errata.md";

const words = process.argv.slice(2);
const isCheck = words.includes("--check");
const wanted = words.filter((word) => word !== "--check").map((word) => basename(word));
const unknown = wanted.find((name) => !documents.some(([path]) => basename(path) === name));
if (unknown !== undefined) {
  console.error(`${unknown} is not generated; ${documents.map(([path]) => path).join(" and ")} are`);
  process.exit(2);
}

for (const [path, make] of documents) {
  if (wanted.length > 0 && !wanted.includes(basename(path))) continue;
  if (isCheck && wanted.length === 0 && path === triedByTests) continue;
  const file = fileURLToPath(new URL(path, root));
  const text = await make();
  if (!isCheck) {
    writeFileSync(file, text);
    console.log(`written: ${path}`);
    continue;
  }
  let present = "";
  try {
    present = readFileSync(file, "utf8");
  } catch {}
  if (present !== text) {
    console.error(`${path} is stale: run \`npm run docs\` and commit the result`);
    process.exitCode = 1;
  } else console.log(`${path} is up to date`);
}
