// docs/errata.md from stored runs: a lemma is tried again only if its code, or code below it, has changed. docs/runs.json
// remembers which code was tried in full and found sound, so that the tests need not do that again.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { codeOfLemmata, digest, type SoundRun } from "./lemma-code.ts";

const stored = fileURLToPath(new URL("../node_modules/.cache/lemmata-errata/", import.meta.url));
const runs = fileURLToPath(new URL("../docs/runs.json", import.meta.url));

export async function errataDocument(): Promise<string> {
  const core = await import("@lemmata/core/theory");
  mkdirSync(stored, { recursive: true });
  const sound: Record<string, SoundRun> = JSON.parse(read(runs) ?? "{}");
  const sections: string[] = [];
  for (const [id, code] of await codeOfLemmata()) {
    const file = `${stored}${id}-${code}.md`;
    let section = sound[id]?.code === code ? read(file) : undefined;
    if (section === undefined) {
      console.error(`trying ${id}`);
      const lemma = await core.findLemma(id);
      const report = await core.tried(lemma);
      section = await core.errataSection(lemma, { report });
      writeFileSync(file, section);
      delete sound[id];
      if (core.isSound(lemma, report)) sound[id] = { code, errata: digest(section.trim()) };
      else console.error(`${id} is not sound: its tests will say why`);
      writeFileSync(runs, `${JSON.stringify(sound, undefined, 2)}\n`);
    }
    sections.push(section);
  }
  return core.errataDocument(sections);
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
