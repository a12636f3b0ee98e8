// Which version of the program this is.
import { readFileSync } from "node:fs";

/** As the package says it. */
export function version(): string {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return String(manifest.version);
}
