// Finds Chromium for the browser tests; installs Debian's package when it is missing and we may.
import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const names = ["chromium", "chromium-browser", "google-chrome"];

function onPath(): string | undefined {
  const candidates = (process.env["PATH"] ?? "")
    .split(delimiter)
    .flatMap((folder) => names.map((n) => join(folder, n)));
  return [process.env["LEMMATA_CHROMIUM"] ?? "", ...candidates].find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return path !== "";
    } catch {
      return false;
    }
  });
}

/** The path of a Chromium, or undefined when there is none and none can be installed. */
export function findChromium(): string | undefined {
  const found = onPath();
  if (found || process.getuid?.() !== 0) return found;
  console.log("\n── installing chromium (Debian package, for the browser tests)");
  const apt = (...words: string[]) =>
    spawnSync("apt-get", words, {
      stdio: "ignore",
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    }).status === 0;
  return apt("update") && apt("install", "-y", "--no-install-recommends", "chromium") ? onPath() : undefined;
}
