// Writes docs/operators.md (from the rule tables), docs/theory.md (the lemmata by subject), docs/api/ (from comments),
// docs/walkthrough.md (from what its commands print) and docs/errata.md (from the lemmata, of which only changed ones are
// tried again). A file name says which one. --check fails when one is stale; of the errata the tests of the lemmata see
// that, which try them anyway.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { apiPages } from "./api-reference.ts";

const root = new URL("..", import.meta.url);

const documents: readonly (readonly [string, () => Promise<string>])[] = [
  ["docs/operators.md", async () => (await import("./operator-table.ts")).operatorsMarkdown()],
  ["docs/theory.md", async () => (await import("./theory-index.ts")).theoryMarkdown()],
  ...[...apiPages()].map(([path, text]) => [`docs/${path}`, async () => text] as const),
  ["docs/walkthrough.md", async () => (await import("./walkthrough.ts")).walkthrough()],
  ["docs/errata.md", async () => (await import("./errata-document.ts")).errataDocument()],
];
const triedByTests = "docs/errata.md";

const words = process.argv.slice(2);
const isCheck = words.includes("--check");
const wanted = words.filter((word) => word !== "--check").map((word) => basename(word));
const unknown = wanted.find((name) => !documents.some(([path]) => basename(path) === name));
if (unknown !== undefined) {
  console.error(`${unknown} is not generated; ${documents.map(([path]) => path).join(", ")} are`);
  process.exit(2);
}

for (const [path, make] of documents) {
  if (wanted.length > 0 && !wanted.includes(basename(path))) continue;
  if (isCheck && wanted.length === 0 && path === triedByTests) continue;
  const file = fileURLToPath(new URL(path, root));
  const text = await make();
  if (!isCheck) {
    mkdirSync(dirname(file), { recursive: true });
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
