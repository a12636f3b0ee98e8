import { writeNpz } from "@lemmata/core/data";
import { cast, type Tensor, view } from "@lemmata/core/graph";
import {
  type Dictionary,
  type DictionaryQuality,
  dictionaryOf,
  dictionaryQuality,
  hardThresholding,
  lassoCode,
  layeredBasisPursuit,
  layeredGraph,
  layeredThresholding,
  multilayerObjective,
  multilayerPursuit,
  orthogonalMatching,
  subspacePursuit,
  unrolledGraph,
} from "@lemmata/core/sparse";
import { checkOutput, readData, writeNetwork, writeWhole } from "../files.ts";
import { type CommonOptions, print, printJson } from "../output.ts";
import { interruptSignal, progressBar } from "../progress.ts";
import { UsageError } from "../usage-error.ts";

export interface PursueOptions extends CommonOptions {
  readonly dictionary: readonly string[];
  readonly method?: string;
  readonly lambda?: readonly number[];
  readonly sparsity?: number;
  readonly iterations?: number;
  readonly nonnegative?: boolean;
  readonly out?: string;
  readonly graph?: string;
}

const methods = ["lasso", "omp", "iht", "subspace", "forward", "layered", "ml-ista", "ml-fista"] as const;
type Method = (typeof methods)[number];
const bySparsity: readonly Method[] = ["omp", "iht", "subspace"];
const oneLayer: readonly Method[] = ["lasso", ...bySparsity];

interface Found {
  readonly codes: readonly Float64Array[];
  readonly objective: number;
  readonly dualityGap?: number;
  readonly iterations: number;
}

/** `lemmata pursue y.npy --dictionary D.npy --lambda 0.1 --out codes.npz` */
export default async function pursueCommand(path: string, options: PursueOptions): Promise<void> {
  checkOutput("--out", options.out, ".npz");
  checkOutput("--graph", options.graph, ".onnx");
  const layers = options.dictionary.map((file) => dictionaryOf(matrixIn(file)));
  const method = methodOf(options, layers);
  const weights = weightsOf(options, method, layers);
  const signals = signalsIn(path, layers[0]!);
  const network = options.graph === undefined ? undefined : graphOf(method, layers, weights, options);
  const [bar, stop] = [progressBar("pursue", options), interruptSignal()];
  const found: Found[] = [];
  for (const [k, y] of signals.entries()) {
    stop.throwIfAborted();
    found.push(pursued(method, layers, y, weights, options));
    await bar.update((k + 1) / signals.length, `${k + 1} of ${signals.length} signals`);
  }
  await bar.done();
  if (options.out !== undefined) writeWhole(options.out, writeNpz(codeArrays(layers, found)));
  if (network) writeNetwork(options.graph!, network);
  const quality = dictionaryQuality(layers[0]!);
  const reports = found.map((f, k) => reported(method, layers, signals[k]!, f, quality));
  const [only] = reports;
  if (options.json) return printJson(signals.length === 1 ? only : { method, signals: reports });
  print(text(reports, layers, quality));
  const written = [options.out, options.graph].filter((file) => file !== undefined);
  if (written.length > 0 && !options.quiet) print(`written: ${written.join(", ")}`);
}

/** The one array of a file, as real numbers. */
function arrayIn(path: string, dims: readonly number[]): Tensor {
  const arrays = Object.values(readData(path));
  const [given] = arrays;
  if (!given || arrays.length > 1)
    throw new UsageError(`${path} holds ${arrays.length} arrays: one is wanted`);
  if (given.type === "string" || given.type === "bool" || given.type.startsWith("complex"))
    throw new UsageError(`${path} holds ${given.type}, not real numbers`);
  if (!dims.includes(given.dims.length))
    throw new UsageError(
      `${path} has shape [${given.dims.join(", ")}]: ${dims.join(" or ")} axes are wanted`,
    );
  if (given.dims.includes(0))
    throw new UsageError(`${path} has shape [${given.dims.join(", ")}]: it is empty`);
  return given.type === "float64" ? given : cast(given, "float64");
}

