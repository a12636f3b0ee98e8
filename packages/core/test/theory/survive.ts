// Every lemma through the falsifier, in parts that run side by side.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { errataSection, tried } from "../../src/theory/errata.ts";
import { allLemmata } from "../../src/theory/registry.ts";
import { shortcomings } from "../../src/theory/shortcomings.ts";

const parts = 4;
const errata = readFileSync(new URL("../../../../docs/errata.md", import.meta.url), "utf8").split(
  /\n(?=## )/,
);

/** The tests of every fourth lemma, from this one on. */
export async function survivalTests(part: number): Promise<void> {
  const lemmata = (await allLemmata()).filter((_, k) => k % parts === part);
  describe("every lemma", () => {
    it.each(lemmata.map((l) => [l.id, l] as const))(
      "%s survives the falsifier; its errata and its mutants do not",
      async (id, lemma) => {
        const report = await tried(lemma);
        expect(report.violations).toEqual([]);
        expect(shortcomings(lemma, report)).toEqual([]);
        const expected = Object.entries(lemma.claims)
          .filter(([, c]) => c.erratum)
          .map(([name]) => name);
        expect(report.errata.map((e) => e.claim)).toEqual(expected);
        const written = errata.find((section) => section.startsWith(`## ${id} `)) ?? "";
        const section = await errataSection(lemma, { report });
        expect(written.trim(), "docs/errata.md is stale: `npm run docs` renews it").toBe(section.trim());
      },
    );
  });
}
