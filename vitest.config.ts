import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import SummaryReporter from "./scripts/summary-reporter.ts";

const conditions = ["lemmata-source", "node"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["packages/*/test/**/*.test.ts"],
    setupFiles: ["packages/core/test/seed.ts"],
    testTimeout: process.env["LEMMATA_HUNT"] ? 24 * 3600_000 : 120_000,
    expect: { poll: { timeout: 60_000 } },
    pool: "forks",
    env: { ORT_DISABLE_TELEMETRY: "1" }, // for tests that load ONNX Runtime by themselves
    maxWorkers: availableParallelism(), // one fewer by default: of two cores, half the machine
    reporters: ["default", new SummaryReporter()],
  },
});
