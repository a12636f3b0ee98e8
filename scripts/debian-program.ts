// Finds a program that tests need; installs Debian's package of it when it is missing and we may.
import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

export interface DebianProgram {
  readonly names: readonly string[];
  readonly package: string;
  /** In the environment: a path to take instead. */
  readonly variable: string;
  /** Who needs it. */
  readonly purpose: string;
}

function onPath({ names, variable }: DebianProgram): string | undefined {
  const candidates = (process.env["PATH"] ?? "")
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)));
  return [process.env[variable] ?? "", ...candidates].find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return path !== "";
    } catch {
      return false;
    }
  });
}

/** The path of the program, or undefined when there is none and none can be installed. */
export function findProgram(program: DebianProgram): string | undefined {
  const found = onPath(program);
  if (found || process.getuid?.() !== 0) return found;
  console.log(`\n── installing ${program.package} (Debian package, for ${program.purpose})`);
  const apt = (...words: string[]) =>
    spawnSync("apt-get", words, {
      stdio: "ignore",
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    }).status === 0;
  return apt("update") && apt("install", "-y", "--no-install-recommends", program.package)
    ? onPath(program)
    : undefined;
}
