import { writeNpz } from "@lemmata/core/data";
import { release, run, weightBytes } from "@lemmata/core/engine";
import { type Tensor, view } from "@lemmata/core/graph";
import { cost } from "@lemmata/core/passes";
import {
  littlewoodPaley,
  type Path,
  type Scattering,
  scattering,
  type TransformOptions,
} from "@lemmata/core/scattering";
import { checkOutput, writeNetwork, writeWhole } from "../files.ts";
import { memoryAllowed } from "../limits.ts";
import { type CommonOptions, print, printJson } from "../output.ts";
import { interruptSignal, progressBar } from "../progress.ts";
import { type Signals, signalsOf } from "../scatter-data.ts";
import { UsageError } from "../usage-error.ts";

/** What a signal may be imitated in, and of the last word all of them, as in Figure 8.16 of the book. */
const statisticsNames = ["gaussian", "scattering", "harmonics", "all"];
/** What --synthesize starts from: white noise, or the Gaussian field with the signal's spectrum. */
const startNames = ["noise", "gaussian"];

export interface ScatterOptions extends CommonOptions {
  readonly dimension: number;
  readonly scale: number;
  readonly quality?: number;
  readonly angles?: number;
  readonly order: number;
  readonly average?: number;
  readonly frontend: string;
  readonly bank: string;
  readonly padding?: string;
  readonly out?: string;
  readonly graph?: string;
  readonly memory?: number;
  readonly synthesize?: boolean;
  readonly iterations: number;
  readonly statistics: string;
  readonly start: string;
  readonly png?: string;
  readonly edges?: string;
  /** true, or a model that is compared. */
  readonly stability?: boolean | string;
}

/** `lemmata scatter x.npy --dimension 2 --scale 3 --out s.npz` */
export default async function scatterCommand(path: string, given: ScatterOptions): Promise<void> {
  const padding = given.padding ?? (given.synthesize ? "none" : "reflect");
  const options = { ...given, padding };
  checkWords(options);
  checkOutput("--out", options.out, ".npz");
  checkOutput("--graph", options.graph, ".onnx");
  checkOutput("--png", options.png, ".png");
  const signals = signalsOf(path, options.dimension);
  if (options.edges !== undefined)
    return (await import("../scatter-graph.ts")).scatterOnGraph(signals, options);
  const perSignal = checkSize(signals, options);
  const chosen: TransformOptions = {
    ...{ shape: signals.shape, scale: options.scale, order: options.order, type: signals.type },
    ...(options.quality === undefined ? {} : { quality: options.quality }),
    ...(options.angles === undefined ? {} : { angles: options.angles }),
    ...(options.average === undefined ? {} : { average: options.average }),
    ...{ bank: options.bank as "morlet" | "spline", padding: options.padding as "reflect" | "none" },
  };
  if (options.stability)
    return (await import("../scatter-stability.ts")).scatterStability(signals, chosen, options);
  if (options.synthesize)
    return (await import("../scatter-synthesis.ts")).scatterSynthesis(signals, chosen, options);
  const transform = scattering(chosen);
  const s = await transformed(signals, transform, perSignal, options);
  const shape = [...signals.leading, transform.paths.length, ...transform.geometry.output];
  if (options.out !== undefined)
    writeWhole(options.out, writeNpz({ s: view(signals.type, shape, s), ...pathArrays(transform) }));
  if (options.graph !== undefined) writeNetwork(options.graph, transform.graph);
  const found = findings(signals, transform, s, shape);
  if (options.json) return printJson(found);
  print(text(found, transform));
  const written = [options.out, options.graph].filter((file) => file !== undefined);
  if (written.length > 0 && !options.quiet) print(`written: ${written.join(", ")}`);
}

