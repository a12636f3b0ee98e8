// `npm run build`: the registry, the library (one file a module, with types), the command line (bundled: it starts faster),
// and the lab, which the command line serves.
import { spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import "./generate-registry.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

function node(folder: string, ...words: readonly string[]): void {
  const { status } = spawnSync(process.execPath, words, { cwd: `${root}${folder}`, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

node("", "node_modules/typescript/bin/tsc", "-b", "packages/core");

rmSync(`${root}packages/cli/dist`, { recursive: true, force: true });
// Each command loads what it uses and no more: rolldown sees through the lists of exports of the library's folders.
await build({
  cwd: root,
  input: {
    main: "packages/cli/src/main.ts",
    "sweep-thread": "packages/cli/src/sweep/thread.ts",
    "sweep-process": "packages/cli/src/sweep/process.ts",
  },
  platform: "node",
  resolve: { conditionNames: ["lemmata-source", "node", "import"] },
  external: [
    /^node:/,
    "onnxruntime-node",
    "commander",
    "highs",
    "linkedom",
    "zod",
    "fast-check",
    "fflate",
    /^pure-rand/,
    "@observablehq/plot",
    "piscina",
    "@duckdb/node-api",
    "bullmq",
    "ioredis",
  ],
  transform: { target: "node20" },
  output: { dir: "packages/cli/dist", format: "esm" },
  logLevel: "warn",
});

node("packages/lab", `${root}node_modules/vite/bin/vite.js`, "build", "--logLevel", "warn");
cpSync(`${root}packages/lab/dist`, `${root}packages/cli/dist/lab`, { recursive: true });
