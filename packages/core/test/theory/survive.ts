// Every lemma through the falsifier, in parts that run side by side. One whose code was tried in full, and found sound, when
// the documents were written (docs/runs.json) is looked at again in one to four trials; any other one in full, as long as there
// is time: there may be many, and the falsifier shares out what it has.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { codeOfLemmata, digest, type SoundRun } from "../../../../scripts/lemma-code.ts";
import { errataSection, tried } from "../../src/theory/errata.ts";
import { falsify } from "../../src/theory/falsify.ts";
import { allLemmata } from "../../src/theory/registry.ts";
import { shortcomings } from "../../src/theory/shortcomings.ts";

const parts = 4;
const document = (name: string): string =>
  readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), "utf8");
const errata = document("errata.md").split(/\n(?=## )/);
const sound = JSON.parse(document("runs.json")) as Readonly<Record<string, SoundRun>>;

/** Trials of a lemma that was tried in full before, and processor seconds from which on there are no more of them. */
const again = { trials: 4, seconds: 0.7 };
/** Processor seconds that one part may spend on lemmata in full; later ones are tried as those are that were before. */
const budget = 120;

/** The tests of every fourth lemma, from this one on. */
export async function survivalTests(part: number): Promise<void> {
  const lemmata = (await allLemmata()).filter((_, k) => k % parts === part);
  const code = await codeOfLemmata();
  const start = process.cpuUsage();
  const spent = (): number => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1e6;
  };
  describe("every lemma", () => {
    it.each(lemmata.map((l) => [l.id, l] as const))(
      "%s survives the falsifier; its errata and its mutants do not",
      async (id, lemma) => {
        const written = (errata.find((section) => section.startsWith(`## ${id} `)) ?? "").trim();
        const stale = "docs/errata.md is stale: `npm run docs` renews it";
        const wasTried = sound[id]?.code === code.get(id);
        if (wasTried) expect(digest(written), stale).toBe(sound[id]!.errata);
        if (wasTried || spent() > budget) {
          const until = spent() + again.seconds;
          for (let seed = 1; seed <= again.trials && (seed === 1 || spent() < until); seed++)
            expect((await falsify(lemma, { trials: 1, seed })).violations).toEqual([]);
          return;
        }
        const report = await tried(lemma);
        expect(report.violations).toEqual([]);
        expect(shortcomings(lemma, report)).toEqual([]);
        const expected = Object.entries(lemma.claims)
          .filter(([, c]) => c.erratum)
          .map(([name]) => name);
        expect(report.errata.map((e) => e.claim)).toEqual(expected);
        const section = await errataSection(lemma, { report });
        expect(written, stale).toBe(section.trim());
      },
    );
  });
}
