// What the page knows of every lemma before it runs; made at build time.

import entries from "virtual:catalogue";
import subjectList from "virtual:catalogue-subjects";
import type { Erratum, LemmaKind, Reading, Relation, Subject } from "@lemmata/core/theory";

export interface ParameterEntry {
  readonly name: string;
  readonly kind: "integer" | "real" | "choice";
  readonly label: string;
  readonly default: number | string | boolean;
  readonly range?: readonly [number, number];
  readonly options?: readonly string[];
}

export interface ClaimEntry {
  readonly name: string;
  readonly says: string;
  readonly relation: Relation;
  readonly reading: Reading;
  readonly erratum?: Erratum;
  readonly sharper?: Erratum;
}

export interface LemmaEntry {
  readonly id: string;
  readonly covers: readonly string[];
  readonly kind: LemmaKind;
  readonly title: string;
  readonly source: string;
  /** The key of its subject. */
  readonly subject: string;
  readonly statement: string;
  readonly parameters: readonly ParameterEntry[];
  readonly claims: readonly ClaimEntry[];
}

export const lemmata: readonly LemmaEntry[] = entries;
/** In the order of the index. */
export const subjects: readonly Subject[] = subjectList;

const byId = new Map(lemmata.flatMap((l) => [l.id, ...l.covers].map((id) => [id.toUpperCase(), l] as const)));
for (const l of lemmata) byId.set(l.id.toUpperCase(), l); // its own id before others that cover it

/** The lemma with this id, or one that covers it. */
export const lemmaEntry = (id: string): LemmaEntry | undefined => byId.get(id.toUpperCase());
