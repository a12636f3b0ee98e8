import { writeNpz } from "@lemmata/core/data";
import { type Tensor, view } from "@lemmata/core/graph";
import {
  type Dictionary,
  type DictionaryQuality,
  dictionaryQuality,
  lassoPath,
  layeredGraph,
  layerwiseUniqueness,
  unrolledGraph,
} from "@lemmata/core/sparse";
import { checkOutput, writeNetwork, writeWhole } from "../files.ts";
import { type CommonOptions, print, printJson } from "../output.ts";
import { interruptSignal, progressBar } from "../progress.ts";
import { dictionariesIn, type PursueDictionary, signalArray, signalsOf } from "../pursue-data.ts";
import { type Found, type Pursuit, type PursuitOptions, pursued, pursuitOf } from "../pursue-methods.ts";
import { UsageError } from "../usage-error.ts";

export interface PursueOptions extends CommonOptions, PursuitOptions {
  readonly dictionary: readonly string[];
  readonly path?: number;
  readonly out?: string;
  readonly graph?: string;
}

/** `lemmata pursue y.npy --dictionary D.npy --lambda 0.1 --out codes.npz` */
export default async function pursueCommand(path: string, options: PursueOptions): Promise<void> {
  checkOutput("--out", options.out, ".npz");
  checkOutput("--graph", options.graph, ".onnx");
  const given = signalArray(path);
  const layers = await dictionariesIn(options.dictionary, given);
  const { size } = layers[0]!.operator;
  const numbers = (given.data as Float64Array).length;
  const isPicture = given.dims.length === 3 || (given.dims.at(-1) !== size && numbers === size);
  const { rows: signals } = signalsOf(path, given, layers[0]!.operator, isPicture);
  const pursuit = pursuitOf(options, layers);
  if (options.path !== undefined) {
    alongPath(options, pursuit, layers[0]!, signals);
    return;
  }
  if (options.graph !== undefined) requireGraph(pursuit, layers);
  const network =
    options.graph === undefined
      ? undefined
      : graphOf(
          pursuit,
          layers.map(({ atoms }) => atoms!),
        );
  const [bar, stop] = [progressBar("pursue", options), interruptSignal()];
  const found: Found[] = [];
  for (const [k, y] of signals.entries()) {
    stop.throwIfAborted();
    found.push(await pursued(pursuit, layers, y));
    await bar.update((k + 1) / signals.length, `${k + 1} of ${signals.length} signals`);
  }
  await bar.done();
  if (options.out !== undefined) writeWhole(options.out, writeNpz(codeArrays(layers, found)));
  if (network) writeNetwork(options.graph!, network);
  const atoms = layers.map((layer) => layer.atoms);
  const quality = atoms[0] ? dictionaryQuality(atoms[0]) : undefined;
  const reports = found.map((f, k) => reported(pursuit, layers, signals[k]!, f, quality));
  const [only] = reports;
  if (options.json)
    return printJson(signals.length === 1 ? only : { method: pursuit.method, signals: reports });
  print(text(reports, layers, quality));
  const written = [options.out, options.graph].filter((file) => file !== undefined);
  if (written.length > 0 && !options.quiet) print(`written: ${written.join(", ")}`);
}

/** Codes for lambdas from the greatest useful one down to --lambda, each begun at the one before. */
function alongPath(
  options: PursueOptions,
  { method, lambdas, nonnegative }: Pursuit,
  { atoms, operator }: PursueDictionary,
  signals: readonly Float64Array[],
): void {
  if (method !== "lasso" || !atoms)
    throw new UsageError("--path is there for lasso, with atoms that are stored");
  if (signals.length > 1) throw new UsageError(`--path takes one signal, not ${signals.length}`);
  const [y] = signals as [Float64Array];
  const greatest = operator.analyze(y).reduce((m, v) => Math.max(m, nonnegative ? v : Math.abs(v)), 0);
  const least = lambdas ? lambdas[0]! / greatest : 1e-3;
  if (!(least < 1))
    throw new UsageError(`--lambda ${lambdas![0]} is not below ${greatest}, from which on every code is 0`);
  const path = lassoPath(atoms, y, { count: options.path!, least, nonnegative });
  const points = path.map(({ lambda, x, objective, dualityGap, residual, sweeps }) => ({
    ...{ lambda, objective, dualityGap, residual: lengthOf(residual) },
    ...{ sparsity: x.reduce((n, v) => n + Number(v !== 0), 0), iterations: sweeps },
  }));
  if (options.out !== undefined) {
    const all = new Float64Array(path.length * atoms.count);
    path.forEach(({ x }, k) => {
      all.set(x, k * atoms.count);
    });
    writeWhole(
      options.out,
      writeNpz({
        x1: view("float64", [path.length, atoms.count], all),
        lambda: view(
          "float64",
          [path.length],
          Float64Array.from(path, ({ lambda }) => lambda),
        ),
      }),
    );
  }
  if (options.json) {
    printJson({ method, path: points });
    return;
  }
  print(
    [
      "lambda        objective     residual      nonzeros",
      ...points.map(({ lambda, objective, residual, sparsity }) =>
        [...[lambda, objective, residual].map((v) => v.toPrecision(6).padEnd(13)), sparsity].join(" "),
      ),
    ].join("\n"),
  );
}

