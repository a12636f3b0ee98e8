// What a lemma's file imports from the library, its helpers beside it included: its subject follows from it.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export function lemmaImports(file: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const paths = [...readFileSync(file, "utf8").matchAll(/from "(\.[^"]+)"/g)].map(([, path]) => path!);
  const beside = paths.filter((path) => path.startsWith("./") && !/figure/.test(path));
  return [
    ...paths.filter((path) => path.startsWith("../../")),
    ...beside.flatMap((path) => lemmaImports(join(dirname(file), path), seen)),
  ];
}
