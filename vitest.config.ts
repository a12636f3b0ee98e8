import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vitest/config";
import { BaseSequencer } from "vitest/node";
import SummaryReporter from "./scripts/summary-reporter.ts";

/** `npm test` builds the library first and tests what it built; a single file is tested from source. */
const isBuilt = process.env["LEMMATA_BUILT"] !== undefined;
const conditions = [...(isBuilt ? [] : ["lemmata-source"]), "node"];

/** What takes long begins early: at the end no worker waits for another. */
const slow =
  /hostile|teeth|forger\.test|survive-|lab\/test\/|cli\/test\/(train|fuzz|audit|private|files|model|guard|sweep)|exported\/bounds|linear-bounds|compare\.test|edges\.test/;
class SlowestFirst extends BaseSequencer {
  override async sort(files: Parameters<BaseSequencer["sort"]>[0]): ReturnType<BaseSequencer["sort"]> {
    const rank = ({ moduleId }: { readonly moduleId: string }): number => (slow.test(moduleId) ? 0 : 1);
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

const source = fileURLToPath(new URL("packages/core/src/", import.meta.url));
const built = fileURLToPath(new URL("packages/core/dist/", import.meta.url));

/** A test that puts something else in the place of a module, and what it reads, are transformed: Node's modules stay as they are. */
const staysSource = (importer: string): boolean =>
  importer.startsWith(source) ||
  (importer.endsWith(".test.ts") && readFileSync(importer, "utf8").includes("vi.doMock("));

/** The library as it was built, loaded by Node itself: nothing is transformed anew for each test file. */
const libraryAsBuilt: Plugin = {
  name: "library-as-built",
  enforce: "pre",
  async resolveId(asked, importer, options) {
    const found = await this.resolve(asked, importer, { ...options, skipSelf: true });
    if (!found?.id.startsWith(source) || !found.id.endsWith(".ts")) return found;
    if (importer && staysSource(importer)) return found;
    return { id: `${built}${found.id.slice(source.length, -3)}.js`, external: true };
  },
};

/** What takes seconds, fills memory or changes what is global has a process of its own; loops that have seen much get slow. */
const own =
  /exported\/|edges\/|theory\/|browser\/|forger|compile\/|bounds\/|check\/|-operators|-models|refusals|run-error|rational\.|compare\.|doc-examples/;
const changesGlobals = /\bvi\.|process\.env|node:child_process|globalThis/;
const testsIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => `${folder}${file}`)
    .filter((file) => !changesGlobals.test(readFileSync(file, "utf8")));
// Those of the command line wait for processes of their own: what they leave behind is not in this one.
const shared = [
  ...testsIn("packages/core/test/").filter((file) => !own.test(file)),
  ...testsIn("packages/cli/test/").filter((file) => !file.includes("/sweep/")),
];
const everything = ["packages/*/test/**/*.test.ts"];

export default defineConfig({
  plugins: isBuilt ? [libraryAsBuilt] : [],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    server: { deps: { external: [/\/packages\/core\/dist\//] } },
    // Most tests of the library are over before a process has started: those share one.
    projects: [
      {
        extends: true,
        test: { name: "own process", include: everything, exclude: ["**/node_modules/**", ...shared] },
      },
      { extends: true, test: { name: "shared process", include: shared, isolate: false } },
    ],
    setupFiles: ["packages/core/test/seed.ts"],
    // Limits are for what hangs, not for what is slow: the machine may be busy with other things.
    testTimeout: process.env["LEMMATA_HUNT"] ? 24 * 3600_000 : 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 600_000 } },
    sequence: { sequencer: SlowestFirst },
    pool: "forks",
    restoreMocks: true,
    unstubGlobals: true,
    env: { ORT_DISABLE_TELEMETRY: "1" }, // for tests that load ONNX Runtime by themselves
    maxWorkers: availableParallelism() + 2, // some files wait for timers and processes: others work meanwhile
    reporters: ["default", new SummaryReporter()],
  },
});
