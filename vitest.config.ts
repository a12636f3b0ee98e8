import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import SummaryReporter from "./scripts/summary-reporter.ts";

const conditions = ["lemmata-source", "node"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["packages/*/test/**/*.test.ts"],
    testTimeout: 120_000,
    pool: "forks",
    maxWorkers: availableParallelism(), // one fewer by default: of two cores, half the machine
    reporters: ["default", new SummaryReporter()],
  },
});
