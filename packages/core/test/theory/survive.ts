// Every lemma through the falsifier, in parts that run side by side.
import { describe, expect, it } from "vitest";
import { tried } from "../../src/theory/errata.ts";
import { allLemmata } from "../../src/theory/registry.ts";

const parts = 4;

/** The tests of every fourth lemma, from this one on. */
export async function survivalTests(part: number): Promise<void> {
  const lemmata = (await allLemmata()).filter((_, k) => k % parts === part);
  describe("every lemma", () => {
    it.each(lemmata.map((l) => [l.id, l] as const))(
      "%s survives the falsifier; its errata and its mutants do not",
      async (_id, lemma) => {
        const { violations, errata, survivors } = await tried(lemma);
        expect({ violations, survivors }).toEqual({ violations: [], survivors: [] });
        const expected = Object.entries(lemma.claims)
          .filter(([, c]) => c.erratum)
          .map(([name]) => name);
        expect(errata.map((e) => e.claim)).toEqual(expected);
      },
    );
  });
}
