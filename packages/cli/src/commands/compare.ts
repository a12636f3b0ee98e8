import type { Graph } from "@lemmata/core/graph";
import { numbers } from "@lemmata/core/graph";
import {
  type Comparison,
  compareNetworks,
  inputSize,
  type NodeDifference,
  nodeDifferences,
} from "@lemmata/core/symmetry/compare";
import { type InputBox, inputBox } from "../box.ts";
import { readData } from "../files.ts";
import { loadGraph } from "../model.ts";
import { type CommonOptions, number, print, printJson, table } from "../output.ts";
import { interruptSignal, progressBar } from "../progress.ts";
import { UsageError } from "../usage-error.ts";

interface Options extends CommonOptions {
  readonly on?: string;
  readonly data?: string;
  readonly tolerance?: number;
  readonly atol: number;
  readonly rtol: number;
  readonly timeout: number;
  readonly tighten?: boolean;
}

/** Networks that differ: exit code 1. */
const negative = 1;
/** Nodes are looked at on no more points than this. */
const mostTraced = 200;

/** The rows of a data file as flat inputs of a network. */
function dataPoints(graph: Graph, path: string): readonly Float64Array[] {
  const size = inputSize(graph);
  const tensors = Object.values(readData(path));
  if (tensors.length !== 1)
    throw new UsageError(
      `${path}: ${tensors.length} tensors; one is needed, with a row of ${size} numbers for each input`,
    );
  const values = Float64Array.from(numbers(tensors[0]!), Number);
  if (values.length === 0 || values.length % size !== 0)
    throw new UsageError(`${path}: ${values.length} numbers are no rows of ${size}, which the network takes`);
  const wrong = values.findIndex((v) => !Number.isFinite(v));
  if (wrong >= 0) throw new UsageError(`${path}: number ${wrong} is ${values[wrong]}`);
  return Array.from({ length: values.length / size }, (_, k) => values.slice(k * size, (k + 1) * size));
}

/** The least box around points. */
const rangeOf = (points: readonly Float64Array[]) => ({
  lower: points.reduce((low, x) => low.map((v, i) => Math.min(v, x[i]!)), points[0]!),
  upper: points.reduce((high, x) => high.map((v, i) => Math.max(v, x[i]!)), points[0]!),
});

/** What holds of the nodes on the data. */
function nodeSummary(rows: readonly NodeDifference[]) {
  const outputs = rows.filter(({ isOutput }) => isOutput);
  const diverging = rows.find(({ agrees }) => !agrees);
  return {
    rows,
    ...(diverging && { firstDiverging: diverging.first }),
    agree: outputs.every(({ agrees }) => agrees),
    leastAtol: outputs.reduce((m, { leastAtol }) => Math.max(m, leastAtol), 0),
    leastRtol: outputs.reduce((m, { leastRtol }) => Math.max(m, leastRtol), 0),
  };
}

/** `lemmata compare a.onnx b.onnx --on "x=0..1"` */
export default async function compareCommand(first: string, second: string, options: Options): Promise<void> {
  if (!(options.timeout > 0)) throw new UsageError("--timeout takes a number of seconds above 0");
  const [a, b] = [await loadGraph(first), await loadGraph(second)];
  const points = options.data === undefined ? [] : dataPoints(a, options.data);
  const box =
    options.on !== undefined ? inputBox(a, options.on) : points.length > 0 ? rangeOf(points) : undefined;
  const bar = progressBar("compare", options);
  const signal = interruptSignal();
  const result = await compareNetworks(a, b, {
    ...(box && { box }),
    ...(options.tolerance !== undefined && { tolerance: options.tolerance }),
    points,
    seconds: options.timeout,
    seed: options.seed,
    tighten: options.tighten ?? false,
    signal,
    onProgress: (fraction, boxes) => bar.update(fraction, `${number(boxes)} boxes`),
  });
  const shown = points.length > 0 ? points : result.witness ? [result.witness.at] : [];
  const traced =
    shown.length > 0
      ? await nodeDifferences(a, b, shown.slice(0, mostTraced), options, {
          symmetry: result.symmetry,
          signal,
        })
      : undefined;
  const nodes = traced && { ...nodeSummary(traced), points: Math.min(shown.length, mostTraced) };
  bar.done();
  if (result.verdict === "different") process.exitCode = negative;
  if (options.json) printJson(asJson(result, nodes));
  else show(result, nodes, box && "names" in box ? box.names : undefined, options);
}

type Nodes = ReturnType<typeof nodeSummary> & { readonly points: number };

const asJson = ({ witness, ...result }: Comparison, nodes: Nodes | undefined) => ({
  ...result,
  ...(witness && {
    witness: {
      at: [...witness.at],
      first: [...witness.first],
      second: [...witness.second],
      difference: witness.difference,
    },
  }),
  ...(nodes && { nodes }),
});

/** Bounds are rounded outward: what is printed still holds. */
const up = (value: number): string => {
  if (!Number.isFinite(value)) return "no bound";
  const digits = Number(value.toPrecision(4));
  return number(digits >= value ? digits : Number((digits * 1.001).toPrecision(4)));
};
const down = (value: number): string => {
  const digits = Number(value.toPrecision(4));
  return number(digits <= value ? digits : Number((digits / 1.001).toPrecision(4)));
};

/** A point as --on takes it, shortened. */
function pointText(at: readonly number[], names: readonly string[] | undefined): string {
  const most = 6;
  const entries = at.slice(0, most).map((v, i) => `${names?.[i] ?? `x${i}`}=${v}`);
  return entries.join(", ") + (at.length > most ? `, ... (${at.length} numbers, --json has all)` : "");
}

function show(
  result: Comparison,
  nodes: Nodes | undefined,
  names: InputBox["names"] | undefined,
  { quiet, on, data, tolerance }: Options,
): void {
  const { verdict, strength, because, maxDifference, witness, symmetry, boxes, seconds } = result;
  const where = on ? "on the box" : data ? "on the range of the data" : "on -1..1";
  print(verdict === "within" ? `within ${down(result.tolerance)}, ${strength}` : `${verdict}, ${strength}`);
  if (because) print(`  ${because}`);
  const isProvedEqual = verdict === "equivalent" && strength === "proved";
  if (!isProvedEqual)
    print(
      `  greatest difference ${where}: ${down(maxDifference.lower)} seen, ${up(maxDifference.upper)}${Number.isFinite(maxDifference.upper) ? " proved" : ""}` +
        (tolerance === undefined ? `; rounding of the runtime: up to ${up(result.tolerance)}` : ""),
    );
  if (witness) {
    print(`  at ${pointText([...witness.at], names)}`);
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
    `\n${boxes > 0 ? `${number(boxes)} ${boxes === 1 ? "box" : "boxes"}, ` : ""}${number(Number(seconds.toFixed(2)))} s`,
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
  { rows, firstDiverging, points, agree, leastAtol, leastRtol }: Nodes,
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
    print(`first to differ: ${firstDiverging}`);
    if (agree && !symmetry)
      print("hidden values that differ while outputs agree are units in another order, scale or sign");
  }
  print(`outputs agree from --atol ${up(leastAtol)} or --rtol ${up(leastRtol)} on`);
}
