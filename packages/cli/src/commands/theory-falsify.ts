import {
  allLemmata,
  falsify,
  farFromBound,
  findLemma,
  type Lemma,
  type Report,
  type Violation,
} from "@lemmata/core/theory";
import { type CommonOptions, number, print, printJson, table } from "../output.ts";
import { interruptSignal, progressBar, remark } from "../progress.ts";

interface Exclusion {
  readonly id: string;
  readonly hypothesis: string;
  readonly times: number;
}

interface Options extends CommonOptions {
  readonly trials: number;
  readonly workers?: number;
  readonly queue?: string;
}

/** The report of each lemma, in their order; by one process, or by many with the same result. */
async function* reports(lemmata: readonly Lemma[], options: Options): AsyncGenerator<Report> {
  const signal = interruptSignal();
  if (options.workers !== undefined || options.queue !== undefined) {
    const { falsifyTogether } = await import("../sweep/falsify.ts");
    yield* falsifyTogether(lemmata, { ...options, signal });
    return;
  }
  const bar = progressBar("falsify", options);
  for (const [k, lemma] of lemmata.entries()) {
    const onProgress = (fraction: number) => bar.update((k + fraction) / lemmata.length);
    yield await falsify(lemma, { trials: options.trials, seed: options.seed, signal, onProgress });
  }
  await bar.done();
}

/** `lemmata theory falsify [T-27] --trials 200 --seed 1`; exit code 1 when a corrected claim is violated. */
export default async function theoryFalsify(id: string | undefined, options: Options): Promise<void> {
  const lemmata = id ? [await findLemma(id)] : await allLemmata();
  const violations: Violation[] = [];
  const errata: Violation[] = [];
  const [unmeasured, survivors, far]: [string[], string[], string[]] = [[], [], []];
  const exclusions: Exclusion[] = [];
  let [trials, excluded] = [0, 0];
  let k = 0;
  for await (const report of reports(lemmata, options)) {
    const lemma = lemmata[k++]!;
    trials += report.trials;
    violations.push(...report.violations);
    excluded += report.excluded;
    unmeasured.push(...report.unmeasured.map((claim) => `${lemma.id} "${claim}"`));
    survivors.push(...report.survivors.map((mutant) => `${lemma.id} "${mutant}"`));
    far.push(...farFromBound(lemma, report).map((claim) => `${lemma.id} ${claim}`));
    for (const [hypothesis, times] of Object.entries(report.exclusions))
      exclusions.push({ id: lemma.id, hypothesis, times });
    errata.push(...report.errata);
    // A whole run takes an hour: what is found is said at once.
    for (const name of new Set(report.violations.map((v) => v.claim)))
      remark(`${lemma.id}: "${name}" is violated`, options);
    for (const name of report.survivors) remark(`${lemma.id}: the mutant "${name}" is not caught`, options);
  }
  if (violations.length > 0) process.exitCode = 1;
  if (options.json) {
    return printJson({ trials, violations, errata, excluded, exclusions, unmeasured, survivors, far });
  }
  print(
    `${number(trials)} trials of ${lemmata.length} lemma${lemmata.length === 1 ? "" : "ta"}: ${count(violations)}`,
  );
  if (excluded > 0) print(`${number(excluded)} of them outside a hypothesis:\n${exclusionTable(exclusions)}`);
  if (unmeasured.length > 0) print(`never measured: ${unmeasured.join(", ")}`);
  if (far.length > 0) print(`never near their bounds:\n  ${far.join("\n  ")}`);
  if (survivors.length > 0) print(`mutants that these trials do not catch: ${survivors.join(", ")}`);
  if (violations.length > 0) print(`\n${violationTable(violations)}`);
  if (errata.length > 0) print(`\nerrata (claims that fail as printed):\n${violationTable(errata)}`);
}

const exclusionTable = (exclusions: readonly Exclusion[]): string =>
  table(
    ["lemma", "trials", "hypothesis"],
    exclusions.map((e) => [e.id, number(e.times), e.hypothesis]),
    [1],
  );

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
