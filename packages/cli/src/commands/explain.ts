import { encodeData } from "@lemmata/core/data";
import {
  type Assessment,
  assess,
  type Bounds,
  type ColourMap,
  type Composite,
  chosenComposite,
  colourMaps,
  contestants,
  type ExplainOptions,
  type Explanation,
  explain,
  heatmap,
  heatmapSvg,
  methodNames,
  type Plane,
  parseTarget,
  planeOf,
  prepare,
  type Randomization,
  randomization,
  readComposite,
  relevanceGraph,
  wordsSvg,
} from "@lemmata/core/explain";
import {
  elementCount,
  type Graph,
  numbers,
  requiredInputs,
  type Tensor,
  widenHalf,
} from "@lemmata/core/graph";
import { printableName } from "@lemmata/core/printable";
import { oneOf } from "../choice.ts";
import { checkOutput, networkBytes, readBytes, readData, writeWhole } from "../files.ts";
import { imageInput, isPng, pngBytes, type Scaling } from "../images.ts";
import { inputsFromFiles, randomInput, requireInputs } from "../inputs.ts";
import { loadGraph, settled } from "../model.ts";
import { type CommonOptions, number, print, printJson, table } from "../output.ts";
import { progressBar } from "../progress.ts";
import { UsageError } from "../usage-error.ts";

interface Options extends CommonOptions {
  readonly input?: readonly string[];
  readonly random?: boolean;
  readonly target?: string;
  readonly method: string;
  readonly composite?: string;
  readonly output?: string;
  readonly shape?: readonly string[];
  readonly out?: string;
  readonly graph?: string;
  readonly png?: string;
  readonly svg?: string;
  readonly colours: string;
  readonly magnify?: number;
  readonly tokens?: string;
  readonly mask?: string;
  readonly evaluate?: boolean;
  readonly ledger?: boolean;
  readonly low?: readonly number[];
  readonly high?: readonly number[];
  readonly mean?: readonly number[];
  readonly deviation?: readonly number[];
  readonly baseline: readonly number[];
  readonly patch?: number;
  readonly samples?: number;
  readonly root?: string;
  readonly probability?: boolean;
  readonly canonize: boolean;
  readonly precision: string;
}

/** `lemmata explain net.onnx --input x.npy` */
export default async function explainCommand(path: string, options: Options): Promise<void> {
  const map = oneOf("--colours", options.colours, colourMaps);
  checkOutput("--out", options.out, ".npy", ".npz", ".csv", ".json");
  checkOutput("--graph", options.graph, ".onnx");
  checkOutput("--png", options.png, ".png");
  checkOutput("--svg", options.svg, ".svg");
  if (options.graph !== undefined && options.method !== "lrp")
    throw new UsageError(`--graph is for --method lrp, not ${options.method}`);
  if (options.mask !== undefined && !options.evaluate) throw new UsageError("--mask is for --evaluate");
  const graph = widenHalf(settled(await loadGraph(path), { shape: options.shape ?? [] }));
  const inputs = readInputs(graph, options);
  const settings = settingsOf(options);
  const bar = progressBar("explaining", options);
  const found = await explain(graph, inputs, settings);
  const judged = options.evaluate ? await judge(graph, inputs, settings, options, bar) : undefined;
  await bar.done();
  const words = options.tokens === undefined ? undefined : wordRelevance(found, options.tokens);
  await write(graph, inputs, found, settings, options, map, words);
  if (options.json) return printJson(record(found, judged, words));
  show(found, options, words);
  if (judged) showJudgement(judged);
  for (const file of [options.out, options.graph, options.png, options.svg])
    if (file !== undefined && !options.quiet) print(`written: ${file}`);
}

function readInputs(graph: Graph, options: Options): Record<string, Tensor> {
  const files = options.input ?? [];
  if (files.length === 0 && !options.random)
    throw new UsageError("say what is to be explained: --input x.npy, or an image as .png, or try --random");
  const scaling: Scaling = { mean: options.mean ?? [0], deviation: options.deviation ?? [1] };
  const given: Record<string, Tensor> = inputsFromFiles(
    graph,
    files.filter((file) => !isPng(file)),
  );
  for (const file of files.filter(isPng)) {
    const [, named, image] = /^([^=/]+)=(.+)$/.exec(file) ?? [];
    const wanted = requiredInputs(graph);
    const input = named === undefined ? wanted[0] : wanted.find((i) => i.name === named);
    if (!input || Object.hasOwn(given, input.name))
      throw new UsageError(`${file} is for no input that is free; write --input NAME=${image ?? file}`);
    given[input.name] = imageInput(image ?? file, input, scaling);
  }
  if (options.random)
    for (const input of requiredInputs(graph)) given[input.name] ??= randomInput(input, options.seed);
  requireInputs(graph, given, ", or try --random");
  return given;
}

