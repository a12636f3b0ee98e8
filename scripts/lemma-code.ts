// What a run of a lemma rests on: its code with all that it imports, the falsifier's, and the versions of the packages.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const theory = join(root, "packages/core/src/theory");

/** What docs/runs.json remembers of a lemma that was tried in full and found sound. */
export interface SoundRun {
  readonly code: string;
  /** Of what docs/errata.md says of it. */
  readonly errata: string;
}

/** Ids and files of the lemmata, in the order of the catalogue. */
export const lemmaFiles = (): (readonly [id: string, file: string])[] =>
  [
    ...readFileSync(join(theory, "lemmata.generated.ts"), "utf8").matchAll(
      /id: "([^"]+)".*import\("\.\/([^"]+)"\)/g,
    ),
  ].map(([, id, file]) => [id!, join(theory, file!)]);

/** The files of the library, from its root on, that each lemma imports, and those of the falsifier. */
export async function filesOfLemmata(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const files = lemmaFiles();
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [join(theory, "errata.ts"), ...files.map(([, file]) => file)],
    ...{ bundle: true, write: false, metafile: true, format: "esm", platform: "node", outdir: "out" },
    packages: "external",
    external: ["*/lemmata.generated.ts", "#*"],
  });
  const reached = (start: string, seen: Set<string>): Set<string> => {
    if (seen.has(start) || !metafile.inputs[start]) return seen;
    seen.add(start);
    for (const { path } of metafile.inputs[start].imports) reached(path, seen);
    return seen;
  };
  const relative = (file: string): string => file.slice(root.length).replaceAll("\\", "/");
  const falsifier = relative(join(theory, "errata.ts"));
  return new Map(files.map(([id, file]) => [id, reached(relative(file), reached(falsifier, new Set()))]));
}

/** A hash of that code for every lemma. */
export async function codeOfLemmata(): Promise<ReadonlyMap<string, string>> {
  const contents = new Map<string, string>();
  const contentOf = (path: string): string => {
    const known = contents.get(path) ?? digest(readFileSync(join(root, path), "utf8"));
    contents.set(path, known);
    return known;
  };
  const versions = digest(readFileSync(join(root, "package-lock.json"), "utf8"));
  return new Map(
    [...(await filesOfLemmata())].map(([id, code]) => [
      id,
      digest([versions, ...[...code].sort().map((path) => path + contentOf(path))].join("\n")),
    ]),
  );
}

export const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);
