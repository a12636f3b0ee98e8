import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer } from "vitest/node";
import SummaryReporter from "./scripts/summary-reporter.ts";

const conditions = ["lemmata-source", "node"];

/** What takes long begins early: at the end no worker waits for another. */
const slow =
  /hostile|teeth|forger\.test|survive-|lab\/test\/|cli\/test\/(train|fuzz|audit|private|files|model|guard)|exported\/bounds|linear-bounds|compare\.test|edges\.test/;
class SlowestFirst extends BaseSequencer {
  override async sort(files: Parameters<BaseSequencer["sort"]>[0]): ReturnType<BaseSequencer["sort"]> {
    const rank = ({ moduleId }: { readonly moduleId: string }): number => (slow.test(moduleId) ? 0 : 1);
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["packages/*/test/**/*.test.ts"],
    setupFiles: ["packages/core/test/seed.ts"],
    testTimeout: process.env["LEMMATA_HUNT"] ? 24 * 3600_000 : 120_000,
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: SlowestFirst },
    pool: "forks",
    restoreMocks: true,
    unstubGlobals: true,
    env: { ORT_DISABLE_TELEMETRY: "1" }, // for tests that load ONNX Runtime by themselves
    maxWorkers: availableParallelism(), // one fewer by default: of two cores, half the machine
    reporters: ["default", new SummaryReporter()],
  },
});
