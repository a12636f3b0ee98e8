import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["lemmata-source", "node"] },
  ssr: { resolve: { conditions: ["lemmata-source", "node"] } },
  test: {
    include: ["packages/*/test/**/*.test.ts"],
    testTimeout: 60_000,
    pool: "forks",
  },
});