/** Which pursuits are networks. */
function requireGraph({ method, lambdas }: Pursuit, layers: readonly PursueDictionary[]): void {
  if (!["lasso", "forward", "ml-ista", "ml-fista"].includes(method))
    throw new UsageError(`--graph is there for lasso, forward, ml-ista and ml-fista, not for ${method}`);
  if (!lambdas) throw new UsageError("--graph needs --lambda: a network has fixed thresholds");
  if (layers.some(({ atoms }) => !atoms))
    throw new UsageError("--graph stores all atoms: there are too many");
}

function graphOf({ method, lambdas, iterations = 10, nonnegative }: Pursuit, atoms: readonly Dictionary[]) {
  if (method === "forward") return layeredGraph(atoms, lambdas!, { nonnegative });
  return unrolledGraph(atoms, lambdas!, { iterations, nonnegative, accelerated: method !== "ml-ista" });
}

/** x1, x2, ...: a row a signal. */
function codeArrays(layers: readonly PursueDictionary[], found: readonly Found[]): Record<string, Tensor> {
  return Object.fromEntries(
    layers.map(({ operator: { count } }, i) => {
      const all = new Float64Array(count * found.length);
      for (const [k, { codes }] of found.entries()) all.set(codes[i]!, k * count);
      return [`x${i + 1}`, view("float64", [found.length, count], all)];
    }),
  );
}

type Report = ReturnType<typeof reported>;
const lengthOf = (v: Float64Array): number => Math.sqrt(v.reduce((s, e) => s + e * e, 0));
const countOf = (code: Float64Array): number => code.reduce((n, v) => n + Number(v !== 0), 0);

function reported(
  { method, nonnegative }: Pursuit,
  layers: readonly PursueDictionary[],
  y: Float64Array,
  { codes, objective, dualityGap, iterations, lambdas }: Found,
  quality: DictionaryQuality | undefined,
) {
  const [first] = layers as [PursueDictionary];
  const fit = first.operator.synthesize(codes[0]!);
  const residual = y.map((v, i) => v - fit[i]!);
  const last = codes.at(-1)!;
  const support = Array.from(last.keys()).filter((j) => last[j] !== 0);
  return {
    ...{ method, objective },
    ...(dualityGap === undefined ? {} : { dualityGap }),
    ...{ residual: lengthOf(residual), sparsity: support.length, support },
    uniqueness: layers.length === 1 ? uniqueAlone(codes[0]!, quality) : uniqueLayered(layers, codes),
    iterations,
    ...(lambdas && { lambda: lambdas }),
    ...(method === "lasso" && {
      optimality: violation(first, residual, last, { lambda: lambdas![0]!, nonnegative }),
    }),
    ...(layers.length > 1 && { sparsities: codes.map(countOf), between: between(layers, codes) }),
  };
}

/** By how much |d^T r| = lambda on the support, and <= lambda elsewhere (of codes x >= 0: d^T r <= lambda), fails. */
function violation(
  { operator }: PursueDictionary,
  residual: Float64Array,
  x: Float64Array,
  { lambda, nonnegative }: { readonly lambda: number; readonly nonnegative: boolean },
): number {
  const elsewhere = (c: number): number => (nonnegative ? c : Math.abs(c)) - lambda;
  return operator
    .analyze(residual)
    .reduce(
      (worst, c, j) => Math.max(worst, x[j] === 0 ? elsewhere(c) : Math.abs(c - lambda * Math.sign(x[j]!))),
      0,
    );
}

