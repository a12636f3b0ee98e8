import { findLemma } from "@lemmata/core/theory";
import { formulaText, proseText } from "../formula-text.ts";
import { type CommonOptions, paragraph, print, printJson, table } from "../output.ts";

interface Options extends CommonOptions {
  readonly latex?: boolean;
}

/** `lemmata theory show T-27 [--latex]` */
export default async function theoryShow(id: string, options: Options): Promise<void> {
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
  const asIs = (latex: string): string => latex;
  const [formula, prose] = options.latex ? [asIs, asIs] : [formulaText, proseText];
  print(`${lemma.id}  ${lemma.title}\n${paragraph(`${lemma.source}; covers ${lemma.covers.join(", ")}`)}\n`);
  print(`${paragraph(formula(lemma.statement), "  ")}\n`);
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
        prose(c.says),
        c.slack ? `${c.reading}, loose by ${c.slack}` : c.reading,
      ]),
    ),
  );
  if (Object.keys(mutants).length > 0)
    print(`\n${paragraph(`the falsifier catches: ${Object.keys(mutants).join("; ")}`)}`);
  for (const { erratum, sharper } of statements) {
    const found = erratum ?? sharper;
    if (!found) continue;
    print(`\n${paragraph(`${erratum ? "erratum" : "true but loose"}, ${found.where}:`)}`);
    print(paragraph(`printed: ${prose(found.printed)}`, "  "));
    print(paragraph(`${erratum ? "corrected" : "sharper"}: ${prose(found.corrected)}`, "  "));
  }
}