function checkWords({
  dimension,
  frontend,
  bank,
  padding,
  synthesize,
  png,
  statistics,
  order,
  stability,
  edges,
  out,
  graph,
  start,
}: ScatterOptions): void {
  if (stability && [synthesize, edges, out, graph].some((other) => other !== undefined))
    throw new UsageError(
      "--stability prints constants: it goes without --synthesize, --edges, --out and --graph",
    );
  if (!statisticsNames.some((name) => name === statistics))
    throw new UsageError(`--statistics is one of ${statisticsNames.join(", ")}, not ${statistics}`);
  if (!synthesize && statistics !== "scattering")
    throw new UsageError("--statistics says what --synthesize imitates");
  if (synthesize && graph !== undefined)
    throw new UsageError("--synthesize writes a signal, no transform: it goes without --graph");
  if (!startNames.includes(start))
    throw new UsageError(`--start is one of ${startNames.join(", ")}, not ${start}`);
  if (!synthesize && start !== "noise") throw new UsageError("--start says where --synthesize begins");
  if (synthesize && order === 0) throw new UsageError("--synthesize needs --order 1 or 2");
  if (dimension !== 1 && dimension !== 2) throw new UsageError(`--dimension is 1 or 2, not ${dimension}`);
  if (frontend !== "complex")
    throw new UsageError(`--frontend is complex (the modulus of complex wavelets), not ${frontend}`);
  if (png !== undefined && !(synthesize && dimension === 2))
    throw new UsageError("--png draws a picture that --synthesize has made, with --dimension 2");
  if (!["morlet", "spline"].includes(bank)) throw new UsageError(`--bank is morlet or spline, not ${bank}`);
  if (padding !== "reflect" && padding !== "none")
    throw new UsageError(`--padding is reflect or none, not ${padding}`);
}

/** Numbers that one signal needs at most at a time; too many are refused before a filter is made. */
function checkSize({ shape, type }: Signals, options: ScatterOptions): number {
  const { dimension, scale, memory } = options;
  // A line is padded to less than three times its samples, a picture by two scales an axis.
  const padded = (n: number): number => (dimension === 1 ? 3 * n : n + 2 * Math.min(n, 2 ** scale));
  const samples = shape.reduce((all, n) => all * (options.padding === "none" ? n : padded(n)), 1);
  const wavelets = dimension === 1 ? (options.quality ?? 1) * (scale + 4) : (options.angles ?? 8) * scale;
  const perSignal =
    samples * (dimension === 1 ? 4 * (options.quality ?? 1) : 2 + (options.angles ?? 8) ** 2 / 2);
  const bytes = 16 * samples * wavelets + 3 * (type === "float64" ? 8 : 4) * perSignal;
  if (bytes > memoryAllowed(memory))
    throw new UsageError(
      `signals of ${shape.join(" x ")} with some ${wavelets} wavelets take about ${(bytes / 1e9).toPrecision(2)} GB: --memory allows more, a smaller --quality, --angles or --scale takes less`,
    );
  return perSignal;
}

/** Numbers that a run may have in its intermediate values. */
const mostAtOnce = 1e8;

async function transformed(
  { x, shape, type }: Signals,
  { graph, paths, geometry }: Scattering,
  perSignal: number,
  options: ScatterOptions,
): Promise<Float32Array | Float64Array> {
  const count = x.dims[0]!;
  const size = shape.reduce((a, b) => a * b, 1);
  const outputs = geometry.output.reduce((a, b) => a * b, paths.length);
  const s = type === "float64" ? new Float64Array(count * outputs) : new Float32Array(count * outputs);
  const data = x.data as Float64Array;
  // The transform of c x is c times that of x: squares of numbers near 1 neither overflow nor vanish. A power of two is exact.
  const unit = 2 ** Math.floor(Math.log2(data.reduce((most, v) => Math.max(most, Math.abs(v)), 0) || 1));
  const step = Math.max(1, Math.floor(mostAtOnce / perSignal));
  const [bar, signal] = [progressBar("scatter", options), interruptSignal()];
  for (let start = 0; start < count; start += step) {
    signal.throwIfAborted();
    const end = Math.min(count, start + step);
    const given = data.subarray(start * size, end * size).map((v) => v / unit);
    const found = (await run(graph, { x: view(type, [end - start, ...shape], given) })).s;
    s.set(
      (found.data as Float64Array).map((v) => v * unit),
      start * outputs,
    );
    bar.update(end / count, `${end} of ${count} signals`);
  }
  await bar.done();
  await release(graph);
  return s;
}