function matrixIn(path: string) {
  const { dims, data } = arrayIn(path, [2]);
  return { rows: dims[0]!, columns: dims[1]!, entries: data as Float64Array };
}

/** A vector, or a matrix of which each row is a signal. */
function signalsIn(path: string, { size }: Dictionary): readonly Float64Array[] {
  const { dims, data } = arrayIn(path, [1, 2]);
  const [length, count] = [dims.at(-1)!, dims.length === 1 ? 1 : dims[0]!];
  if (length !== size)
    throw new UsageError(`${path} has signals of ${length} numbers, but the dictionary's atoms have ${size}`);
  const numbers = data as Float64Array;
  const bad = numbers.findIndex((v) => !Number.isFinite(v));
  if (bad >= 0) throw new UsageError(`${path}: number ${bad} is ${numbers[bad]}`);
  return Array.from({ length: count }, (_, k) => numbers.slice(k * length, (k + 1) * length));
}

function methodOf({ method, sparsity }: PursueOptions, layers: readonly Dictionary[]): Method {
  const usual = layers.length > 1 ? "ml-fista" : sparsity === undefined ? "lasso" : "omp";
  const chosen = (method ?? usual) as Method;
  if (!methods.includes(chosen))
    throw new UsageError(`--method is one of ${methods.join(", ")}, not ${method}`);
  if (oneLayer.includes(chosen) && layers.length > 1)
    throw new UsageError(`--method ${chosen} takes one dictionary, not ${layers.length}`);
  return chosen;
}

/** A lambda for each layer; one is for all of them. */
function weightsOf(
  { lambda, sparsity }: PursueOptions,
  method: Method,
  layers: readonly Dictionary[],
): readonly number[] {
  if (bySparsity.includes(method)) {
    if (sparsity === undefined) throw new UsageError(`--method ${method} needs --sparsity`);
    return [];
  }
  if (lambda === undefined) throw new UsageError(`--method ${method} needs --lambda`);
  if (lambda.length !== 1 && lambda.length !== layers.length)
    throw new UsageError(`--lambda has ${lambda.length} numbers for ${layers.length} dictionaries`);
  const bad = lambda.find((l) => !(l > 0));
  if (bad !== undefined) throw new UsageError(`--lambda is a positive number, not ${bad}`);
  return layers.map((_, k) => lambda[k] ?? lambda[0]!);
}

function pursued(
  method: Method,
  layers: readonly Dictionary[],
  y: Float64Array,
  lambdas: readonly number[],
  { sparsity = 1, iterations, nonnegative = false }: PursueOptions,
): Found {
  const [first] = layers;
  const most = iterations === undefined ? {} : { iterations };
  switch (method) {
    case "lasso": {
      const { x, sweeps, ...rest } = lassoCode(first!, y, lambdas[0]!, {
        ...{ nonnegative, ...(iterations !== undefined && { sweeps: iterations }) },
      });
      return { codes: [x], objective: rest.objective, dualityGap: rest.dualityGap, iterations: sweeps };
    }
    case "omp":
    case "iht":
    case "subspace": {
      const run = { omp: orthogonalMatching, iht: hardThresholding, subspace: subspacePursuit }[method];
      const { x, residual, iterations: done } = run(first!, y, sparsity, most);
      return { codes: [x], objective: residual.reduce((s, v) => s + v * v, 0) / 2, iterations: done };
    }
    case "forward":
    case "layered": {
      const run = method === "forward" ? layeredThresholding : layeredBasisPursuit;
      const codes = run(layers, y, lambdas, { nonnegative });
      return {
        codes,
        objective: multilayerObjective(layers, y, lambdas, codes.at(-1)!),
        iterations: layers.length,
      };
    }
    case "ml-ista":
    case "ml-fista": {
      const run = multilayerPursuit(layers, y, lambdas, {
        ...most,
        nonnegative,
        accelerated: method === "ml-fista",
      });
      return { codes: run.codes, objective: run.objectives.at(-1)!, iterations: run.iterations };
    }
  }
}

