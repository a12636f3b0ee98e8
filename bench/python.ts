// The Python of a virtual environment in the folder for caches, with the packages that a peer needs.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

function call(program: string, words: readonly string[]): void {
  const { status, error } = spawnSync(program, words, { stdio: "inherit" });
  if (error || status !== 0)
    throw new Error(`${program} ${words[0]} failed: ${error?.message ?? `code ${status}`}`);
}

/** `pythonWith("exporters", ["torch"])`: makes the environment when it is not there, and says where its Python is. */
export function pythonWith(name: string, packages: readonly string[], imports = packages): string {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const environment = process.env[`LEMMATA_${name.toUpperCase()}`] ?? join(cache, "lemmata", name);
  const program = join(environment, "bin", "python");
  if (!existsSync(program)) call("python3", ["-m", "venv", environment]);
  const has = spawnSync(program, ["-c", `import ${imports.join(", ")}`]);
  if (has.status !== 0) call(program, ["-m", "pip", "install", "--quiet", ...packages]);
  return program;
}
