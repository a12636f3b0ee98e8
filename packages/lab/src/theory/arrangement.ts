// How the list of lemmata is arranged: in the order of the documents, or under subjects.
import type { Subject } from "@lemmata/core/theory";
import type { LemmaEntry } from "../catalogue.ts";

export const arrangements = ["document", "subject"] as const;
export type Arrangement = (typeof arrangements)[number];

/** As the address has it: only what is not the default. */
export const arrangementQuery = (by: Arrangement): Record<string, string> =>
  by === "document" ? {} : { by };

export const arrangementFrom = (query: Readonly<Record<string, string>>): Arrangement =>
  arrangements.find((each) => each === query["by"]) ?? "document";

export interface SubjectGroup extends Subject {
  readonly lemmata: readonly LemmaEntry[];
}

/** The lemmata under their subjects, in the order of the subjects; of answers to words, the best one's subject first. */
export function bySubject(
  lemmata: readonly LemmaEntry[],
  subjects: readonly Subject[],
  areAnswers = false,
): readonly SubjectGroup[] {
  const groups = subjects
    .map((subject) => ({ ...subject, lemmata: lemmata.filter((l) => l.subject === subject.key) }))
    .filter((group) => group.lemmata.length > 0);
  const best = ({ lemmata: [first] }: SubjectGroup): number => lemmata.indexOf(first!);
  return areAnswers ? groups.toSorted((a, b) => best(a) - best(b)) : groups;
}
