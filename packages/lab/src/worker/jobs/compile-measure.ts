// Runs a compiled network: on a grid for the plots, and at many points for the greatest error seen.

import { pointsFor, sampledError } from "@lemmata/core/compile";
import { release, run } from "@lemmata/core/engine";
import { evaluateFormula, parseFormula } from "@lemmata/core/formula";
import { type Graph, numbers, readModel } from "@lemmata/core/graph";
import type { Problem, Side } from "../../compile/problem.ts";
import { curveOf, type Slice, type Surface } from "../../compile/surface.ts";
import type { Job, JobContext } from "../protocol.ts";

export interface MeasureInput {
  readonly problem: Problem;
  /** The ONNX file: quicker to send than a graph. */
  readonly network: Uint8Array;
  readonly units: number;
  readonly nodes: number;
  /** Without one there is no surface. */
  readonly slice?: Slice;
  /** Is the greatest error wanted, too? */
  readonly isSampled: boolean;
}

interface Loaded extends MeasureInput {
  readonly graph: Graph;
}

export interface Measured {
  readonly surface?: Surface;
  readonly sampled?: { readonly error: number; readonly points: number };
}

/** Units times points that run in less than half a second. */
const mostWork = 1e7;
const columns = 600;

/** A message is heard only between two tasks. */
const breath = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

type Points = readonly Float64Array[];

/** Formula and network at points, in batches. */
async function valuesAt({ problem, graph, units }: Loaded, points: Points, signal: AbortSignal) {
  const { formula, box, dtype } = problem;
  const count = points[0]!.length;
  const exact = evaluateFormula(parseFormula(formula), new Map(box.map(({ name }, k) => [name, points[k]!])));
  const network = new Float64Array(count);
  const batch = Math.max(16, Math.min(8192, Math.floor(1e6 / Math.max(units, 1))));
  for (let start = 0; start < count; start += batch) {
    const size = Math.min(batch, count - start);
    const data = new (dtype === "f32" ? Float32Array : Float64Array)(size * box.length);
    for (let i = 0; i < data.length; i++)
      data[i] = points[i % box.length]![start + Math.floor(i / box.length)]!;
    const type = dtype === "f32" ? "float32" : "float64";
    const { y } = await run(graph, { x: { type, dims: [size, box.length], data } });
    network.set(numbers(y!), start);
    await breath();
    signal.throwIfAborted();
  }
  return { exact, network };
}

const placed = ({ lower, upper }: Side, share: number): number =>
  share === 1 ? upper : lower + (upper - lower) * share;

/** In f32 a point is a number of f32: both sides see the same one. */
const rounding = ({ dtype }: Problem): ((x: number) => number) => (dtype === "f32" ? Math.fround : (x) => x);

async function curve(input: Loaded, { axes, at }: Slice, signal: AbortSignal): Promise<Surface> {
  const { problem, units } = input;
  const round = rounding(problem);
  const count = Math.max(columns, Math.min(24_000, Math.floor(mostWork / (units + 1)))) + 1;
  const points = problem.box.map((side) =>
    Float64Array.from({ length: count }, (_, k) =>
      round(side.name === axes[0] ? placed(side, k / (count - 1)) : (at[side.name] ?? side.lower)),
    ),
  );
  const { exact, network } = await valuesAt(input, points, signal);
  const axis = problem.box.findIndex((side) => side.name === axes[0]);
  return curveOf(axes[0]!, points[axis]!, exact, network, columns);
}

async function heat(input: Loaded, { axes, at }: Slice, signal: AbortSignal): Promise<Surface> {
  const { problem, units } = input;
  const round = rounding(problem);
  const size = Math.max(41, Math.min(161, Math.floor(Math.sqrt(mostWork / (units + 1)))));
  const names = [axes[0]!, axes[1]!] as const;
  const points = problem.box.map((side) =>
    Float64Array.from({ length: size * size }, (_, k) => {
      const step =
        side.name === names[0] ? k % size : side.name === names[1] ? Math.floor(k / size) : undefined;
      return round(step === undefined ? (at[side.name] ?? side.lower) : placed(side, step / (size - 1)));
    }),
  );
  const { exact, network } = await valuesAt(input, points, signal);
  const [across, up] = names.map((name) => {
    const { lower, upper } = problem.box.find((side) => side.name === name)!;
    return [lower, upper] as const;
  }) as [readonly [number, number], readonly [number, number]];
  const errors = network.map((y, k) => y - exact[k]!);
  return { kind: "heat", names, across, up, size, formula: exact, errors };
}

/** The greatest error over points, drawn in parts so that it can be stopped between two of them. */
async function sample(input: Loaded, { signal, progress }: JobContext): Promise<Measured["sampled"]> {
  const { problem, graph, units, nodes } = input;
  const isFree = problem.box.some(({ lower, upper }) => upper > lower);
  const parts = isFree ? 10 : 1;
  const points = isFree ? Math.ceil(pointsFor(units, nodes) / 4 / parts) : 1;
  let error = 0;
  for (let part = 0; part < parts; part++) {
    const options = { points, seed: part + 1, dtype: problem.dtype };
    const seen = await sampledError(graph, problem.formula, problem.box, units, options);
    error = seen > error || Number.isNaN(seen) ? seen : error;
    progress((part + 1) / parts, "looking for the greatest error");
    await breath();
    signal.throwIfAborted();
  }
  return { error, points: parts * points };
}

export const compileMeasure: Job<MeasureInput, Measured> = async (input, context) => {
  const { network, slice, isSampled } = input;
  const graph = readModel(network);
  const loaded = { ...input, graph };
  try {
    const drawn = slice && (slice.axes.length === 1 ? curve : heat);
    const surface = slice && drawn && (await drawn(loaded, slice, context.signal));
    if (surface && isSampled) context.partial({ surface } satisfies Measured);
    const sampled = isSampled ? await sample(loaded, context) : undefined;
    return { ...(surface && { surface }), ...(sampled && { sampled }) };
  } finally {
    await release(graph); // the worker lives on, and with it the runtime's memory
  }
};
