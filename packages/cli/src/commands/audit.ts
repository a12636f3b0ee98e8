import { basename } from "node:path";
import {
  type Audit,
  auditComparisonRecord,
  auditModel,
  auditRecord,
  compareAudits,
} from "@lemmata/core/audit";
import { type Graph, widenHalf } from "@lemmata/core/graph";
import { type AuditDataOptions, auditExamples } from "../audit-data.ts";
import { auditText, comparisonText } from "../audit-text.ts";
import { checkOutput, writeWhole } from "../files.ts";
import { type InterfaceOptions, loadGraph, settled, settledAmong } from "../model.ts";
import { type CommonOptions, print, printJson } from "../output.ts";
import { interruptSignal, progressBar } from "../progress.ts";
import { UsageError } from "../usage-error.ts";

interface Options extends CommonOptions, AuditDataOptions, InterfaceOptions {
  readonly delta: number;
  readonly html?: string;
  readonly initial?: string;
  readonly pacBayes?: boolean;
}

/** `lemmata audit net.onnx --data mnist --html report.html` */
export default async function auditCommand(paths: readonly string[], options: Options): Promise<void> {
  checkOutput("--html", options.html, ".html");
  if (!(options.delta > 0 && options.delta < 1))
    throw new UsageError(`--delta ${options.delta}: a probability between 0 and 1`);
  if (options.initial && paths.length > 1)
    throw new UsageError("--initial is for one model: each one has its own start");
  const loaded: Graph[] = [];
  for (const path of paths) loaded.push(await loadGraph(path));
  const graphs = settledAmong(loaded, options).map(widenHalf);
  const start = options.initial === undefined ? undefined : await loadGraph(options.initial);
  const initial = start && widenHalf(settled(start, options));
  const bar = progressBar("audit", options);
  const signal = interruptSignal();
  const names = shortNames(paths);
  const audits: Audit[] = [];
  for (const [k, graph] of graphs.entries()) {
    const { name: dataName, ...examples } = auditExamples(graph, options);
    audits.push(
      await auditModel(graph, {
        ...examples,
        ...{
          dataName,
          name: names[k]!,
          delta: options.delta,
          models: paths.length,
          seed: options.seed,
          signal,
        },
        // Several models are compared by what is measured: a posterior for each of them only if asked.
        pacBayes: options.pacBayes ?? (paths.length === 1 ? "auto" : false),
        ...(initial ? { initial } : {}),
        onProgress: ({ what, share }) =>
          bar.update((k + share) / paths.length, paths.length > 1 ? `${names[k]}, ${what}` : what),
      }),
    );
  }
  await bar.done();
  const comparison = audits.length > 1 ? compareAudits(audits) : undefined;
  if (options.html) writeWhole(options.html, await html(audits, graphs[0]!));
  if (options.json) printJson(comparison ? auditComparisonRecord(comparison) : auditRecord(audits[0]!));
  else {
    print(comparison ? comparisonText(comparison) : auditText(audits[0]!, options));
    if (options.html && !options.quiet) print(`written: ${options.html}`);
  }
}

/** File names where they tell the models apart, else the paths. */
function shortNames(paths: readonly string[]): readonly string[] {
  const names = paths.map((path) => basename(path));
  return new Set(names).size === names.length ? names : paths;
}

/** One file, whatever the number of models. */
async function html(audits: readonly Audit[], graph: Graph): Promise<string> {
  const [{ auditReport, comparisonReport }, { parseHTML }] = await Promise.all([
    import("@lemmata/core/audit/report"),
    import("linkedom"),
  ]);
  const document = parseHTML("<!doctype html><html><body></body></html>").document as unknown as Document;
  return audits.length === 1
    ? auditReport(audits[0]!, { document, graph })
    : comparisonReport(audits, compareAudits(audits).ranking, { document });
}