/** |x_(i-1) - D_i x_i| of the layers after the first. */
const between = (layers: readonly PursueDictionary[], codes: readonly Float64Array[]): readonly number[] =>
  layers.slice(1).map(({ operator }, i) => {
    const made = operator.synthesize(codes[i + 1]!);
    return lengthOf(made.map((v, j) => v - codes[i]![j]!));
  });

interface Uniqueness {
  readonly certified: boolean;
  readonly reason: string;
}

function uniqueAlone(code: Float64Array, quality: DictionaryQuality | undefined): Uniqueness {
  if (!quality) return { certified: false, reason: "the atoms are too many to be compared with each other" };
  const bound = `half the spark, which is at least ${quality.spark.lower}`;
  const few = countOf(code);
  return few < quality.uniqueBelow
    ? {
        certified: true,
        reason: `${few} nonzeros are fewer than ${bound}: no other code of D x is so sparse`,
      }
    : { certified: false, reason: `${few} nonzeros are not fewer than ${bound}` };
}

/** Theorem 7.1; it is about codes of which each is made of the next. */
function uniqueLayered(layers: readonly PursueDictionary[], codes: readonly Float64Array[]): Uniqueness {
  const apart = between(layers, codes);
  const off = apart.findIndex((length, i) => length > 1e-9 * lengthOf(codes[i]!));
  if (off >= 0)
    return {
      certified: false,
      reason: `code ${off + 1} is not made of code ${off + 2}: |x${off + 1} - D${off + 2} x${off + 2}| = ${apart[off]!.toPrecision(3)}`,
    };
  const verdicts = layerwiseUniqueness(
    layers.map(({ atoms }) => atoms!),
    codes,
  );
  const failing = verdicts.findIndex(({ holds }) => !holds);
  if (failing < 0)
    return {
      certified: true,
      reason:
        "every code has fewer nonzeros than (1 + 1 / mu) / 2: no other codes of this signal are so sparse",
    };
  const { nonzeros, below } = verdicts[failing]!;
  return {
    certified: false,
    reason: `code ${failing + 1} has ${nonzeros} nonzeros, not fewer than (1 + 1 / mu) / 2 = ${below.toPrecision(4)}`,
  };
}

function text(
  reports: readonly Report[],
  layers: readonly PursueDictionary[],
  quality: DictionaryQuality | undefined,
): string {
  const head = [
    `dictionaries  ${layers.map(({ operator: { size, count } }) => `${size} x ${count}`).join(", ")}`,
    ...(quality
      ? [
          `coherence     ${quality.coherence.toPrecision(4)}   spark ${quality.spark.lower === quality.spark.upper ? quality.spark.lower : `${quality.spark.lower} to ${quality.spark.upper}`}`,
        ]
      : []),
  ];
  const lines = reports
    .slice(0, 10)
    .flatMap((r, k) => [
      "",
      ...(reports.length > 1 ? [`signal ${k}`] : []),
      `method        ${r.method}, ${r.iterations} iterations${r.lambda ? `, lambda ${r.lambda.map((l) => Number(l.toPrecision(6))).join(", ")}` : ""}`,
      `objective     ${r.objective.toPrecision(8)}${r.dualityGap === undefined ? "" : `   within ${r.dualityGap.toExponential(1)} of the least`}`,
      ...(r.optimality === undefined
        ? []
        : [`optimality    |D^T r| and signs are off by ${r.optimality.toExponential(1)}`]),
      `residual      ${r.residual.toPrecision(6)}`,
      `nonzeros      ${(r.sparsities ?? [r.sparsity]).join(", ")}${r.support.length <= 20 ? `: ${r.support.join(", ")}` : ""}`,
      ...(r.between
        ? [`between       |x - D x| of layers: ${r.between.map((v) => v.toPrecision(3)).join(", ")}`]
        : []),
      `unique        ${r.uniqueness.certified ? "yes" : "not shown"}: ${r.uniqueness.reason}`,
    ]);
  if (reports.length > 10) lines.push("", `and ${reports.length - 10} more signals: --json has all`);
  return [...head, ...lines].join("\n");
}
