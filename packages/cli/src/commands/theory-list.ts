import { allLemmata, type Lemma } from "@lemmata/core/theory";
import { oneOf } from "../choice.ts";
import { type CommonOptions, print, printJson, table } from "../output.ts";

interface Options extends CommonOptions {
  readonly source?: string;
  readonly chapter?: number;
  readonly kind?: string;
  readonly errata?: boolean;
}

const kinds: readonly Lemma["kind"][] = ["construction", "bound", "measure", "algorithm", "experiment"];

const summary = ({ id, covers, title, kind, source, claims }: Lemma) => ({
  id,
  covers,
  title,
  kind,
  source,
  claims: Object.keys(claims).length,
  errata: Object.values(claims).filter((c) => c.erratum).length,
});

/** All words are somewhere in what is said of the lemma, and all options hold. */
function isWanted(words: readonly string[], { source, chapter, kind, errata }: Options) {
  return (lemma: Lemma): boolean => {
    const said = [
      lemma.id,
      ...lemma.covers,
      lemma.title,
      lemma.kind,
      lemma.source,
      ...Object.keys(lemma.claims),
    ]
      .join("\n")
      .toLowerCase();
    return (
      words.every((word) => said.includes(word.toLowerCase())) &&
      (source === undefined || lemma.source.toLowerCase().includes(source.toLowerCase())) &&
      (chapter === undefined || new RegExp(`\\bchapter ${chapter}\\b`).test(lemma.source)) &&
      (kind === undefined || lemma.kind === kind) &&
      (!errata || Object.values(lemma.claims).some((c) => c.erratum))
    );
  };
}

/** `lemmata theory list rademacher --source book --chapter 1 --kind bound --errata` */
export default async function theoryList(words: readonly string[], options: Options): Promise<void> {
  if (options.kind !== undefined) oneOf("--kind", options.kind, kinds);
  const rows = (await allLemmata()).filter(isWanted(words, options)).map(summary);
  if (options.json) return printJson(rows);
  if (rows.length === 0) return print("no lemma of this kind; `lemmata theory list` shows all");
  const cells = rows.map((r) => [r.id, r.kind, r.title, r.source, String(r.claims), String(r.errata)]);
  print(table(["id", "kind", "title", "source", "claims", "errata"], cells, [4, 5]));
}
