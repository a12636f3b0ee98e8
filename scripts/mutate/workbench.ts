// A copy of the library in a temporary folder, with the damages of some folders in it, asleep.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findSites, instrument, type Site } from "./sites.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

export interface Mutant extends Site {
  readonly id: number;
  readonly folder: string;
  readonly file: string;
}

export interface Workbench {
  readonly folder: string;
  readonly core: string;
  readonly mutants: readonly Mutant[];
  remove(): void;
}

/** Copies the library and instruments the files of these folders of `packages/core/src`. */
export function workbench(folders: readonly string[]): Workbench {
  const outer = mkdtempSync(join(tmpdir(), "lemmata-mutate-"));
  const folder = join(outer, "copy");
  const core = join(folder, "packages/core");
  mkdirSync(core, { recursive: true });
  for (const path of ["package.json", "tsconfig.base.json", "scripts", "packages/core"])
    cpSync(join(root, path), join(folder, path), {
      recursive: true,
      filter: (f) => !/\/(node_modules|dist)(\/|$)/.test(f),
    });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const shared = join(root, "../shared");
  if (existsSync(shared)) symlinkSync(shared, join(outer, "shared"));
  writeFileSync(join(folder, "vitest.config.ts"), configuration);

  const mutants: Mutant[] = [];
  for (const name of folders) {
    for (const file of sourceFiles(core, name)) {
      const path = join(core, "src", file);
      const source = readFileSync(path, "utf8");
      const own = findSites(source).map((site, k) => ({
        ...site,
        id: mutants.length + k,
        folder: name,
        file,
      }));
      mutants.push(...own);
      writeFileSync(path, instrument(source, own));
    }
  }
  return { folder, core, mutants, remove: () => rmSync(outer, { recursive: true, force: true }) };
}

const sourceFiles = (core: string, folder: string): string[] =>
  readdirSync(join(core, "src", folder), { recursive: true, encoding: "utf8" })
    .filter((f) => f.endsWith(".ts"))
    .map((f) => join(folder, f))
    .toSorted();

/** While it is recorded what a test file reaches, each has a process of its own. */
const configuration = `import { defineConfig } from "vitest/config";
const conditions = ["lemmata-source", "node"];
const recording = process.env["LEMMATA_REACHED"] !== undefined;
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    testTimeout: 120_000,
    pool: "forks",
    maxWorkers: recording ? ${availableParallelism()} : 1,
    setupFiles: ["scripts/mutate/asleep.ts", ...(recording ? ["scripts/mutate/record.ts"] : []), "packages/core/test/seed.ts"],
    isolate: recording,
    fileParallelism: recording,
    env: { ORT_DISABLE_TELEMETRY: "1" },
  },
});
`;
