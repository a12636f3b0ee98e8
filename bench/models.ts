import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A model of ../shared/models, or undefined when that folder is not there. */
export function sharedModel(name: string): string | undefined {
  const path = fileURLToPath(new URL(`../../shared/models/${name}`, import.meta.url));
  if (existsSync(path)) return path;
  console.log(`left out: ../shared/models/${name} is not there`);
  return undefined;
}
