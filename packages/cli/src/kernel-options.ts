// What the command line says about a kernel, as the library reads it.
import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import type { Parameterization } from "@lemmata/core/kernels";
import { oneOf } from "./choice.ts";
import { checkOutput } from "./files.ts";
import type { KernelDataOptions } from "./kernel-data.ts";
import type { CommonOptions } from "./output.ts";
import { UsageError } from "./usage-error.ts";

export type KernelKind = "ntk" | "nngp" | "empirical";

export interface KernelCommandOptions extends CommonOptions, KernelDataOptions {
  readonly kind: string;
  readonly parameterization?: string;
  readonly wStd?: number;
  readonly bStd?: number;
  readonly output?: string;
  readonly ridge: number;
  readonly time: string;
  readonly optimizerRate?: number;
  readonly prediction: boolean;
  readonly variance?: boolean;
  readonly out?: string;
  readonly predictions?: string;
  readonly onDisk?: boolean;
  readonly resume?: boolean;
  readonly memory?: number;
}

export interface KernelPlan {
  readonly kind: KernelKind;
  readonly parameterization: Parameterization;
  readonly wStd: number;
  readonly bStd: number;
  readonly outputs: "mean" | number;
  readonly ridge: number;
  readonly time: number;
  readonly rate: number | undefined;
  /** Whether the variance is wanted where it takes a solve for each test example. */
  readonly variance: boolean;
}

export const isModelFile = (net: string): boolean => /\.onnx$/i.test(net);

/** What would stop the command at its end is said at its beginning. */
export function kernelPlan(net: string, options: KernelCommandOptions): KernelPlan {
  const kind = oneOf("--kind", options.kind, ["ntk", "nngp", "empirical"]);
  checkFiles(net, options);
  if (kind === "empirical") checkEmpirical(net, options);
  else if (options.output !== undefined)
    throw new UsageError(`--output is for --kind empirical: all outputs share the ${kind} kernel`);
  const time = /^inf(inity)?$/i.test(options.time) ? Number.POSITIVE_INFINITY : Number(options.time);
  if (options.time.trim() === "" || !(time >= 0))
    throw new UsageError(`--time ${options.time}: a number from 0 up, or inf`);
  const rate = options.optimizerRate;
  if (rate === 0) throw new UsageError("--optimizer-rate 0: a rate is above 0");
  if (rate !== undefined && Number.isFinite(time) && !Number.isInteger(time))
    throw new UsageError(`--time ${options.time}: with --optimizer-rate it is a whole number of steps`);
  return {
    kind,
    parameterization: parameterizationOf(net, kind, options),
    wStd: options.wStd ?? 1,
    bStd: options.bStd ?? 0,
    outputs: outputOf(options.output),
    ridge: options.ridge,
    time,
    rate,
    variance: options.variance ?? false,
  };
}

function checkFiles(net: string, options: KernelCommandOptions): void {
  const { out, predictions, prediction, variance, onDisk, resume } = options;
  checkOutput("--out", out, ".npz");
  checkOutput("--predictions", predictions, ".npz", ".json");
  const read = { "the network": net, "--data": options.data, "--test": options.test, "--out": out };
  for (const [option, written] of Object.entries({ "--out": out, "--predictions": predictions }))
    for (const [other, path] of Object.entries(read))
      if (written !== undefined && path !== undefined && option !== other && isSameFile(written, path))
        throw new UsageError(`${option} ${written} is the file of ${other}, which it would replace`);
  if (predictions !== undefined && !prediction)
    throw new UsageError("--predictions and --no-prediction exclude each other");
  if (variance && !prediction) throw new UsageError("--variance and --no-prediction exclude each other");
  for (const [option, given] of Object.entries({ "--on-disk": onDisk, "--resume": resume }))
    if (given && out === undefined)
      throw new UsageError(`${option} needs --out K.npz, where the matrix is kept`);
}

/** Of paths to files that are there, whatever links lead to them. */
function isSameFile(a: string, b: string): boolean {
  const [one, other] = [a, b].map((path) => (existsSync(path) ? realpathSync(path) : resolve(path)));
  return one === other;
}

function checkEmpirical(net: string, { wStd, bStd, parameterization }: KernelCommandOptions): void {
  for (const [option, given] of Object.entries({ "--w-std": wStd, "--b-std": bStd }))
    if (given !== undefined && isModelFile(net))
      throw new UsageError(
        `${option} is for --kind ntk and nngp, or an architecture: an ONNX file has its weights`,
      );
  if (parameterization !== undefined && isModelFile(net))
    throw new UsageError(
      "--parameterization is for --kind ntk and nngp, or an architecture: an ONNX file has its weights",
    );
}

/** The weights of a file are the parameters as they are. */
function parameterizationOf(
  net: string,
  kind: KernelKind,
  { parameterization }: KernelCommandOptions,
): Parameterization {
  if (kind === "empirical" && isModelFile(net)) return "standard";
  return oneOf("--parameterization", parameterization ?? "ntk", ["ntk", "standard"]);
}

function outputOf(given = "mean"): "mean" | number {
  if (given === "mean") return given;
  const output = Number(given);
  if (given.trim() === "" || !Number.isInteger(output) || output < 0)
    throw new UsageError(`--output ${given}: the number of an output, from 0 up, or mean`);
  return output;
}
