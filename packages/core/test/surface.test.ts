// The surface: what a user imports by name, with a comment and an example that runs; and nothing large behind it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import manifest from "../package.json" with { type: "json" };
import * as library from "../src/index.ts";

const sources = fileURLToPath(new URL("../src", import.meta.url));
const texts = readdirSync(sources, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.endsWith("index.ts"))
  .map((file) => readFileSync(join(sources, file), "utf8"));

/** The comments before the declarations of this name. */
const commentsOn = (name: string): readonly string[] =>
  texts.flatMap((text) =>
    [
      ...text.matchAll(
        new RegExp(
          `((?:/\\*\\*(?:[^*]|\\*(?!/))*\\*/\\s*)?)^export (?:async )?(?:function|const|class) ${name}\\b`,
          "gm",
        ),
      ),
    ].map(([, comment]) => comment!),
  );

/** All packages that an entry point can load, at once or later. */
async function packagesBehind(entry: string): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: [join(sources, entry)],
    ...{ bundle: true, write: false, metafile: true, format: "esm", platform: "neutral", logLevel: "silent" },
    packages: "external",
    conditions: ["lemmata-source"],
    external: ["#runtime", "#files"],
  });
  const outputs = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  return [...new Set(outputs)].filter((path) => !path.startsWith("#")).toSorted();
}

describe("the library's own names", () => {
  it.each(Object.keys(library))("%s says what it is, with an example", (name) => {
    expect(
      commentsOn(name).some((comment) => comment.includes("@example")),
      name,
    ).toBe(true);
  });

  it("are few enough to read", () => {
    expect(Object.keys(library).length).toBeLessThan(100);
  });
});

describe("entry points", () => {
  const paths = Object.keys(manifest.exports).filter((path) => !/^\.(\/printable)?$/.test(path));

  it("are the folders, and no index within them but the report's", () => {
    const folders = readdirSync(sources, { withFileTypes: true }).filter((e) => e.isDirectory());
    expect(paths.toSorted()).toEqual(
      [...folders.map(({ name }) => `./${name}`), "./audit/report"].toSorted(),
    );
  });

  it("for gradients and training need neither fast-check nor Plot", async () => {
    for (const entry of ["index.ts", "graph/index.ts", "passes/index.ts", "train/index.ts"])
      expect(await packagesBehind(entry), entry).toEqual(
        expect.not.arrayContaining(["fast-check", "@observablehq/plot"]),
      );
  });
});
