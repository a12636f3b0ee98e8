// Finds lemmata by id. The list of files is made at build time, so that bundlers see every import.
import { type Lemma, TheoryError } from "./lemma.ts";
import { type LemmaModule, lemmaModules } from "./lemmata.generated.ts";
import { type Subject, subjects } from "./subjects.ts";

/** Ids of all lemmata, in the order of the catalogue. */
export const lemmaIds: readonly string[] = lemmaModules.map((m) => m.id);

function moduleOf(id: string): LemmaModule {
  const wanted = id.toUpperCase();
  const same = (other: string) => other.toUpperCase() === wanted;
  const found = lemmaModules.find((m) => same(m.id)) ?? lemmaModules.find((m) => m.covers.some(same));
  if (!found) throw new TheoryError(`no lemma "${id}"; ${suggestion(wanted)}`);
  return found;
}

/** The lemma with this id, or the first that covers it. */
export const findLemma = async (id: string): Promise<Lemma> => (await moduleOf(id).load()).default;

/**
 * The subject of the lemma with this id, or of the first that covers it.
 * @example subjectOf("T-27").title // "Squares, products, polynomials and quotients"
 */
export function subjectOf(id: string): Subject {
  const { subject } = moduleOf(id);
  return subjects.find(({ key }) => key === subject)!;
}

export const allLemmata = (): Promise<readonly Lemma[]> =>
  Promise.all(lemmaModules.map(async (m) => (await m.load()).default));

/** The lemmata of the same source whose numbers are nearest. */
function suggestion(wanted: string): string {
  const [prefix, number] = wanted.split("-");
  const same = lemmaIds.filter((id) => id.toUpperCase().split("-")[0] === prefix);
  if (same.length === 0) return "`lemmata theory list` shows them all";
  const distance = (id: string) =>
    Math.abs(Number.parseInt(id.split("-")[1] ?? "", 10) - Number.parseInt(number ?? "", 10));
  return `near it: ${same
    .toSorted((a, b) => distance(a) - distance(b))
    .slice(0, 4)
    .join(", ")}`;
}
