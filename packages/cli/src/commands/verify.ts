import { DataError } from "@lemmata/core/data";
import type { Graph } from "@lemmata/core/graph";
import { parseVnnlib, type Verdict, verifyQuery } from "@lemmata/core/verify";
import { readBytes } from "../files.ts";
import { tellGuard } from "../guarded.ts";
import { loadGraph } from "../model.ts";
import { type CommonOptions, number, print, printJson } from "../output.ts";
import { interruptSignal, progressBar } from "../progress.ts";
import { UsageError } from "../usage-error.ts";
import { verifyCertificate } from "./verify-certificate.ts";

interface Options extends CommonOptions {
  readonly network?: readonly string[];
  readonly timeout?: number;
  readonly or?: boolean;
  readonly certificate?: string | undefined;
}

/** A query that holds somewhere describes a violation: exit code 1. */
const violated = 1;

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
    return parseVnnlib(new TextDecoder().decode(readBytes(path)));
  } catch (error) {
    throw error instanceof DataError ? new DataError(`${path}: ${error.message}`) : error;
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
  const verdict = await verifyQuery(query, graphs, {
    or: options.or ?? false,
    seconds: options.timeout,
    seed: options.seed,
    signal: interruptSignal(),
    onProgress: (fraction, boxes) => bar.update(Math.max(fraction, timeShare()), `${number(boxes)} boxes`),
  }).finally(() => bar.done());
  if (verdict.verdict === "sat") process.exitCode = violated;
  if (options.json) printJson(verdict);
  else show(verdict, options);
}

/** The verdict first, on a line of its own; then the witness as VNN-LIB writes it; remarks are comments. */
function show({ verdict, witness, strength, reason, boxes, seconds }: Verdict, { quiet }: Options): void {
  print(verdict);
  if (reason && !quiet) print(`; ${reason}`);
  if (witness) print(`(${witness.map(({ name, value }) => `(${name} ${value})`).join("\n ")})`);
  if (!quiet)
    print(
      `; ${strength ? `${strength}, ` : ""}${number(boxes)} boxes, ${number(Number(seconds.toFixed(2)))} s`,
    );
}

/** What is verified, by the ending of its file. */
const kinds: Readonly<Record<string, (path: string, options: Options) => Promise<void>>> = {
  ".vnnlib": verifyVnnlib,
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
