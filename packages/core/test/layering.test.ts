import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

// A dependency points only down: what each folder of the library may import from. Folders that are not listed hold the
// mathematics of a chapter: they stand between `passes` and `theory` and may use each other.
const middle = ["graph", "data", "figure", "engine", "passes", "construct"];
const below: Readonly<Record<string, readonly string[]>> = {
  graph: [],
  data: ["graph"],
  figure: ["graph"],
  engine: ["graph"],
  passes: ["graph", "engine", "construct"],
  construct: ["graph", "engine", "passes"],
  train: ["graph", "data", "engine", "passes", "construct"],
};
const sources = fileURLToPath(new URL("../src", import.meta.url));
const files = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter(
  (f) => f.endsWith(".ts") && f.includes("/"),
);

const folders = [...new Set(files.map((f) => f.split("/")[0]!))];

/** The folders of the library, and the packages, that a file imports. */
function importsOf(file: string): {
  readonly folders: readonly string[];
  readonly packages: readonly string[];
} {
  const found = [
    ...readFileSync(join(sources, file), "utf8").matchAll(/(?:from|import)\s*\(?"([^"]+)"/g),
  ].map((m) => m[1]!);
  const relative = found.filter((path) => path.startsWith(".")).map((path) => join(file, "..", path));
  return {
    folders: relative.filter((path) => path.includes("/")).map((path) => path.split("/")[0]!),
    packages: found.filter((path) => !path.startsWith(".")),
  };
}

describe("the layers of the library", () => {
  it.each(folders)("%s imports only from below", (folder) => {
    const chapters = folders.filter((f) => !middle.includes(f) && f !== "theory");
    const allowed = below[folder] ?? [...middle, ...chapters];
    for (const file of files.filter((f) => f.startsWith(`${folder}/`))) {
      const wrong = importsOf(file).folders.filter((f) => f !== folder && !allowed.includes(f));
      expect([file, wrong]).toEqual([file, []]);
    }
  });

  it("no Node-only import outside the files that are swapped", () => {
    const wrong = files
      .filter((f) => !f.endsWith(".node.ts"))
      .filter((f) => importsOf(f).packages.some((p) => /^node:|^onnxruntime-node$/.test(p)));
    expect(wrong).toEqual([]);
  });
});
