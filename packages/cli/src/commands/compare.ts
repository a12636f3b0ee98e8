import {
  type Comparison,
  compareWithNodes,
  comparisonPoints,
  comparisonRecord,
  type NodeReport,
} from "@lemmata/core/equivalence";
import { type Graph, requiredInputs, type ValueInfo } from "@lemmata/core/graph";
import { type InputBox, inputBox } from "../box.ts";
import { elapsed } from "../elapsed.ts";
import { negative, undecided } from "../exit-code.ts";
import { readData } from "../files.ts";
import { type InterfaceOptions, loadGraph, settled } from "../model.ts";
import {
  atLeast,
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
  readonly data?: string;
  readonly tolerance?: number;
  readonly atol: number;
  readonly rtol: number;
  readonly timeout: number;
  readonly tighten?: boolean;
}

/** `lemmata compare a.onnx b.onnx --on "x=0..1"` */
export default async function compareCommand(first: string, second: string, options: Options): Promise<void> {
  if (!(options.timeout > 0)) throw new UsageError("--timeout takes a number of seconds above 0");
  const [a, b] = both(await loadGraph(first), await loadGraph(second), options);
  const points = options.data === undefined ? [] : comparisonPoints(a, readData(options.data), options.data);
  const box = options.on === undefined ? undefined : inputBox(a, options.on);
  const bar = progressBar("compare", options);
  const { result, nodes } = await compareWithNodes(a, b, {
    ...(box && { box }),
    ...(options.tolerance !== undefined && { tolerance: options.tolerance }),
    points,
    seconds: options.timeout,
    seed: options.seed,
    tighten: options.tighten ?? false,
    atol: options.atol,
    rtol: options.rtol,
    signal: interruptSignal(),
    onProgress: (fraction, boxes) => bar.update(fraction, `${number(boxes)} boxes`),
  });
  bar.done();
  if (result.verdict === "different") process.exitCode = negative;
  if (result.verdict === "unknown") process.exitCode = undecided;
  if (options.json) printJson(comparisonRecord({ result: { ...result, seconds: elapsed() }, nodes }));
  else show(result, nodes, box?.names, options);
}

/** Both with what is settled of the first; where the second has other names, inputs and outputs are told by place. */
function both(a: Graph, b: Graph, { shape = [], output = [] }: InterfaceOptions): readonly [Graph, Graph] {
  const renamed = (
    text: string,
    from: readonly ValueInfo[],
    to: readonly ValueInfo[],
    name: string,
  ): string => {
    const at = from.findIndex((value) => value.name === name);
    return to.some((value) => value.name === name) || !to[at] ? text : to[at].name + text.slice(name.length);
  };
  const [first, second] = [requiredInputs(a), requiredInputs(b)];
  return [
    settled(a, { shape, output }),
    settled(b, {
      shape: shape.map((text) => renamed(text, first, second, text.slice(0, text.lastIndexOf(":")))),
      output: output.map((name) => renamed(name, a.outputs, b.outputs, name)),
    }),
  ];
}

/** Bounds are rounded outward: what is printed still holds. */
const up = (value: number): string => (Number.isFinite(value) ? atMost(value, 4) : "no bound");
const down = (value: number): string => atLeast(value, 4);

/** A point as --on takes it, shortened. */
function pointText(at: readonly number[], names: readonly string[] | undefined): string {
  const most = 6;
  const entries = at.slice(0, most).map((v, i) => `${names?.[i] ?? `x${i}`}=${v}`);
  return entries.join(", ") + (at.length > most ? `, ... (${at.length} numbers, --json has all)` : "");
}

function show(
  result: Comparison,
  nodes: NodeReport | undefined,
  names: InputBox["names"] | undefined,
  { quiet, on, data, tolerance }: Options,
): void {
  const { verdict, strength, because, maxDifference, witness, symmetry, boxes } = result;
  const where = on ? "on the box" : data ? "on the range of the data" : "on -1..1";
  print(verdict === "within" ? `within ${down(result.tolerance)}, ${strength}` : `${verdict}, ${strength}`);
  if (because) printLine(`  ${because}`);
  const isProvedEqual = verdict === "equivalent" && strength === "proved";
  if (!isProvedEqual)
    print(
      `  greatest difference ${where}: ${down(maxDifference.lower)} seen, ${up(maxDifference.upper)}${Number.isFinite(maxDifference.upper) ? " proved" : ""}` +
        (tolerance === undefined ? `; rounding of the runtime: up to ${up(result.tolerance)}` : ""),
    );
  if (witness) {
    printLine(`  at ${pointText([...witness.at], names)}`);
    print(
      `  output ${maxDifference.output ?? witness.output}: ${witness.first[witness.output]} against ${witness.second[witness.output]}`,
    );
  }
  if (symmetry && symmetry.length > 0) print(`\n${symmetryTable(symmetry)}`);
  if (nodes && nodes.rows.length > 0) showNodes(nodes, result);
  if (quiet) return;
  if (verdict === "unknown" && Number.isFinite(maxDifference.upper))
    print(
      `\nmore time (--timeout), a smaller box (--on), or --tolerance ${up(maxDifference.upper)} would decide it`,
    );
  print(
    `\n${boxes > 0 ? `${number(boxes)} ${boxes === 1 ? "box" : "boxes"}, ` : ""}${secondsText(elapsed())}`,
  );
}

function symmetryTable(symmetry: NonNullable<Comparison["symmetry"]>): string {
  const rows = symmetry.map(({ node, from, factor }) => {
    const moved = from.filter((s, k) => s !== k && s >= 0).length;
    const alone = from.filter((s) => s < 0).length;
    const flipped = factor?.filter((c) => c < 0).length ?? 0;
    const scaled = factor?.filter((c) => Math.abs(c) !== 1).length ?? 0;
    return [node, from.length, moved, scaled, flipped, alone].map(String);
  });
  return table(["layer", "units", "moved", "scaled", "flipped", "alone"], rows, [1, 2, 3, 4, 5]);
}

const shownNodes = 40;

function showNodes(
  { rows, firstDiverging, points, agree, leastAtol, leastRtol }: NodeReport,
  { symmetry }: Comparison,
): void {
  const cut = rows.length > shownNodes ? [...rows.slice(0, shownNodes - 1), rows.at(-1)!] : rows;
  const body = cut.map((r) => [
    r.first,
    r.second === r.first ? "" : r.second,
    number(Number(r.difference.toPrecision(3))),
    number(Number(r.scale.toPrecision(3))),
    r.agrees ? "" : "differs",
  ]);
  print(`\non ${points === 1 ? "that point" : `${number(points)} points of the data`}:`);
  if (symmetry) print("(units of the second network beside those of the first that they stand for)");
  print(table(["node", "other name", "difference", "values up to", ""], body, [2, 3]));
  if (rows.length > shownNodes) print(`(${rows.length - shownNodes} nodes left out, --json has all)`);
  if (firstDiverging !== undefined) {
    printLine(`first to differ: ${firstDiverging}`);
    if (agree && !symmetry)
      print("hidden values that differ while outputs agree are units in another order, scale or sign");
  }
  print(`outputs agree from --atol ${up(leastAtol)} or --rtol ${up(leastRtol)} on`);
}
