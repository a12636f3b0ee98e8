// `npm run try -- T-27 [--trials 25 --seed 2]`: a lemma from its source, nothing built: its claims at the default parameters, then
// what the falsifier and its mutants say.
import { parseArgs } from "node:util";
import { tried } from "../packages/core/src/theory/errata.ts";
import { falsify } from "../packages/core/src/theory/falsify.ts";
import { findLemma } from "../packages/core/src/theory/registry.ts";
import { shortcomings } from "../packages/core/src/theory/shortcomings.ts";

const { values, positionals } = parseArgs({
  options: { trials: { type: "string" }, seed: { type: "string", default: "1" } },
  allowPositionals: true,
});
if (positionals.length === 0) {
  console.error("npm run try -- ID ...: which lemma?");
  process.exit(2);
}
for (const id of positionals) {
  const lemma = await findLemma(id);
  const { claims, parameters } = await lemma.run({});
  console.log(`${id} ${lemma.title}\n${JSON.stringify(parameters)}`);
  for (const { name, measured, relation, theory, holds } of claims)
    console.log(`  ${holds ? "holds" : "fails"}  ${name}: ${measured} ${relation} ${theory}`);
  const trials = values.trials === undefined ? undefined : Number(values.trials);
  const seed = Number(values.seed);
  const report =
    trials === undefined ? await tried(lemma, undefined, seed) : await falsify(lemma, { trials, seed });
  const known = Object.entries(lemma.claims).filter(([, c]) => c.erratum);
  const unbroken = known.filter(([name]) => !report.errata.some((e) => e.claim === name));
  const faults = [
    ...report.violations.map(
      (v) =>
        `violated: ${v.claim}: ${v.measured} ${v.relation} ${v.theory} at ${JSON.stringify(v.parameters)}`,
    ),
    ...unbroken.map(([name]) => `printed claim that no trial breaks: ${name}`),
    ...shortcomings(lemma, report),
  ];
  console.log(
    `  ${report.trials} trials, ${Object.keys(lemma.mutants).length} mutants: ${faults.length === 0 ? "nothing is wrong" : `\n    ${faults.join("\n    ")}`}`,
  );
  if (faults.length > 0) process.exitCode = 1;
}
process.exit();
