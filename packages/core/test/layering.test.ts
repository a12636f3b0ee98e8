// The house: a dependency points only down, every folder has its floor, and nothing goes in circles.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

/** From the ground up: a folder uses what stands before it; on the ground floor nobody knows anybody. */
const floors = [
  ...["graph", "numbers"],
  ...["engine", "data", "figure"],
  ...["linear-algebra", "functions"],
  ...["passes", "formula", "networks"],
  ...["bounds", "check", "compile", "train"],
];

/** Chapters stand on all floors, and use each other along these edges alone. */
const chapters: Readonly<Record<string, readonly string[]>> = {
  approximate: [],
  dynamics: ["kernels"],
  equivalence: [],
  explain: ["equivalence"],
  kernels: [],
  sweep: [],
  measures: ["equivalence"],
  generalization: ["dynamics", "measures"],
  audit: ["generalization", "measures"],
  scattering: [],
  sparse: [],
  inverse: ["scattering", "sparse"],
  landscape: ["equivalence", "measures"],
  discrete: [],
};

/** Folders of one floor that know nothing of each other, although one stands before the other. */
const strangers: Readonly<Record<string, readonly string[]>> = {
  numbers: ["graph"],
  data: ["engine", "numbers"],
  figure: ["engine", "data", "numbers"],
  functions: ["engine", "linear-algebra", "data", "figure"],
  formula: ["passes", "engine", "data", "figure"],
  networks: ["formula"],
  check: ["bounds", "passes", "networks"],
  train: ["compile", "check", "bounds", "formula", "networks"],
};

function allowed(folder: string): readonly string[] {
  if (folder === "theory") return [...floors, ...Object.keys(chapters)];
  if (folder in chapters) return [...floors, ...chapters[folder]!];
  const below = floors.slice(0, floors.indexOf(folder));
  return below.filter((other) => !strangers[folder]?.includes(other));
}

const sources = fileURLToPath(new URL("../src", import.meta.url));
const files = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter((f) => f.endsWith(".ts"));
const folders = [...new Set(files.filter((f) => f.includes("/")).map((f) => f.split("/")[0]!))];

/** The files of the library, and the packages, that a file imports. */
const imports = new Map(
  files.map((file) => {
    const text = readFileSync(join(sources, file), "utf8");
    const found = [
      ...text.matchAll(/^(?:import|export)\b[^;]*?from\s*"([^"]+)"|\bimport\("([^"]+)"\)/gm),
    ].map((m) => m[1] ?? m[2]!);
    const own = found.filter((path) => path.startsWith(".")).map((path) => join(file, "..", path));
    return [file, { own, packages: found.filter((path) => !path.startsWith(".")) }] as const;
  }),
);

/** A way from a file back to itself, if there is one. */
function cycleFrom(start: string): readonly string[] | undefined {
  const from = new Map<string, string>();
  const open = [start];
  for (let file = open.pop(); file !== undefined; file = open.pop())
    for (const next of imports.get(file)?.own ?? []) {
      if (next === start) {
        const way = [start];
        for (let at: string | undefined = file; at !== undefined && at !== start; at = from.get(at))
          way.unshift(at);
        return [start, ...way];
      }
      if (next !== file && !from.has(next)) {
        from.set(next, file);
        open.push(next);
      }
    }
  return undefined;
}

describe("the layers of the library", () => {
  it("every folder has its place", () => {
    expect(folders.toSorted()).toEqual([...floors, ...Object.keys(chapters), "theory"].toSorted());
  });

  it.each(folders)("%s imports only from below", (folder) => {
    const below = allowed(folder);
    for (const file of files.filter((f) => f.startsWith(`${folder}/`))) {
      const others = imports.get(file)!.own.map((path) => path.split("/")[0]!);
      expect([file, others.filter((f) => f !== folder && !below.includes(f))]).toEqual([file, []]);
    }
  });

  it("no file imports itself by a detour", () => {
    expect(files.map(cycleFrom).filter((way) => way !== undefined)).toEqual([]);
  });

  it("no Node-only import outside the files that are swapped", () => {
    const isForNode = (file: string): boolean =>
      imports.get(file)!.packages.some((p) => /^node:|^onnxruntime-node$/.test(p));
    expect(files.filter((f) => !f.endsWith(".node.ts") && isForNode(f))).toEqual([]);
  });
});
