import type { LayerReduction, RemovalReason, Simplification } from "@lemmata/core/equivalence";
import { simplify } from "@lemmata/core/equivalence";
import { type Graph, subgraphs } from "@lemmata/core/graph";
import { inputBox } from "../box.ts";
import { elapsed } from "../elapsed.ts";
import { checkOutput, writeNetwork } from "../files.ts";
import { type InterfaceOptions, loadGraph, settled } from "../model.ts";
import {
  atMost,
  type CommonOptions,
  number,
  print,
  printJson,
  printLine,
  secondsText,
  table,
} from "../output.ts";
import { interruptSignal, progressBar } from "../progress.ts";
import { UsageError } from "../usage-error.ts";

interface Options extends CommonOptions, InterfaceOptions {
  readonly on?: string;
  readonly out?: string;
  readonly within?: number;
  readonly exact?: boolean;
  readonly time?: number;
}

function checkOptions({ on, within, exact, time, out }: Options): void {
  if (within !== undefined && on === undefined)
    throw new UsageError('--within is an error on a box: add --on "x=0..1, y=-1..1", or --on 0..1');
  if (within && exact) throw new UsageError("--exact allows no change, --within allows one: choose");
  if (time !== undefined && !(time > 0)) throw new UsageError("--time takes a number of seconds above 0");
  if (time !== undefined && on === undefined)
    throw new UsageError('--time is for bounds on a box: add --on "x=0..1, y=-1..1", or --on 0..1');
  checkOutput("--out", out, ".onnx");
}

/** `lemmata simplify net.onnx --on 0..1 --out small.onnx` */
export default async function simplifyCommand(path: string, options: Options): Promise<void> {
  checkOptions(options);
  const graph = settled(await loadGraph(path), options);
  const box = options.on === undefined ? undefined : inputBox(graph, options.on);
  const bar = progressBar("simplify", options);
  const found = await simplify(graph, {
    ...(box && { box }),
    ...(options.within !== undefined && { within: options.within }),
    ...(options.time !== undefined && { seconds: options.time }),
    exactOnly: options.exact ?? false,
    signal: interruptSignal(),
    onProgress: (share) => bar.update(share),
  }).finally(() => bar.done());
  const seconds = elapsed();
  if (options.out) writeNetwork(options.out, found.graph);
  if (options.json) {
    const { graph: _, ...rest } = found;
    return printJson({
      ...rest,
      larger: grownIn(found),
      operators: {
        before: Object.fromEntries(operatorCounts(graph)),
        after: Object.fromEntries(operatorCounts(found.graph)),
      },
      change: found.change ?? null,
      seen: found.seen ?? null,
      seconds,
    });
  }
  show(graph, found, options, seconds);
}

const reasons: readonly RemovalReason[] = ["dead", "constant", "unused", "merged", "active", "approximated"];

/** A bound that is shown with fewer digits is still one. */
const up = (value: number): string => atMost(value, 4);

function layerTable(layers: readonly LayerReduction[]): string {
  const used = reasons.filter((reason) => layers.some(({ removed }) => removed[reason]));
  const isAdded = layers.some(({ added }) => added > 0);
  const header = ["layer", "units", ...used, ...(isAdded ? ["linear added"] : []), "left"];
  const rows = layers.map(({ layer, before, after, added, removed }) => [
    layer,
    number(before),
    ...used.map((reason) => (removed[reason] ? number(removed[reason]) : "")),
    ...(isAdded ? [added ? number(added) : ""] : []),
    number(after),
  ]);
  return table(header, rows, header.map((_, k) => k).slice(1));
}

/** What the change is, in words. */
function changeText({ change, seen }: Simplification, hasBox: boolean): string {
  const where = hasBox ? "on the box" : "everywhere";
  if (change === 0) return `the same function ${where}, proved`;
  if (change === undefined)
    return hasBox
      ? "merged weights were rounded; no bounds are known for these operators, so the change has none"
      : "merged weights were rounded; with a box (--on) the change has a proved bound";
  return `outputs change by at most ${up(change)} ${where}, proved (${up(seen ?? 0)} seen)`;
}

/** What the result has more of than the model had: a folded constant may take more room than what computed it. */
export function grownIn({ before, after }: Pick<Simplification, "before" | "after">): readonly string[] {
  const kinds = [
    ["units", before.hiddenUnits, after.hiddenUnits],
    ["parameters", before.parameters, after.parameters],
    ["numbers that are not zero", before.nonzeros, after.nonzeros],
    ["depth", before.depth, after.depth],
  ] as const;
  return kinds.flatMap(([name, from, to]) =>
    from !== undefined && to !== undefined && to > from ? [`${name} ${number(from)} -> ${number(to)}`] : [],
  );
}

const shownFolded = 5;

/** How many nodes of each operator there were, and are. */
export function operatorCounts(graph: Graph): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const node of graph.nodes) {
    const name = node.domain ? `${node.domain}.${node.op}` : node.op;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    for (const inner of subgraphs(node))
      for (const [op, n] of operatorCounts(inner)) counts.set(op, (counts.get(op) ?? 0) + n);
  }
  return counts;
}

function operatorTable(before: Graph, after: Graph): string {
  const [from, to] = [operatorCounts(before), operatorCounts(after)];
  const total = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((n, c) => n + c, 0);
  const rows = [...new Set([...from.keys(), ...to.keys()])]
    .toSorted((p, q) => (p < q ? -1 : 1))
    .map((op) => [op, number(from.get(op) ?? 0), number(to.get(op) ?? 0)]);
  return table(
    ["operator", "before", "after"],
    [...rows, ["all nodes", number(total(from)), number(total(to))]],
    [1, 2],
  );
}

function show(source: Graph, found: Simplification, options: Options, seconds: number): void {
  const { before, after, removed, layers } = found;
  const folded = removed.filter(({ reason }) => reason === "folded");
  if (layers.length > 0) print(`${layerTable(layers)}\n`);
  for (const { layer } of folded.slice(0, shownFolded)) printLine(`folded: ${layer}`);
  if (folded.length > shownFolded)
    print(`... and ${number(folded.length - shownFolded)} more (--json has all)`);
  if (!options.quiet) print(`${folded.length > 0 ? "\n" : ""}${operatorTable(source, found.graph)}\n`);
  const isSmaller = removed.length > 0 || after.nonzeros < before.nonzeros;
  const counts = (of: (sizes: typeof before) => number | undefined, name: string): string => {
    const [from, to] = [of(before), of(after)];
    return from === undefined || to === undefined
      ? ""
      : `${name} ${number(from)}${to === from ? "" : ` -> ${number(to)}`}`;
  };
  const line = [
    counts((s) => s.hiddenUnits, "units"),
    counts((s) => s.parameters, "parameters"),
    counts((s) => s.nonzeros, "not zero"),
    counts((s) => s.depth, "depth"),
  ].filter(Boolean);
  print(
    isSmaller
      ? `${line.join(", ")}; ${changeText(found, options.on !== undefined)}`
      : `nothing can be removed: ${line.join(", ")}`,
  );
  const grown = grownIn(found);
  if (grown.length > 0) print(`larger than before: ${grown.join(", ")}`);
  if (options.quiet) return;
  if (options.on === undefined)
    print(
      "without a box (--on) only what holds everywhere is used: multiples, constants, unused units, nodes",
    );
  const written = options.out ? `written: ${options.out}; ` : "";
  print(`${written}${secondsText(seconds)}; about the real function of the stored weights`);
}
