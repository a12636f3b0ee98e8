import { createHash } from "node:crypto";
import { encodeData, writeNpz } from "@lemmata/core/data";
import { type Tensor, view } from "@lemmata/core/graph";
import type { Matrix } from "@lemmata/core/linear-algebra";
import { elapsed } from "../elapsed.ts";
import { readBytes, writeWhole } from "../files.ts";
import { type KernelData, kernelData } from "../kernel-data.ts";
import { KernelFile, type KernelSettings, unfinished } from "../kernel-file.ts";
import { kernelModel } from "../kernel-model.ts";
import { isModelFile, type KernelCommandOptions, type KernelPlan, kernelPlan } from "../kernel-options.ts";
import { kernelRecord, kernelText } from "../kernel-text.ts";
import { inMemory, type KernelFindings, type KernelTask, onDisk, type Tell } from "../kernel-work.ts";
import { memoryAllowed } from "../limits.ts";
import { print, printJson } from "../output.ts";
import { interruptSignal, progressBar, remark } from "../progress.ts";
import { UsageError } from "../usage-error.ts";

/** `lemmata kernel "784-512-relu-512-relu-10" --data mnist --count 1000` */
export default async function kernelCommand(net: string, options: KernelCommandOptions): Promise<void> {
  const plan = kernelPlan(net, options);
  const model = await kernelModel(net, plan, options.seed);
  const data = kernelData(model.inputShape, options);
  const isStored = storage(data, options) === "disk";
  const bars = progressBars(options);
  const blocks = model.blocks(data.train.x, (part) => bars.tell("gradients", part));
  const task: KernelTask = {
    ...{ blocks, data, plan, tell: bars.tell, signal: interruptSignal() },
    isPredicted: options.prediction,
    keepsTest: options.out !== undefined,
  };
  const file = isStored ? openFile(net, plan, data, options) : undefined;
  const findings = file ? await diskFindings(task, file, options) : await inMemory(task);
  const layers = await model.layers(data.train.x);
  file?.finish();
  await bars.done();
  write(findings, data, options);
  const bytes = 8 * data.train.x.dims[0]! ** 2;
  const peakBytes = 1024 * process.resourceUsage().maxRSS;
  const result = {
    ...{ net, plan, data, findings, layers, seconds: elapsed(), quadratureError: blocks.error?.() },
    storage: { where: file ? "disk" : "memory", matrixBytes: bytes, peakBytes } as const,
  };
  if (options.json) return printJson(kernelRecord(result));
  print(kernelText(result, options));
  const written = [options.out, options.predictions].filter((path) => path !== undefined);
  if (written.length > 0 && !options.quiet) print(`written: ${written.join(", ")}`);
}

/** What stays in the file, when something stops the work on it, is said. */
async function diskFindings(
  task: KernelTask,
  file: KernelFile,
  options: KernelCommandOptions,
): Promise<KernelFindings> {
  try {
    return await onDisk(task, file);
  } catch (error) {
    file.close();
    remark(`what is done is in ${unfinished(options.out!)}: the same command with --resume goes on`, options);
    throw error;
  }
}

/** A bar for each part of the work, which takes a time of its own. */
function progressBars(options: KernelCommandOptions): { readonly tell: Tell; done(): Promise<void> } {
  let [label, bar] = ["kernel", progressBar("kernel", options)];
  return {
    tell(next, part, note) {
      if (next !== label) [label, bar] = [next, progressBar(next, options)];
      bar.update(part, note);
    },
    done: () => bar.done(),
  };
}

/** What the process takes without any matrix, and how many matrices the spectral decomposition works on. */
const [baseBytes, copies] = [0.5e9, 8];
/** The share of the memory at which the guard ends a command. */
const alarm = 0.85;

/** In memory where everything fits; else on disk, in the file that was asked for. */
function storage({ train, test }: KernelData, options: KernelCommandOptions): "memory" | "disk" {
  if (options.onDisk || options.resume) return "disk";
  const [n, m] = [train.x.dims[0]!, test?.x.dims[0] ?? 0];
  const kept = options.out === undefined ? 0 : 3 * (n * n + m * n); // as a matrix, as .npy and in the archive
  const needed = baseBytes + 8 * (copies * n * n + kept + 4 * train.x.data.length);
  if (needed <= alarm * memoryAllowed(options.memory)) return "memory";
  if (options.out !== undefined) return "disk";
  throw new UsageError(
    `a kernel of ${n} examples takes ${(needed / 1e9).toPrecision(2)} GB of memory: --out K.npz keeps it on disk, --memory allows more, --count takes fewer examples`,
  );
}

function openFile(
  net: string,
  plan: KernelPlan,
  data: KernelData,
  { out, resume = false, seed }: KernelCommandOptions,
): KernelFile {
  const [n, m] = [data.train.x.dims[0]!, data.test?.x.dims[0] ?? 0];
  const shapes = [
    { name: "k", rows: n, columns: n },
    ...(data.test ? [{ name: "k_test", rows: m, columns: n }] : []),
  ];
  const settings: KernelSettings = {
    ...{ kind: plan.kind, parameterization: plan.parameterization, wStd: plan.wStd, bStd: plan.bStd },
    ...{ output: plan.outputs, seed: plan.kind === "empirical" ? seed : null },
    network: isModelFile(net) || /\.json$/i.test(net) ? digest(readBytes(net)) : shortened(net),
    data: digestOf(data.train.x),
    test: data.test ? digestOf(data.test.x) : null,
  };
  return KernelFile.open(out!, shapes, settings, { resume });
}

/** As it is written, so that a person can read what differs, unless that is very long. */
const shortened = (net: string): string =>
  net.length <= 1000 ? net : `${net.slice(0, 100)}... ${digest(new TextEncoder().encode(net))}`;
const digest = (...parts: readonly Uint8Array[]): string => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex").slice(0, 16);
};
const digestOf = ({ dims, data }: Tensor): string => {
  const { buffer, byteOffset, byteLength } = data as Float64Array;
  return digest(new TextEncoder().encode(`${dims}`), new Uint8Array(buffer, byteOffset, byteLength));
};

const asTensor = ({ rows, columns, entries }: Matrix): Tensor => view("float64", [rows, columns], entries);

/** All that is asked for is made before any of it is written; what is on disk is there already. */
function write(
  { kernel, testKernel, predictions }: KernelFindings,
  data: KernelData,
  options: KernelCommandOptions,
): void {
  const files = new Map<string, Uint8Array>();
  if (options.out !== undefined && kernel)
    files.set(
      options.out,
      writeNpz({ k: asTensor(kernel), ...(testKernel && { k_test: asTensor(testKernel) }) }),
    );
  if (options.predictions !== undefined && predictions)
    files.set(options.predictions, encodeData(options.predictions, predictionTensors(predictions, data)));
  for (const [path, bytes] of files) writeWhole(path, bytes);
}

function predictionTensors(
  { train, test, variance }: NonNullable<KernelFindings["predictions"]>,
  data: KernelData,
): Record<string, Tensor> {
  return {
    train: asTensor(train),
    ...(test && { test: asTensor(test) }),
    ...(variance && data.test && { variance: view("float64", [variance.length], variance) }),
  };
}
