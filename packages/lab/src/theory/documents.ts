// Which document and chapter a lemma comes from, by its id: C3-12 is chapter 3 of the book, T-27 Telgarsky's.
import type { LemmaEntry } from "../catalogue.ts";

export interface SourceDocument {
  readonly key: string;
  /** Short, as a filter shows it. */
  readonly name: string;
  readonly cited: string;
}

export interface Chapter {
  /** Unique over all documents, such as "book-3". */
  readonly key: string;
  readonly label: string;
}

const documents = {
  book: {
    key: "book",
    name: "Book",
    cited: "Grohs and Kutyniok (editors), Mathematical Aspects of Deep Learning, 2022",
  },
  telgarsky: {
    key: "telgarsky",
    name: "Telgarsky",
    cited: "Telgarsky, Deep learning theory, draft of 2023",
  },
  poggio: { key: "poggio", name: "Poggio", cited: "Poggio, CBMM Memo 138, 2022 and 2023" },
  shen: { key: "shen", name: "Shen", cited: "Shen, slides of April 2024" },
} satisfies Record<string, SourceDocument>;

/** In the order of the catalogue. */
export const sourceDocuments: readonly SourceDocument[] = Object.values(documents);

export function documentOf({ id }: Pick<LemmaEntry, "id">): SourceDocument {
  if (id.startsWith("T")) return documents.telgarsky;
  if (id.startsWith("P")) return documents.poggio;
  return id.startsWith("S") ? documents.shen : documents.book;
}

/** The first chapter or section that the source names: "Theorem 4.2" is in 4, "section 6.8.1" in 6. */
export function chapterOf({ id, source }: Pick<LemmaEntry, "id" | "source">): Chapter | undefined {
  const { key } = documentOf({ id });
  const ofBook = /^C(\d+)/.exec(id)?.[1];
  if (ofBook) return { key: `book-${ofBook}`, label: `Book, chapter ${ofBook}` };
  if (key === "telgarsky") {
    const chapter = /\b(\d+)\.\d+/.exec(source)?.[1] ?? /section (\d+)/i.exec(source)?.[1];
    return chapter ? { key: `telgarsky-${chapter}`, label: `Telgarsky, chapter ${chapter}` } : undefined;
  }
  if (key !== "poggio") return undefined; // slides have none
  // The memo numbers theorems through all sections: those from 11 on, and what has P-20 and more, are section 8's.
  const section = Number(id.split("-")[1]) >= 20 ? "8" : "6";
  return { key: `poggio-${section}`, label: `Poggio, section ${section}` };
}

/** The chapters of these lemmata, each once, in their order. */
export function chaptersOf(lemmata: readonly LemmaEntry[]): readonly Chapter[] {
  const chapters = new Map<string, Chapter>();
  for (const lemma of lemmata) {
    const chapter = chapterOf(lemma);
    if (chapter) chapters.set(chapter.key, chapter);
  }
  const order = (key: string): number => sourceDocuments.findIndex((d) => key.startsWith(d.key));
  return [...chapters.values()].sort(
    (a, b) => order(a.key) - order(b.key) || Number(a.key.split("-")[1]) - Number(b.key.split("-")[1]),
  );
}