/** A box for inputs: as given, or what an image can be after it was scaled. */
function boundsOf({ low, high, mean, deviation, input }: Options): Bounds | undefined {
  const one = (v: readonly number[]): number | readonly number[] => (v.length === 1 ? v[0]! : v);
  if (low || high) return { low: one(low ?? [0]), high: one(high ?? [1]) };
  if (!(input ?? []).some(isPng)) return undefined;
  const [m, d] = [mean ?? [0], deviation ?? [1]];
  return {
    low: one(m.map((v, k) => -v / (d[k] ?? d[0]!))),
    high: one(m.map((v, k) => (1 - v) / (d[k] ?? d[0]!))),
  };
}

function compositeOf({ composite }: Options): string | Composite | undefined {
  if (composite === undefined || !composite.endsWith(".json")) return composite;
  return readComposite(new TextDecoder().decode(readBytes(composite)));
}

function settingsOf(options: Options): ExplainOptions {
  const method = oneOf("--method", options.method, methodNames);
  const composite = compositeOf(options);
  if (composite !== undefined && method !== "lrp")
    throw new UsageError(`--composite is for --method lrp, not ${method}`);
  if (options.probability && method !== "occlusion")
    throw new UsageError(`--probability is for --method occlusion, not ${method}`);
  if (options.root !== undefined && method !== "taylor")
    throw new UsageError(`--root is for --method taylor, not ${method}`);
  const bounds = boundsOf(options);
  if (options.baseline.length > 1) throw new UsageError("--baseline takes one number");
  return {
    method,
    target: parseTarget(options.target),
    baseline: options.baseline[0] ?? 0,
    canonize: options.canonize,
    precision: oneOf("--precision", options.precision, ["float32", "float64"] as const),
    seed: options.seed,
    ...(composite !== undefined && { composite }),
    ...(bounds && { bounds }),
    ...(options.output !== undefined && { output: options.output }),
    ...(options.patch !== undefined && { patch: options.patch }),
    ...(options.samples !== undefined && { samples: options.samples }),
    ...(options.probability && { probability: true }),
    ...(options.root !== undefined && {
      root: oneOf("--root", options.root, ["origin", "near-origin", "segment", "nearest"] as const),
    }),
  };
}

interface Judgement {
  readonly assessments: readonly Assessment[];
  readonly randomization: readonly Randomization[];
}

async function judge(
  graph: Graph,
  inputs: Readonly<Record<string, Tensor>>,
  settings: ExplainOptions,
  options: Options,
  bar: ReturnType<typeof progressBar>,
): Promise<Judgement> {
  const mask = options.mask === undefined ? undefined : Object.values(readData(options.mask))[0];
  return {
    assessments: await assess(graph, inputs, contestants(settings), {
      ...settings,
      ...(mask && { mask }),
      onProgress: (done, of) => bar.update(done / of),
    }),
    randomization: await randomization(graph, inputs, settings),
  };
}

interface Words {
  readonly words: readonly string[];
  readonly relevance: readonly number[];
}

const rowSum = (t: Tensor, place: number, places: number): number => {
  const width = elementCount(t.dims) / places;
  return Array.from(numbers(t).slice(place * width, (place + 1) * width)).reduce((sum, v) => sum + v, 0);
};

/** Where words can be: the rows of a table, one after the other, or the numbers of a vector. */
const placesIn = ({ dims }: Tensor): number =>
  dims.length >= 3 || dims[0] !== 1 ? elementCount(dims.slice(0, -1)) : elementCount(dims);

/** One word a line; each has the sum of the rows that it looks up. */
function wordRelevance({ relevance, scores }: Explanation, file: string): Words {
  if (scores.length > 1) throw new UsageError(`--tokens is for one example, and there are ${scores.length}`);
  const words = new TextDecoder().decode(readBytes(file)).trimEnd().split(/\r?\n/);
  const all = [...relevance.values()];
  const fitting = all.filter((t) => placesIn(t) === words.length);
  if (fitting.length === 0)
    throw new UsageError(`${file} has ${words.length} words, the input ${placesIn(all[0]!)} places`);
  const sums = words.map((_, place) => fitting.reduce((sum, t) => sum + rowSum(t, place, words.length), 0));
  return { words, relevance: sums };
}

/** A picture for each example; where the first axis is that of steps, one for all of them. */
function planes({ relevance, scores }: Explanation): Plane[] {
  const [first] = [...relevance.values()];
  const { dims } = first!;
  const isBatch = dims.length > 1 && dims[0] === scores.length;
  const [count, own] = isBatch ? [scores.length, dims.slice(1)] : [1, dims.filter((d) => d !== 1)];
  const values = numbers(first!);
  const size = values.length / count;
  return Array.from({ length: count }, (_, n) =>
    planeOf(values.slice(n * size, (n + 1) * size), [1, ...own]),
  );
}

