// docs/walkthrough.md: its commands are run, one after the other in one empty folder, and what they print is written below
// them. Times are not: no two machines agree on those.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const document = join(root, "docs/walkthrough.md");

/** What a command prints, with `lemmata` the one that was built here. */
function printed(command: string, folder: string, commands: string): string {
  const { stdout, status } = spawnSync("sh", ["-c", `${command} 2>&1`], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, PATH: `${commands}:${process.env["PATH"]}`, COLUMNS: "100", NO_COLOR: "1" },
  });
  // Progress is printed by machines that are busy.
  const lines = stdout.trimEnd().replace(/^\w+: +\d+ %.*\n/gm, "");
  const text = lines.replace(/\b\d[\d.]*(e-?\d+)? s\b/g, "… s");
  return status === 0 ? text : `${text}\n(exit code ${status})`;
}

/** The document with every block of the console run anew. */
export function walkthrough(): string {
  const folder = mkdtempSync(join(tmpdir(), "lemmata-walk-"));
  const commands = join(folder, ".commands");
  mkdirSync(commands);
  const shim = join(commands, "lemmata");
  writeFileSync(shim, `#!/bin/sh\nexec "${process.execPath}" "${root}packages/cli/bin/lemmata.js" "$@"\n`);
  chmodSync(shim, 0o755);
  try {
    return readFileSync(document, "utf8").replace(/```console\n([\s\S]*?)```/g, (_, block: string) => {
      const lines = block.split("\n").filter((line) => line.startsWith("$ "));
      const parts = lines.map((line) => `${line}\n${printed(line.slice(2), folder, commands)}`.trimEnd());
      return `\`\`\`console\n${parts.join("\n")}\n\`\`\``;
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
