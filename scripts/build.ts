// `npm run build`: the registry, the library (one file a module, with types), and the command line (bundled: it starts faster).
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import "./generate-registry.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const { status } = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-b", "packages/core"], {
  cwd: root,
  stdio: "inherit",
});
if (status !== 0) process.exit(status ?? 1);

rmSync(`${root}packages/cli/dist`, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: ["packages/cli/src/main.ts"],
  outdir: "packages/cli/dist",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  conditions: ["lemmata-source"],
  external: [
    "onnxruntime-node",
    "commander",
    "highs",
    "linkedom",
    "zod",
    "fast-check",
    "fflate",
    "pure-rand",
    "@observablehq/plot",
  ],
  logLevel: "warning",
});