/** All that is asked for is made before any of it is written. */
async function write(
  graph: Graph,
  inputs: Readonly<Record<string, Tensor>>,
  found: Explanation,
  settings: ExplainOptions,
  { out, graph: file, png, svg, magnify }: Options,
  map: ColourMap,
  words: Words | undefined,
): Promise<void> {
  const files = new Map<string, Uint8Array | string>();
  if (out !== undefined) files.set(out, encodeData(out, Object.fromEntries(found.relevance)));
  if (file !== undefined) {
    const prepared = await prepare(graph, inputs, { ...settings, precision: "float32" });
    const { chosen } = chosenComposite(prepared, settings);
    files.set(file, networkBytes(relevanceGraph(prepared, chosen, found.target).graph));
  }
  if (png !== undefined || (svg !== undefined && !words)) {
    const all = planes(found);
    const factor = magnify ?? Math.max(1, Math.floor(280 / Math.max(all[0]!.columns, all[0]!.rows)));
    if (png !== undefined) files.set(png, pngBytes(heatmap(all, map, factor)));
    if (svg !== undefined && !words) files.set(svg, heatmapSvg(all, map));
  }
  if (svg !== undefined && words) files.set(svg, wordsSvg(words.words, words.relevance, map));
  for (const [path, content] of files) writeWhole(path, content);
}

const single = <T>(values: readonly T[]): T | readonly T[] => (values.length === 1 ? values[0]! : values);

function record(found: Explanation, judged: Judgement | undefined, words: Words | undefined) {
  const { method, composite, target, classes, scores, sums, conservationError, ledger, details, notes } =
    found;
  return {
    method,
    ...(composite !== undefined && { composite }),
    target:
      target.kind === "contrast"
        ? `${target.index}-${target.against}`
        : target.kind === "all"
          ? "all"
          : single(classes),
    score: single(scores),
    relevanceSum: single(sums),
    conservationError: Number.isNaN(conservationError) ? null : conservationError,
    ...(found.imbalance && { imbalance: { node: found.imbalance.row.node, by: found.imbalance.by } }),
    ...(ledger && { ledger: ledger.map(({ operator: _, ...row }) => row) }),
    shape: single([...found.relevance.values()].map(({ dims }) => dims)),
    ...(Object.keys(details).length > 0 && { details }),
    ...(words && { words: words.words.map((word, k) => ({ word, relevance: words.relevance[k] })) }),
    ...(judged && { evaluation: judged }),
    notes,
  };
}

function show(found: Explanation, options: Options, words: Words | undefined): void {
  const { method, composite, classes, scores, sums, conservationError, ledger, details, target } = found;
  const what =
    target.kind === "contrast"
      ? `class ${target.index} against ${target.against}`
      : target.kind === "all"
        ? "all scores"
        : "class";
  print(`${method}${composite === undefined ? "" : `, ${composite}`}`);
  scores.forEach((score, n) => {
    const name = what === "class" ? `class ${classes[n]}` : what;
    const which = scores.length > 1 ? `example ${n}: ` : "";
    print(`${which}${name}: score ${number(score)}, relevance ${number(sums[n]!)}`);
  });
  if (ledger && !options.quiet) showLedger(ledger);
  const taken = (key: "bias" | "absorbed"): number => (ledger ?? []).reduce((s, row) => s + row[key], 0);
  if (ledger)
    print(
      `biases took ${number(taken("bias"))}, stabilizers ${number(taken("absorbed"))}; the books are off by ${number(conservationError)}`,
    );
  if (found.imbalance)
    print(
      `not balanced: ${printableName(found.imbalance.row.node)} (${found.imbalance.row.rule}) is off by ${number(found.imbalance.by)}`,
    );
  for (const [key, value] of Object.entries(details)) print(`${key}: ${number(value)}`);
  if (words)
    print(
      table(
        ["word", "relevance"],
        words.words.map((word, k) => [printableName(word), number(words.relevance[k]!)]),
      ),
    );
  if (!options.quiet) for (const note of found.notes) print(`note: ${note}`);
}

function showLedger(ledger: NonNullable<Explanation["ledger"]>): void {
  const rows = ledger.filter(({ rule }) => !/^(pass|route)$/.test(rule));
  print(
    table(
      ["node", "operator", "rule", "in", "out", "bias", "absorbed"],
      rows.map((row) => [
        printableName(row.node),
        row.operator,
        row.rule,
        ...[row.in, row.out, row.bias, row.absorbed].map(number),
      ]),
    ),
  );
}

function showJudgement({ assessments, randomization: changes }: Judgement): void {
  const shown = ({ mean, plusMinus }: { readonly mean: number; readonly plusMinus: number }): string =>
    Number.isNaN(plusMinus) ? number(mean) : `${number(mean)} ± ${number(plusMinus)}`;
  const hasMask = assessments.some(({ mass }) => mass);
  const ranked = assessments.toSorted((a, b) => b.between.mean - a.between.mean);
  print(
    "\npixels taken away: how far the score falls (the more the better), and the gap between both orders",
  );
  print(
    table(
      ["method", "drop", "gap", ...(hasMask ? ["mass on mask", "rank on mask", "hits"] : [])],
      ranked.map(({ name, drop, between, mass, rank, hits }) => [
        name,
        shown(drop),
        shown(between),
        ...(hasMask ? [mass, rank, hits].map((v) => (v ? shown(v) : "")) : []),
      ]),
    ),
  );
  print(
    "\nweights shuffled from the top: rank correlation with the explanation (near 0: it depends on them)",
  );
  print(
    table(
      ["layers", "correlation"],
      changes.map(({ layers, correlation }) => [`${layers}`, shown(correlation)]),
    ),
  );
}
