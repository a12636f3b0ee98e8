// `lemmata scatter --edges`: scattering of signals on the vertices of a graph.
import { setImmediate } from "node:timers/promises";
import { writeNpz } from "@lemmata/core/data";
import { numbers, type Tensor, tensor, view } from "@lemmata/core/graph";
import { diffusionFrame, graphTransform, lazyDiffusion, scalesOf } from "@lemmata/core/scattering";
import type { ScatterOptions } from "./commands/scatter.ts";
import { readData, writeWhole } from "./files.ts";
import { memoryAllowed } from "./limits.ts";
import { print, printJson } from "./output.ts";
import { interruptSignal, progressBar } from "./progress.ts";
import type { Signals } from "./scatter-data.ts";
import { UsageError } from "./usage-error.ts";

/** Vertices beyond which dense matrices of a graph are refused. */
const mostVertices = 2000;

/** Symmetric weights from a table of edges: a, b, and a weight if there is a third column. Vertices count from 0. */
export function weightsOfEdges(path: string): readonly Float64Array[] {
  const [table, ...more] = Object.values(readData(path));
  const width = table?.dims[1];
  if (
    !table ||
    more.length > 0 ||
    table.type === "string" ||
    table.dims.length !== 2 ||
    !(width === 2 || width === 3)
  )
    throw new UsageError(
      `${path} must be a table of edges: two vertices, counted from 0, and perhaps a weight`,
    );
  const values = numbers(table);
  const column = (k: number): Float64Array =>
    Float64Array.from({ length: table.dims[0]! }, (_, e) => values[e * width + k]!);
  const [from, to, weights] = [column(0), column(1), width === 3 ? column(2) : undefined];
  let count = 0;
  for (const end of [from, to])
    for (const v of end) {
      if (!(Number.isInteger(v) && v >= 0))
        throw new UsageError(`${path}: a vertex is 0, 1, 2, ..., not ${v}`);
      count = Math.max(count, v + 1);
    }
  if (count > mostVertices)
    throw new UsageError(`${path} has ${count} vertices; up to ${mostVertices} are possible`);
  const matrix = Array.from({ length: count }, () => new Float64Array(count));
  for (let e = 0; e < from.length; e++) {
    const [a, b, weight] = [from[e]!, to[e]!, weights?.[e] ?? 1];
    if (!(weight >= 0 && Number.isFinite(weight)))
      throw new UsageError(
        `${path}: the edge ${a} - ${b} weighs ${weight}: a weight is finite and not negative`,
      );
    const known = matrix[a]![b]!;
    if (known !== 0 && known !== weight)
      throw new UsageError(`${path} has the edge ${a} - ${b} twice, with the weights ${known} and ${weight}`);
    matrix[a]![b] = weight;
    matrix[b]![a] = weight;
  }
  return matrix;
}

