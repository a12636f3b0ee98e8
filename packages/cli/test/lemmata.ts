// Runs the built command line as a user does.
import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const bin = fileURLToPath(new URL("../bin/lemmata.js", import.meta.url));

export interface Answer {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What --json printed. */
  readonly json: never;
}

/** `lemmata("theory", "run", "T-27")`. Fails the test when anything but one line is on stderr. */
export function lemmata(...words: string[]): Answer {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...words], {
    encoding: "utf8",
    timeout: 600_000,
  });
  return {
    status,
    stdout,
    stderr,
    get json() {
      return JSON.parse(stdout) as never;
    },
  };
}

export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), "lemmata-"));
