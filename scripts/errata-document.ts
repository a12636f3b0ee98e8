// docs/errata.md from stored runs: a lemma is tried again only if its code, or code below it, has changed.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const theory = fileURLToPath(new URL("../packages/core/src/theory/", import.meta.url));
const stored = fileURLToPath(new URL("../node_modules/.cache/lemmata-errata/", import.meta.url));

export async function errataDocument(): Promise<string> {
  const core = await import("@lemmata/core/theory");
  mkdirSync(stored, { recursive: true });
  const sections: string[] = [];
  for (const [id, file] of lemmaFiles()) {
    const run = `${stored}${id}-${await codeOf(file)}.md`;
    let section = read(run);
    if (section === undefined) {
      console.error(`trying ${id}`);
      section = await core.errataSection(await core.findLemma(id));
      writeFileSync(run, section);
    }
    sections.push(section);
  }
  return core.errataDocument(sections);
}

/** Ids and files of the lemmata, in the order of the catalogue. */
const lemmaFiles = (): (readonly [id: string, file: string])[] =>
  [
    ...readFileSync(`${theory}lemmata.generated.ts`, "utf8").matchAll(
      /id: "([^"]+)".*import\("\.\/([^"]+)"\)/g,
    ),
  ].map(([, id, file]) => [id!, file!]);

/** The hash of a lemma's code, with all that it imports, of the falsifier's, and of the versions of the packages. */
async function codeOf(file: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `export * as falsifier from "./errata.ts"; export * from "./${file}"; export { default } from "./${file}";`,
      resolveDir: theory,
    },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    packages: "external",
    minifyWhitespace: true,
    external: ["*/lemmata.generated.ts"],
  });
  const hash = createHash("sha256")
    .update(outputFiles[0]!.contents)
    .update(read("package-lock.json") ?? "");
  return hash.digest("hex").slice(0, 20);
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
