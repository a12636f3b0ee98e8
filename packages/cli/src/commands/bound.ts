import { TimeOver } from "@lemmata/core/engine";
import { type Graph, GraphError } from "@lemmata/core/graph";
import {
  type Box,
  exactLipschitzConstant,
  inputShapes,
  linearBoundsInTime,
  lipschitzBound,
  localLipschitzBound,
  type MilpSolution,
  milpBounds,
  type NormOrder,
  outputBounds,
  splitBounds,
} from "@lemmata/core/passes";
import { type InputBox, inputBox } from "../box.ts";
import { oneOf } from "../choice.ts";
import { elapsed } from "../elapsed.ts";
import { loadGraph } from "../model.ts";
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

interface Options extends CommonOptions {
  readonly on?: string;
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

/** What the package exports, which its types do not say for an ES module. */
type LoadSolver = () => Promise<{ solve(problem: string, options: object): MilpSolution }>;

/** How bounds are found, by name: all of them proved but `milp`, whose solver computes with tolerances. */
const methods: Readonly<
  Record<string, (graph: Graph, box: InputBox, limits: Limits) => Bounds | Promise<Bounds>>
> = {
  interval: intervalMethod,
  linear: (graph, box, limits) => linearBoundsInTime(graph, box, limits),
  split: (graph, box, limits) => splitBounds(graph, box, limits),
  milp: async (graph, box, limits) => {
    const { default: load } = (await import("highs")) as unknown as { readonly default: LoadSolver };
    const solver = await load();
    const solve = (problem: string, seconds: number) =>
      solver.solve(problem, { mip_rel_gap: 0, time_limit: seconds });
    return milpBounds(graph, box, solve, { seconds: milpSeconds, ...limits });
  },
};

/** No JavaScript runs while HiGHS does, so there is a limit also without --time. */
const milpSeconds = 60;

const strengthOf = (method: string): string => (method === "milp" ? "checked" : "proved");

/** The method asked for; else linear relaxation, or intervals where it has no rule for an operator. */
async function found(graph: Graph, box: InputBox, limits: Limits, asked: string | undefined) {
  const method = asked ?? "linear";
  try {
    return { method, bounds: await methods[method]!(graph, box, limits) };
  } catch (error) {
    if (asked || !(error instanceof GraphError)) throw error;
    return { method: "interval", bounds: await methods["interval"]!(graph, box, limits) };
  }
}

/** A flat box as one of named inputs. */
function namedBox(graph: Graph, { lower, upper }: InputBox): Box {
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
  const outputs = [
    ...outputBounds(graph, namedBox(graph, box), () => performance.now() - start > 1000 * seconds),
  ];
  return {
    names: outputs.flatMap(([name, { lower }]) =>
      lower.length === 1 ? [name] : Array.from(lower, (_, k) => `${name}[${k}]`),
    ),
    lower: outputs.flatMap(([, { lower }]) => [...lower]),
    upper: outputs.flatMap(([, { upper }]) => [...upper]),
  };
}

const norms: Readonly<Record<string, NormOrder>> = { "1": 1, "2": 2, infinity: Number.POSITIVE_INFINITY };

interface LipschitzRow {
  readonly norm: string;
  readonly global: number | undefined;
  readonly local: number | undefined;
}

/** What cannot be bounded is left out, and the reason kept. */
function attempt<T>(find: () => T, reasons: Set<string>): T | undefined {
  try {
    return find();
  } catch (error) {
    reasons.add((error as Error).message);
    return undefined;
  }
}

function lipschitz(graph: Graph, box: InputBox) {
  const sides = namedBox(graph, box);
  const reasons = new Set<string>();
  const rows = Object.entries(norms).map(
    ([norm, order]): LipschitzRow => ({
      norm,
      global: attempt(() => lipschitzBound(graph, order), reasons),
      local: attempt(() => localLipschitzBound(graph, sides, order), reasons),
    }),
  );
  const isLine = box.names.length === 1 && box.lower[0]! < box.upper[0]!;
  const exact = isLine
    ? attempt(() => exactLipschitzConstant(graph, box.lower[0]!, box.upper[0]!), new Set())
    : undefined;
  if (rows.every((r) => r.global === undefined && r.local === undefined))
    throw new UsageError(`--lipschitz: ${[...reasons][0]}`);
  return { rows, exact, reasons: [...reasons] };
}

/** `lemmata bound net.onnx --on "x=0..1, y=-1..1"` */
export default async function boundCommand(path: string, options: Options): Promise<void> {
  const asked = options.method && oneOf("--method", options.method, Object.keys(methods));
  if (options.on === undefined) throw new UsageError('say where: --on "x=0..1, y=-1..1", or --on 0..1');
  if (options.time !== undefined && !(options.time > 0))
    throw new UsageError("--time takes a number of seconds above 0");
  const graph = await loadGraph(path);
  const box = inputBox(graph, options.on);
  const bar = progressBar("bound", options);
  const limits = {
    ...(options.time === undefined ? {} : { seconds: options.time }),
    signal: interruptSignal(),
    onProgress: (fraction: number, boxes: number) =>
      bar.update(fraction, boxes > 1 ? `${number(boxes)} boxes` : ""),
  };
  const { method, bounds } = await found(graph, box, limits, asked)
    .catch((error: unknown) => noTime(error, options))
    .finally(() => bar.done());
  const constants = options.lipschitz ? lipschitz(graph, box) : undefined;
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
  constants: ReturnType<typeof lipschitz> | undefined,
) {
  const named = graph.outputs.length > 1;
  return {
    outputs: names.map((name, k) => ({ ...(named ? { name } : {}), lower: lower[k], upper: upper[k] })),
    method,
    strength: strengthOf(method),
    ...(complete === undefined ? {} : { complete }),
    seconds,
    ...(constants
      ? {
          lipschitz: {
            strength: "proved",
            exact: constants.exact,
            norms: constants.rows,
            remarks: constants.reasons,
          },
        }
      : {}),
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

function lipschitzTable({ rows, exact, reasons }: ReturnType<typeof lipschitz>): string {
  const cell = (value: number | undefined): string => (value === undefined ? "none" : atMost(value));
  const body = rows.map((r) => [`norm ${r.norm}`, cell(r.global), cell(r.local), "proved"]);
  if (exact !== undefined) body.push(["exact", "", cell(exact), "proved"]);
  const remarks = reasons.map((reason) => `\n${reason}`).join("");
  return table(["Lipschitz", "everywhere", "on the box", ""], body, [1, 2]) + remarks;
}