export async function scatterOnGraph(signals: Signals, options: ScatterOptions): Promise<void> {
  checkWords(options);
  const { x, leading, shape } = signals;
  const weights = weightsOfEdges(options.edges!);
  const [vertices, scales, layers] = [weights.length, options.scale, options.order + 1];
  if (shape[0] !== vertices)
    throw new UsageError(`the graph has ${vertices} vertices, the signals have ${shape[0]} numbers`);
  checkSize(vertices, x.dims[0]!, options);
  const diffusion = await lazyDiffusion(weights);
  // It says so if the graph falls into parts.
  const [mixed, frame] = [scalesOf(diffusion), diffusionFrame(diffusion, scales)];
  const transform = await graphTransform(diffusion, { scales, layers });
  const data = Float64Array.from(x.data as Float64Array);
  const paths = pathsOf(scales, options.order);
  const s = new Float64Array(x.dims[0]! * paths.length);
  const [bar, signal] = [progressBar("scatter", options), interruptSignal()];
  for (let k = 0; k < x.dims[0]!; k++) {
    // Ctrl-C is heard between signals.
    await setImmediate();
    signal.throwIfAborted();
    const orders = transform(data.subarray(k * vertices, (k + 1) * vertices));
    let at = k * paths.length;
    for (const order of orders) {
      s.set(order, at);
      at += order.length;
    }
    bar.update((k + 1) / x.dims[0]!, `${k + 1} of ${x.dims[0]} signals`);
  }
  await bar.done();
  const dims = [...leading, paths.length];
  if (options.out !== undefined)
    writeWhole(
      options.out,
      writeNpz({ s: tensor(s, { dims, type: "float64" }), ...pathArrays(paths, options.order) }),
    );
  const found = { paths: paths.length, shape: dims, vertices, gap: diffusion.gap, mixed, frame };
  if (options.json) return printJson(found);
  print(
    `graph    ${vertices} vertices, largest eigenvalue below 1: ${diffusion.gap.toPrecision(4)} (mixed at scale ${mixed})
paths    ${paths.length}, outputs [${dims.join(", ")}]
frame    ${frame.lower.toPrecision(4)} |x|^2 <= |W x|^2 <= ${frame.upper.toPrecision(4)} |x|^2 for x orthogonal to the stationary vector`,
  );
  if (options.out !== undefined && !options.quiet) print(`written: ${options.out}`);
}

function checkWords({
  dimension,
  order,
  synthesize,
  graph,
  quality,
  angles,
  average,
  bank,
}: ScatterOptions): void {
  if (dimension !== 1) throw new UsageError("--edges is for signals of --dimension 1: one number a vertex");
  if (synthesize || graph !== undefined) throw new UsageError("--edges goes with --out alone");
  const others = Object.entries({ quality, angles, average }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`],
  );
  if (bank !== "morlet") others.push("--bank");
  if (others.length > 0)
    throw new UsageError(
      `--edges has diffusion wavelets: ${others.join(", ")} ${others.length === 1 ? "is" : "are"} for signals in time or space`,
    );
  if (order > 8) throw new UsageError(`the order on a graph is up to 8, not ${order}`);
}

/** A matrix for each wavelet, and a signal on the vertices for each path of the last order. */
function checkSize(vertices: number, signals: number, { scale, order, memory }: ScatterOptions): void {
  let paths = 0;
  for (let k = 0; k <= order; k++) paths += scale ** k;
  const bytes = 8 * (scale * vertices ** 2 + 3 * paths * vertices + (signals + 6 * (order + 1)) * paths);
  if (bytes > memoryAllowed(memory))
    throw new UsageError(
      `${paths} paths on ${vertices} vertices take about ${(bytes / 1e9).toPrecision(2)} GB: --memory allows more, a smaller --scale or --order takes less`,
    );
}

/** Which wavelets follow each other: any, the last one fastest. */
function pathsOf(scales: number, order: number): readonly (readonly number[])[] {
  let layer: readonly (readonly number[])[] = [[]];
  const all = [...layer];
  for (let m = 0; m < order; m++) {
    layer = layer.flatMap((path) => Array.from({ length: scales }, (_, j) => [...path, j]));
    for (const path of layer) all.push(path);
  }
  return all;
}

/** As of signals in time: a row a path, filled up with -1. */
function pathArrays(paths: readonly (readonly number[])[], order: number): Record<string, Tensor> {
  const width = Math.max(1, order);
  const row = (path: readonly number[]): readonly number[] =>
    Array.from({ length: width }, (_, m) => path[m] ?? -1);
  const integers = (dims: readonly number[], values: readonly number[]): Tensor =>
    view("int64", dims, BigInt64Array.from(values, BigInt));
  return {
    meta: integers(
      [paths.length, 1 + width],
      paths.flatMap((path) => [path.length, ...row(path)]),
    ),
    order: integers(
      [paths.length],
      paths.map((path) => path.length),
    ),
    scales: integers([paths.length, width], paths.flatMap(row)),
  };
}
