import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { lemmaModules } from "../../src/theory/lemmata.generated.ts";
import { findLemma, lemmaIds, subjectOf } from "../../src/theory/registry.ts";
import { subjects } from "../../src/theory/subjects.ts";

const catalogue = new URL("../../../../../shared/theory/", import.meta.url);
const known = existsSync(catalogue)
  ? readdirSync(catalogue)
      .flatMap((f) => [...readFileSync(new URL(f, catalogue), "utf8").matchAll(/^#+ +\**([A-Z]\w*-\d+)/gm)])
      .map((m) => m[1]!)
  : undefined;

describe("the registry", () => {
  it("knows each lemma under the id that its file states, and under every id it covers", async () => {
    for (const { id, covers, load } of lemmaModules) {
      const { default: lemma } = await load();
      expect([lemma.id, lemma.covers]).toEqual([id, covers]);
      for (const other of covers) expect((await findLemma(other.toLowerCase())).id).toBeDefined();
    }
  });

  it("says what is near an unknown id", async () => {
    await expect(findLemma("T-99")).rejects.toThrow(/no lemma "T-99"; near it: T-3\d, /);
    await expect(findLemma("nonsense")).rejects.toThrow(/theory list/);
  });

  it("has a subject for each lemma, and a lemma for each subject", () => {
    const used = new Set(lemmaIds.map((id) => subjectOf(id)));
    expect(used).toEqual(new Set(subjects));
    expect(new Set(subjects.map(({ key }) => key)).size).toBe(subjects.length);
    expect(subjectOf("c1a-51").key).toBe("products"); // T-27 covers it
    expect(() => subjectOf("T-99")).toThrow(/no lemma "T-99"/);
  });

  it.skipIf(!known)("cites only ids that the catalogue has", () => {
    for (const { covers } of lemmaModules) for (const id of covers) expect(known).toContain(id);
  });
});
