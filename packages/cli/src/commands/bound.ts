import { boxAround, linearBoundsInTime, milpBounds, splitBounds } from "@lemmata/core/bounds";
import { run, TimeOver } from "@lemmata/core/engine";
import { endingAt, type Graph, GraphError, numbers, startingFrom, withShapes } from "@lemmata/core/graph";
import { inputShapes, type NamedBox, outputBounds } from "@lemmata/core/passes";
import { type InputBox, inputBox } from "../box.ts";
import { oneOf } from "../choice.ts";
import { elapsed } from "../elapsed.ts";
import { inputsFromFiles, requireInputs } from "../inputs.ts";
import { type Lipschitz, lipschitzOn, lipschitzSummary, lipschitzTable } from "../lipschitz.ts";
import { milpSolver } from "../milp-solver.ts";
import { type InterfaceOptions, loadGraph, settled } from "../model.ts";
import {
  atLeast,
  atMost,
  type CommonOptions,
  number,
  print,
  printJson,
  secondsText,
  table,
} from "../output.ts";
import { interruptSignal, progressBar } from "../progress.ts";
import { Undecided, UsageError } from "../usage-error.ts";

interface Options extends CommonOptions, InterfaceOptions {
  readonly on?: string;
  readonly input?: readonly string[];
  readonly radius?: number;
  readonly from?: readonly string[];
  readonly method?: string;
  readonly time?: number;
  readonly lipschitz?: boolean;
}

/** Bounds of all outputs, flat, with a name for each. */
interface Bounds {
  readonly names: readonly string[];
  readonly lower: ArrayLike<number>;
  readonly upper: ArrayLike<number>;
  /** False: with more time they might be tighter. */
  readonly complete?: boolean;
}

interface Limits {
  readonly seconds?: number;
  readonly signal: AbortSignal;
  readonly onProgress: (fraction: number, boxes: number) => void;
}

/** How bounds are found, by name: all of them proved but `milp`, whose solver computes with tolerances. */
const methods: Readonly<
  Record<string, (graph: Graph, box: InputBox, limits: Limits) => Bounds | Promise<Bounds>>
> = {
  interval: intervalMethod,
  linear: (graph, box, limits) => linearBoundsInTime(graph, box, limits),
  split: (graph, box, limits) => splitBounds(graph, box, limits),
  milp: async (graph, box, limits) => {
    const { solve, end } = milpSolver(limits.signal);
    return milpBounds(graph, box, solve, { seconds: milpSeconds, ...limits }).finally(end);
  },
};

/** Programs of large networks are never solved, so there is a limit also without --time. */
const milpSeconds = 60;

/** The loosest bounds are tried for so many seconds, however little time there is. */
const leastSeconds = 2;

const strengthOf = (method: string): string => (method === "milp" ? "checked" : "proved");

/** The method asked for; else linear relaxation, or intervals where it has no rule for an operator. */
async function found(graph: Graph, box: InputBox, limits: Limits, asked: string | undefined) {
  const method = asked ?? "linear";
  try {
    return { method, bounds: await methods[method]!(graph, box, limits) };
  } catch (error) {
    if (asked || !(error instanceof GraphError)) throw error;
    return { method: "interval", bounds: intervalMethod(graph, box, limits) };
  }
}

/** A flat box as one of named inputs. */
function namedBox(graph: Graph, { lower, upper }: InputBox): NamedBox {
  let start = 0;
  return Object.fromEntries(
    inputShapes(graph).map(({ name, dims }) => {
      const end = start + dims.reduce((n, d) => n * d, 1);
      const side = { lower: lower.slice(start, end), upper: upper.slice(start, end) };
      start = end;
      return [name, side];
    }),
  );
}

/** `y` for an output of one number, `Y[3]` for the fourth number of a longer one. */
function intervalMethod(graph: Graph, box: InputBox, { seconds = Number.POSITIVE_INFINITY }: Limits): Bounds {
  const start = performance.now();
  const isOver = (): boolean => secondsSince(start) > Math.max(seconds, leastSeconds);
  const outputs = [...outputBounds(graph, namedBox(graph, box), isOver)];
  return {
    names: outputs.flatMap(([name, { lower }]) =>
      lower.length === 1 ? [name] : Array.from(lower, (_, k) => `${name}[${k}]`),
    ),
    lower: outputs.flatMap(([, { lower }]) => [...lower]),
    upper: outputs.flatMap(([, { upper }]) => [...upper]),
  };
}

interface Question {
  readonly graph: Graph;
  readonly box: InputBox;
}