/**
 * What the axis of paths means: a row a path, filled up with -1 (or NaN) where it is shorter. `meta` has order, scales and
 * angles side by side.
 */
function pathArrays({ paths, order, geometry: { grid, stride } }: Scattering): Record<string, Tensor> {
  const width = Math.max(1, order);
  const filled = (part: (path: Path) => readonly number[] | undefined, nothing: number): number[] =>
    paths.flatMap((path) => Array.from({ length: width }, (_, m) => part(path)?.[m] ?? nothing));
  const integers = (values: readonly number[]): BigInt64Array => BigInt64Array.from(values, BigInt);
  const rows = [paths.length, width];
  const row = (part: readonly number[] | undefined): readonly number[] =>
    Array.from({ length: width }, (_, m) => part?.[m] ?? -1);
  const meta = paths.flatMap((path) => [path.order, ...row(path.scales), ...row(path.angles)]);
  return {
    meta: view("int64", [paths.length, 1 + 2 * width], integers(meta)),
    grid: view("int64", [grid.length], integers(grid)),
    stride: view("int64", [], integers([2 ** stride])),
    order: view("int64", [paths.length], integers(paths.map((path) => path.order))),
    scales: view("int64", rows, integers(filled(({ scales }) => scales, -1))),
    angles: view("int64", rows, integers(filled(({ angles }) => angles, -1))),
    wavelets: view("int64", rows, integers(filled(({ wavelets }) => wavelets, -1))),
    frequencies: view(
      "float64",
      rows,
      Float64Array.from(filled(({ frequencies }) => frequencies, Number.NaN)),
    ),
  };
}

type Findings = ReturnType<typeof findings>;

function findings(
  { x }: Signals,
  transform: Scattering,
  s: Float32Array | Float64Array,
  shape: readonly number[],
) {
  const { paths, geometry, banks, graph, order } = transform;
  const outputs = geometry.output.reduce((a, b) => a * b, 1);
  const energies = new Float64Array(order + 1);
  // An output stands for the samples between it and the next one.
  const weight = 2 ** (geometry.stride * geometry.shape.length);
  for (let k = 0; k < s.length; k++)
    energies[paths[Math.floor(k / outputs) % paths.length]!.order]! += weight * s[k]! ** 2;
  const frames = banks.map((bank) => littlewoodPaley(bank));
  const { flops } = cost(graph, { dims: { x: x.dims } });
  return {
    ...{ paths: paths.length, shape },
    frame: {
      lower: Math.min(...frames.map(({ lower }) => lower)),
      upper: Math.max(...frames.map(({ upper }) => upper)),
    },
    energy: { input: (x.data as Float64Array).reduce((sum, v) => sum + v * v, 0), orders: [...energies] },
    cost: { flops, weightBytes: weightBytes(graph), nodes: graph.nodes.length },
  };
}

function text(
  { shape, frame, energy, cost: { flops, weightBytes: bytes } }: Findings,
  { paths, geometry }: Scattering,
): string {
  const share = (value: number): string =>
    energy.input === 0 ? "0 %" : `${((100 * value) / energy.input).toPrecision(3)} %`;
  return [
    `paths    ${paths.length}, outputs [${shape.join(", ")}], every ${ordinal(2 ** geometry.stride)} sample of a grid of ${geometry.grid.join(" x ")}`,
    `frame    ${frame.lower.toPrecision(4)} |x|^2 <= |W x|^2 <= ${frame.upper.toPrecision(4)} |x|^2`,
    `energy   ${energy.orders.map((value, m) => `order ${m}: ${share(value)}`).join(", ")} of |x|^2`,
    `cost     ${(flops / 1e9).toPrecision(3)} billion operations, ${(bytes / 1e6).toPrecision(3)} MB of weights`,
  ].join("\n");
}

/** 1st, 2nd, 4th, 32nd: of a power of two. */
const ordinal = (n: number): string => `${n}${n === 1 ? "st" : n % 10 === 2 && n % 100 !== 12 ? "nd" : "th"}`;
