import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { falsify } from "../../src/theory/falsify.ts";
import { lemmaModules } from "../../src/theory/lemmata.generated.ts";
import { allLemmata, findLemma } from "../../src/theory/registry.ts";

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

  it.skipIf(!known)("cites only ids that the catalogue has", () => {
    for (const { covers } of lemmaModules) for (const id of covers) expect(known).toContain(id);
  });
});

describe("every lemma", async () => {
  it.each((await allLemmata()).map((l) => [l.id, l] as const))(
    "%s survives the falsifier, and its errata do not",
    async (_id, lemma) => {
      const { violations, errata } = await falsify(lemma, { trials: 25, seed: 1 });
      expect(violations).toEqual([]);
      const expected = Object.entries(lemma.claims)
        .filter(([, c]) => c.erratum)
        .map(([name]) => name);
      expect(errata.map((e) => e.claim)).toEqual(expected);
    },
  );
});