/** The part of the network that is asked about, and where. */
async function questionOf(whole: Graph, { on, input, radius, from = [] }: Options): Promise<Question> {
  if (on !== undefined && input) throw new UsageError("--on and --input: one of them, not both");
  if (on === undefined && !input)
    throw new UsageError('say where: --on "x=0..1, y=-1..1", --on 0..1, or --input x.npy --radius 0.01');
  if ((input === undefined) !== (radius === undefined))
    throw new UsageError(input ? "say how far from the data: --radius 0.01" : "--radius is for --input");
  if (on !== undefined) {
    const graph = startingFrom(whole, from);
    return { graph, box: inputBox(graph, on) };
  }
  const data = inputsFromFiles(whole, input!);
  requireInputs(whole, data, "");
  const shaped = withShapes(whole, new Map(Object.entries(data).map(([name, { dims }]) => [name, dims])));
  if (from.length === 0)
    return {
      graph: shaped,
      box: boxAround(shaped, (name) => ({ data: numbers(data[name]!) as Float64Array, radius: radius! })),
    };
  const inside = await run(endingAt(shaped, from), data, { optimization: "none" });
  const rest = startingFrom(shaped, from);
  const graph = withShapes(rest, new Map(from.map((name) => [name, inside[name]!.dims])));
  const around = (name: string) => ({
    data: numbers(inside[name] ?? data[name]!) as Float64Array,
    radius: inside[name] ? radius! : 0,
  });
  return { graph, box: boxAround(graph, around) };
}

/** `lemmata bound net.onnx --on "x=0..1, y=-1..1"` */
export default async function boundCommand(path: string, options: Options): Promise<void> {
  const asked = options.method && oneOf("--method", options.method, Object.keys(methods));
  if (options.time !== undefined && !(options.time > 0))
    throw new UsageError("--time takes a number of seconds above 0");
  const { graph, box } = await questionOf(settled(await loadGraph(path), options), options);
  const bar = progressBar("bound", options);
  const signal = interruptSignal();
  const began = performance.now();
  const share = options.time === undefined ? {} : { seconds: lipschitzShare * options.time };
  const constants = options.lipschitz
    ? await lipschitzOn(graph, namedBox(graph, box), { signal, ...share })
    : undefined;
  const left = options.time === undefined ? {} : { seconds: options.time - secondsSince(began) };
  const limits = {
    ...left,
    signal,
    onProgress: (fraction: number, boxes: number) =>
      bar.update(fraction, boxes > 1 ? `${number(boxes)} boxes` : ""),
  };
  const { method, bounds } = await found(graph, box, limits, asked)
    .catch((error: unknown) => noTime(error, options))
    .finally(() => bar.done());
  const seconds = elapsed();
  if (options.json) return printJson(summary(graph, bounds, method, seconds, constants));
  print(table(["output", "lower", "upper", ""], rowsOf(bounds, strengthOf(method)), [1, 2]));
  if (constants) print(`\n${lipschitzTable(constants)}`);
  const short = bounds.complete === false ? ", before it was done: more --time may give tighter bounds" : "";
  if (!options.quiet)
    print(
      `\nmethod ${method}, ${secondsText(seconds)}${short}; about the real function of the stored weights`,
    );
}

/** Branch and bound takes all the time that it gets: Lipschitz constants come first, with this share of it at most. */
const lipschitzShare = 0.5;
const secondsSince = (start: number): number => (performance.now() - start) / 1000;

/** Not even the loosest bounds were there in time: undecided, in one line. */
function noTime(error: unknown, { time }: Options): never {
  if (!(error instanceof TimeOver)) throw error;
  throw new Undecided(`no bounds in ${time} s: those by intervals, the loosest, take longer (--time)`);
}

function summary(
  graph: Graph,
  { names, lower, upper, complete }: Bounds,
  method: string,
  seconds: number,
  constants: Lipschitz | undefined,
) {
  const named = graph.outputs.length > 1;
  return {
    outputs: names.map((name, k) => ({ ...(named ? { name } : {}), lower: lower[k], upper: upper[k] })),
    method,
    strength: strengthOf(method),
    ...(complete === undefined ? {} : { complete }),
    seconds,
    ...(constants && { lipschitz: lipschitzSummary(constants) }),
  };
}

const shownRows = 100;

function rowsOf({ names, lower, upper }: Bounds, strength: string): string[][] {
  const rows = names
    .slice(0, shownRows)
    .map((name, k) => [name, atLeast(lower[k]!), atMost(upper[k]!), strength]);
  return names.length > shownRows
    ? [...rows, [`... and ${names.length - shownRows} more (--json has all)`, "", "", ""]]
    : rows;
}