function graphOf(
  method: Method,
  layers: readonly Dictionary[],
  lambdas: readonly number[],
  { iterations = 10, nonnegative = false }: PursueOptions,
) {
  if (method === "forward") return layeredGraph(layers, lambdas, { nonnegative });
  if (method !== "lasso" && method !== "ml-ista" && method !== "ml-fista")
    throw new UsageError(`--graph is there for lasso, forward, ml-ista and ml-fista, not for ${method}`);
  return unrolledGraph(layers, lambdas, { iterations, nonnegative, accelerated: method !== "ml-ista" });
}

/** x1, x2, ...: a row a signal. */
function codeArrays(layers: readonly Dictionary[], found: readonly Found[]): Record<string, Tensor> {
  return Object.fromEntries(
    layers.map(({ count }, i) => {
      const all = new Float64Array(count * found.length);
      for (const [k, { codes }] of found.entries()) all.set(codes[i]!, k * count);
      return [`x${i + 1}`, view("float64", [found.length, count], all)];
    }),
  );
}

type Report = ReturnType<typeof reported>;

function reported(
  method: Method,
  layers: readonly Dictionary[],
  y: Float64Array,
  { codes, objective, dualityGap, iterations }: Found,
  quality: DictionaryQuality,
) {
  const { size, atoms } = layers[0]!;
  const residual = y.slice();
  const [x] = codes;
  for (const [j, v] of x!.entries()) for (let i = 0; i < size; i++) residual[i]! -= v * atoms[j * size + i]!;
  const support = Array.from(codes.at(-1)!.keys()).filter((j) => codes.at(-1)![j] !== 0);
  const nonzeros = codes.map((code) => code.reduce((n, v) => n + Number(v !== 0), 0));
  const certified = layers.length === 1 && nonzeros[0]! < quality.uniqueBelow;
  const bound = `half the spark, which is at least ${quality.spark.lower}`;
  return {
    method,
    objective,
    ...(dualityGap === undefined ? {} : { dualityGap }),
    residual: Math.hypot(...residual),
    sparsity: nonzeros.length === 1 ? nonzeros[0]! : nonzeros,
    support,
    uniqueness: {
      certified,
      reason:
        layers.length > 1
          ? "several dictionaries: only those of one are certified"
          : certified
            ? `${nonzeros[0]} nonzeros are fewer than ${bound}: no other code of D x is so sparse`
            : `${nonzeros[0]} nonzeros are not fewer than ${bound}`,
    },
    iterations,
  };
}

function text(reports: readonly Report[], layers: readonly Dictionary[], quality: DictionaryQuality): string {
  const { lower, upper } = quality.spark;
  const head = [
    `dictionaries  ${layers.map(({ size, count }) => `${size} x ${count}`).join(", ")}`,
    `coherence     ${quality.coherence.toPrecision(4)}   spark ${lower === upper ? lower : `${lower} to ${upper}`}`,
  ];
  const lines = reports
    .slice(0, 10)
    .flatMap((r, k) => [
      "",
      ...(reports.length > 1 ? [`signal ${k}`] : []),
      `method        ${r.method}, ${r.iterations} iterations`,
      `objective     ${r.objective.toPrecision(8)}${r.dualityGap === undefined ? "" : `   within ${r.dualityGap.toExponential(1)} of the least`}`,
      `residual      ${r.residual.toPrecision(6)}`,
      `nonzeros      ${[r.sparsity].flat().join(", ")}${r.support.length <= 20 ? `: ${r.support.join(", ")}` : ""}`,
      `unique        ${r.uniqueness.certified ? "yes" : "not shown"}: ${r.uniqueness.reason}`,
    ]);
  if (reports.length > 10) lines.push("", `and ${reports.length - 10} more signals: --json has all`);
  return [...head, ...lines].join("\n");
}
