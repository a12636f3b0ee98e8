import {
  isWorthSharing,
  parseVnnlib,
  partsFrom,
  partsText,
  type Verdict,
  verifyQuery,
} from "@lemmata/core/bounds";
import { DataError } from "@lemmata/core/data";
import type { Graph } from "@lemmata/core/graph";
import { elapsed } from "../elapsed.ts";
import { negative, undecided } from "../exit-code.ts";
import { readUnpacked } from "../files.ts";
import { tellGuard } from "../guarded.ts";
import { loadGraph } from "../model.ts";

import { type CommonOptions, number, print, printJson, printLine, secondsText } from "../output.ts";
import { interruptSignal, progressBar, remark } from "../progress.ts";

import { UsageError } from "../usage-error.ts";
import { verifiedByWorkers } from "../verify-workers.ts";
import { verifyCertificate } from "./verify-certificate.ts";

export interface Options extends CommonOptions {
  readonly network?: readonly string[];
  readonly timeout?: number;
  readonly tolerance?: number;
  readonly or?: boolean;
  readonly workers?: number;
  readonly parts?: string;
  readonly certificate?: string | undefined;
}

/** What one process has before others are started; less than `leastSeconds` are not worth them. */
const [secondsAlone, leastSeconds] = [2, 1] as const;

/** A query describes a violation: it is a negative verdict that it holds somewhere. */
const exitCodes: Readonly<Record<Verdict["verdict"], number>> = {
  unsat: 0,
  sat: negative,
  unknown: undecided,
  "timed-out": undecided,
};

/** `f=a.onnx` and `a.onnx`, by name; "" for a model without one. */
async function loadNetworks(entries: readonly string[]): Promise<ReadonlyMap<string, Graph>> {
  const graphs = new Map<string, Graph>();
  for (const entry of entries) {
    const [, name = "", path = entry] = /^([A-Za-z_][\w.-]*)=(.+)$/s.exec(entry) ?? [];
    if (graphs.has(name))
      throw new UsageError(
        name ? `--network ${name} is given twice` : "several models need names: --network f=a.onnx",
      );
    graphs.set(name, await loadGraph(path));
  }
  if (graphs.size === 0)
    throw new UsageError("--network names the model that the query is about: --network f=net.onnx");
  return graphs;
}

function parseQuery(path: string) {
  try {
    return parseVnnlib(new TextDecoder().decode(readUnpacked(path)));
  } catch (error) {
    throw error instanceof DataError ? new DataError(`${path}: ${error.message}`) : error;
  }
}

function openParts(text: string) {
  try {
    return partsFrom(text);
  } catch {
    throw new UsageError("--parts takes what another run left open, as it printed it");
  }
}

async function verifyVnnlib(path: string, options: Options): Promise<void> {
  if (options.timeout !== undefined && !(options.timeout > 0))
    throw new UsageError("--timeout takes a number of seconds above 0");
  const query = parseQuery(path);
  await tellGuard({ model: ["verify", path, ...(options.network ?? [])].join(" ") });
  const graphs = await loadNetworks(options.network ?? []);
  const bar = progressBar("verify", options);
  const start = performance.now();
  // The command is over when the search is, or when the time is.
  const timeShare = () => (performance.now() - start) / 1000 / (options.timeout ?? Number.POSITIVE_INFINITY);
  const workers = isWorthSharing(query) ? (options.workers ?? 1) : 1;
  const seconds = workers > 1 ? Math.min(secondsAlone, options.timeout ?? secondsAlone) : options.timeout;
  const alone = await verifyQuery(query, graphs, {
    or: options.or ?? false,
    seconds,
    ...(options.parts !== undefined && { parts: openParts(options.parts) }),
    tolerance: options.tolerance ?? 0,
    onRemark: (text) => remark(text, options),
    seed: options.seed,
    signal: interruptSignal(),
    onProgress: (fraction, boxes) => bar.update(Math.max(fraction, timeShare()), `${number(boxes)} boxes`),
  }).finally(() => bar.done());
  const left = (options.timeout ?? Number.POSITIVE_INFINITY) - elapsed();
  const verdict =
    alone.left && workers > 1 && left > leastSeconds
      ? await verifiedByWorkers(path, options, workers, alone, alone.left)
      : alone;
  process.exitCode = exitCodes[verdict.verdict];
  const { left: open, ...shown } = verdict;
  const isAsked = options.parts !== undefined && open;
  if (options.json) printJson({ ...shown, seconds: elapsed(), ...(isAsked && { left: partsText(open) }) });
  else show(verdict, options);
}

/** What a verdict rests on. */
function restsOn({ verdict, strength, outside }: Verdict): string {
  if (verdict === "unsat") return `${strength}, for the real function of the stored weights`;
  if (verdict !== "sat") return "undecided";
  const beyond = outside ? `, for inputs up to ${number(outside)} beyond the query's bounds` : "";
  return `${strength}, by a run on ONNX Runtime${beyond}`;
}

/** The verdict first, on a line of its own; then the witness as VNN-LIB writes it; remarks are comments. */
function show(verdict: Verdict, { quiet }: Options): void {
  const { witness, reason, boxes } = verdict;
  print(verdict.verdict);
  if (reason && !quiet) printLine(`; ${reason}`);
  if (witness) print(`(${witness.map(({ name, value }) => `(${name} ${value})`).join("\n ")})`);
  if (!quiet) print(`; ${restsOn(verdict)}; ${number(boxes)} boxes, ${secondsText(elapsed())}`);
}

/** What is verified, by the ending of its file. */
const kinds: Readonly<Record<string, (path: string, options: Options) => Promise<void>>> = {
  ".vnnlib": verifyVnnlib,
  ".vnnlib.gz": verifyVnnlib,
  ".onnx": verifyCertificate,
};

/** `lemmata verify query.vnnlib --network f=a.onnx`, `lemmata verify net.onnx c.json` */
export default async function verifyCommand(
  path: string,
  certificate: string | undefined,
  options: Options,
): Promise<void> {
  const ending = Object.keys(kinds).find((end) => path.toLowerCase().endsWith(end));
  if (!ending) throw new UsageError(`${path}: what can be verified ends in ${Object.keys(kinds).join(", ")}`);
  if (certificate !== undefined && ending !== ".onnx")
    throw new UsageError(`${certificate}: only a network has a certificate`);
  await kinds[ending]!(path, { ...options, certificate });
}
