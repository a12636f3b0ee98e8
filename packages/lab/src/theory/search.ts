// Finds lemmata by words, with what matters most first, and by document, chapter, subject and kind.
import type { LemmaEntry } from "../catalogue.ts";
import { chapterOf, documentOf } from "./documents.ts";

export interface Filters {
  readonly words: string;
  readonly document: string;
  readonly chapter: string;
  readonly subject: string;
  readonly kind: string;
  readonly errata: boolean;
}

export const noFilters: Filters = {
  words: "",
  document: "",
  chapter: "",
  subject: "",
  kind: "",
  errata: false,
};

export const errataOf = ({ claims }: LemmaEntry) => claims.filter((c) => c.erratum !== undefined);

/** Lower case, without accents, TeX commands as words: "Montúfar" is found by "montufar". */
const plain = (text: string): string =>
  text
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase();

interface Field {
  readonly weight: number;
  readonly text: string;
}

const fields = (lemma: LemmaEntry): readonly Field[] => [
  { weight: 40, text: plain([lemma.id, ...lemma.covers].join(" ")) },
  { weight: 12, text: plain(lemma.title) },
  { weight: 6, text: plain(lemma.source) },
  { weight: 4, text: plain(lemma.claims.map((c) => c.name).join(" ")) },
  { weight: 3, text: plain(`${lemma.kind} ${lemma.parameters.map((p) => p.label).join(" ")}`) },
  {
    weight: 2,
    text: plain(
      `${lemma.statement} ${lemma.claims.map((c) => `${c.says} ${c.erratum?.printed ?? ""} ${c.erratum?.corrected ?? ""}`).join(" ")}`,
    ),
  },
];

const index = new WeakMap<LemmaEntry, readonly Field[]>();

function fieldsOf(lemma: LemmaEntry): readonly Field[] {
  const known = index.get(lemma) ?? fields(lemma);
  index.set(lemma, known);
  return known;
}

/** A whole word counts twice what the start of one does, and that twice what is inside one; 0: not there. */
function match(text: string, word: string): number {
  let best = 0;
  for (let at = text.indexOf(word); at >= 0 && best < 4; at = text.indexOf(word, at + 1)) {
    const starts = at === 0 || !/[a-z0-9]/.test(text[at - 1]!);
    const ends = at + word.length === text.length || !/[a-z0-9]/.test(text[at + word.length]!);
    best = Math.max(best, starts ? (ends ? 4 : 2) : 1);
  }
  return best;
}

/** How well a lemma answers these words; every word must be somewhere, else 0. */
export function score(lemma: LemmaEntry, words: string): number {
  let sum = 0;
  for (const word of plain(words).split(/\s+/).filter(Boolean)) {
    const best = fieldsOf(lemma).reduce((s, f) => s + f.weight * match(f.text, word), 0);
    if (best === 0) return 0;
    sum += best;
  }
  return sum;
}

const passes = (lemma: LemmaEntry, { document, chapter, subject, kind, errata }: Filters): boolean =>
  (!document || documentOf(lemma).key === document) &&
  (!chapter || chapterOf(lemma)?.key === chapter) &&
  (!subject || lemma.subject === subject) &&
  (!kind || lemma.kind === kind) &&
  (!errata || errataOf(lemma).length > 0);

/** The lemmata that pass, best answers first; without words in the order of the catalogue. */
export function search(lemmata: readonly LemmaEntry[], filters: Filters): readonly LemmaEntry[] {
  const passing = lemmata.filter((l) => passes(l, filters));
  if (!filters.words.trim()) return passing;
  return passing
    .map((lemma) => ({ lemma, points: score(lemma, filters.words) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points) // stable: equals stay in order
    .map(({ lemma }) => lemma);
}

/** How many results each value of a filter would leave, the other filters unchanged. */
export function countBy(
  lemmata: readonly LemmaEntry[],
  filters: Filters,
  name: "document" | "chapter" | "subject" | "kind",
): ReadonlyMap<string, number> {
  const valueIn = {
    document: (l: LemmaEntry) => documentOf(l).key,
    chapter: (l: LemmaEntry) => chapterOf(l)?.key,
    subject: (l: LemmaEntry) => l.subject,
    kind: (l: LemmaEntry) => l.kind,
  }[name];
  const counts = new Map<string, number>();
  for (const lemma of search(lemmata, { ...filters, [name]: "" })) {
    const value = valueIn(lemma);
    if (value) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}

/** As the address has them: only what is set. */
export const filterQuery = ({
  words,
  document,
  chapter,
  subject,
  kind,
  errata,
}: Filters): Record<string, string> => ({
  ...(words && { q: words }),
  ...(document && { document }),
  ...(chapter && { chapter }),
  ...(subject && { subject }),
  ...(kind && { kind }),
  ...(errata && { errata: "1" }),
});

export const filtersFrom = (query: Readonly<Record<string, string>>): Filters => ({
  words: query["q"] ?? "",
  document: query["document"] ?? "",
  chapter: query["chapter"] ?? "",
  subject: query["subject"] ?? "",
  kind: query["kind"] ?? "",
  errata: query["errata"] === "1",
});
