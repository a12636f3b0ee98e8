import { allLemmata, falsify, findLemma, type Violation } from "@lemmata/core/theory";
import { type CommonOptions, number, print, printJson, table } from "../output.ts";
import { interruptSignal, progressBar } from "../progress.ts";

interface Options extends CommonOptions {
  readonly trials: number;
}

/** `lemmata theory falsify [T-27] --trials 200 --seed 1`; exit code 1 when a corrected claim is violated. */
export default async function theoryFalsify(id: string | undefined, options: Options): Promise<void> {
  const lemmata = id ? [await findLemma(id)] : await allLemmata();
  const bar = progressBar("falsify", options);
  const signal = interruptSignal();
  const violations: Violation[] = [];
  const errata: Violation[] = [];
  const unmeasured: string[] = [];
  let [trials, excluded] = [0, 0];
  for (const [k, lemma] of lemmata.entries()) {
    const onProgress = (fraction: number) => bar.update((k + fraction) / lemmata.length);
    const report = await falsify(lemma, { trials: options.trials, seed: options.seed, signal, onProgress });
    trials += report.trials;
    violations.push(...report.violations);
    excluded += report.excluded;
    unmeasured.push(...report.unmeasured.map((claim) => `${lemma.id} "${claim}"`));
    errata.push(...report.errata);
  }
  bar.done();
  if (violations.length > 0) process.exitCode = 1;
  if (options.json) return printJson({ trials, violations, errata, excluded, unmeasured });
  print(
    `${number(trials)} trials of ${lemmata.length} lemma${lemmata.length === 1 ? "" : "ta"}: ${count(violations)}`,
  );
  if (excluded > 0) print(`${number(excluded)} of them outside a hypothesis`);
  if (unmeasured.length > 0) print(`never measured: ${unmeasured.join(", ")}`);
  if (violations.length > 0) print(`\n${violationTable(violations)}`);
  if (errata.length > 0) print(`\nerrata (claims that fail as printed):\n${violationTable(errata)}`);
}

const count = (violations: readonly Violation[]): string =>
  violations.length === 0 ? "no claim violated" : `${violations.length} violated`;

const violationTable = (violations: readonly Violation[]): string =>
  table(
    ["lemma", "claim", "measured", "", "theory", "at"],
    violations.map((v) => [
      v.id,
      v.claim,
      v.measured === undefined ? "" : number(v.measured),
      v.relation ?? "",
      v.theory === undefined ? "" : number(v.theory),
      [
        ...Object.entries(v.parameters).map(([name, value]) => `${name} = ${value}`),
        ...(v.reason ? [v.reason] : []),
      ].join(", "),
    ]),
    [2, 4],
  );
