import { findLemma } from "@lemmata/core/theory";
import { type CommonOptions, print, printJson, table } from "../output.ts";

/** `lemmata theory show T-27` */
export default async function theoryShow(id: string, options: CommonOptions): Promise<void> {
  const { run: _, parameters, claims, mutants, ...lemma } = await findLemma(id);
  const fields = Object.entries(parameters).map(([name, p]) => ({
    name,
    kind: p.kind,
    label: p.label,
    default: p.default,
    range: p.range,
    options: p.options,
  }));
  const statements = Object.entries(claims).map(([name, claim]) => ({ name, ...claim }));
  if (options.json)
    return printJson({ ...lemma, parameters: fields, claims: statements, mutants: Object.keys(mutants) });
  print(
    `${lemma.id}  ${lemma.title}\n${lemma.source}; covers ${lemma.covers.join(", ")}\n\n  ${lemma.statement}\n`,
  );
  const parameterRows = fields.map((f) => [
    f.name,
    f.label,
    f.range ? `${f.range[0]} to ${f.range[1]}` : (f.options?.join(", ") ?? ""),
    String(f.default),
  ]);
  print(`${table(["parameter", "meaning", "range", "default"], parameterRows)}\n`);
  print(
    table(
      ["claim", "", "theory", "reading"],
      statements.map((c) => [
        c.name,
        c.relation,
        c.says,
        c.slack ? `${c.reading}, loose by ${c.slack}` : c.reading,
      ]),
    ),
  );
  if (Object.keys(mutants).length > 0) print(`\nthe falsifier catches: ${Object.keys(mutants).join("; ")}`);
  for (const { erratum } of statements) {
    if (erratum)
      print(
        `\nerratum, ${erratum.where}:\n  printed    ${erratum.printed}\n  corrected  ${erratum.corrected}`,
      );
  }
}
