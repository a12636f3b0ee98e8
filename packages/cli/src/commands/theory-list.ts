import { allLemmata, type Lemma } from "@lemmata/core/theory";
import { type CommonOptions, print, printJson, table } from "../output.ts";

const summary = ({ id, covers, title, kind, source, claims }: Lemma) => ({
  id,
  covers,
  title,
  kind,
  source,
  claims: Object.keys(claims).length,
  errata: Object.values(claims).filter((c) => c.erratum).length,
});

/** `lemmata theory list` */
export default async function theoryList(options: CommonOptions): Promise<void> {
  const rows = (await allLemmata()).map(summary);
  if (options.json) return printJson(rows);
  const cells = rows.map((r) => [r.id, r.kind, r.title, r.source, String(r.claims), String(r.errata)]);
  print(table(["id", "kind", "title", "source", "claims", "errata"], cells, [4, 5]));
}
