// The work on a kernel, in memory or on disk: the matrices, their spectrum, and what is predicted with them.
import { type Tensor, view } from "@lemmata/core/graph";
import {
  fillSymmetric,
  type KernelBlocks,
  type KernelSpectrum,
  kernelMoments,
  kernelRegression,
  kernelSpectrum,
  matrixInMemory,
  rowBlocks,
  rowsAtOnce,
  type StoredMatrix,
  type StoredRegression,
  spectrumEnds,
  storedRegression,
  storedSpectrum,
  unstoredProduct,
  writeSymmetric,
} from "@lemmata/core/kernels";
import { type Matrix, matrixProduct } from "@lemmata/core/linear-algebra";
import type { KernelData } from "./kernel-data.ts";
import type { KernelFile } from "./kernel-file.ts";
import type { KernelPlan } from "./kernel-options.ts";

/** Tells how far a part of the work has come. */
export type Tell = (label: string, part: number, note?: string) => void;

export interface KernelTask {
  readonly blocks: KernelBlocks;
  readonly data: KernelData;
  readonly plan: KernelPlan;
  readonly isPredicted: boolean;
  /** Whether anybody wants the kernel between test and training examples for itself. */
  readonly keepsTest: boolean;
  readonly tell: Tell;
  readonly signal: AbortSignal;
}

export interface Predictions {
  /** On the training examples, and on the test examples. */
  readonly train: Matrix;
  readonly test: Matrix | undefined;
  /** At each test example; absent where it was not computed. */
  readonly variance: Float64Array | undefined;
  readonly solver: string;
  /** Passes over the matrix, and what they left of the targets. */
  readonly products?: number;
  readonly residual?: number | undefined;
}

export interface KernelFindings {
  readonly trace: number;
  readonly effectiveRank: number;
  readonly spectrum: KernelSpectrum;
  readonly predictions: Predictions | undefined;
  readonly kernel?: Matrix;
  readonly testKernel?: Matrix | undefined;
}

/** Test examples that are looked at together. */
const mostTestRows = 512;
const testStep = (examples: number): number => Math.min(mostTestRows, rowsAtOnce(examples));

function someRows({ type, dims, data }: Tensor, from: number, to: number): Tensor {
  const width = data.length / dims[0]!;
  return view(
    type as "float64",
    [to - from, ...dims.slice(1)],
    (data as Float64Array).subarray(from * width, to * width),
  );
}

/** Everything in memory: one spectral decomposition answers all questions. */
export async function inMemory(task: KernelTask): Promise<KernelFindings> {
  const { blocks, data, plan, tell, signal, isPredicted, keepsTest } = task;
  const n = blocks.examples;
  const kernel = matrixInMemory(n, n);
  const covariance = isPredicted && data.test && plan.kind === "ntk" ? matrixInMemory(n, n) : undefined;
  const rows = async (from: number, to: number): Promise<Float64Array> => {
    const block = await blocks.rows(from, to);
    if (covariance && block.covariance) writeSymmetric(covariance, from, to, block.covariance.entries);
    return block.kernel.entries;
  };
  await fillSymmetric(kernel, rows, { signal, onRows: (done) => tell("kernel", (done / n) ** 2) });
  const { trace, effectiveRank } = await kernelMoments(kernel, signal);
  tell("eigenvalues", 0);
  const regression = isPredicted ? await kernelRegression(kernel, data.train.targets, plan) : undefined;
  const spectrum = regression ? spectrumEnds(regression.eigenvalues) : await kernelSpectrum(kernel);
  const m = data.test?.x.dims[0] ?? 0;
  const testKernel = data.test && keepsTest ? matrixInMemory(m, n) : undefined;
  const test = regression && data.test && matrixInMemory(m, data.train.targets.columns);
  const variance = new Float64Array(m);
  for (let from = 0; from < (test || testKernel ? m : 0); from += testStep(n)) {
    signal.throwIfAborted();
    const to = Math.min(m, from + testStep(n));
    const block = await blocks.test(someRows(data.test!.x, from, to));
    testKernel?.write(from, 0, block.kernel);
    if (test && regression) {
      test.write(from, 0, await regression.predict(block.kernel));
      const initial = covariance && block.covariance && { train: covariance, test: block.covariance };
      variance.set(await regression.variance(block.kernel, block.own, initial), from);
    }
    tell("test", to / m);
  }
  const predictions = regression && {
    ...{ train: regression.fitted, test, solver: "spectral decomposition" },
    variance: data.test && variance,
  };
  return { trace, effectiveRank, spectrum, predictions, kernel, testKernel };
}

/** The matrices in a file: what is asked of them is answered by passes over it. */
export async function onDisk(task: KernelTask, file: KernelFile): Promise<KernelFindings> {
  const { blocks, data, plan, tell, signal, isPredicted } = task;
  const n = blocks.examples;
  const kernel = file.matrix("k");
  await fillSymmetric(kernel, async (from, to) => (await blocks.rows(from, to)).kernel.entries, {
    signal,
    from: file.done("k"),
    onRows: (done) => {
      file.note("k", done);
      tell("kernel", (done / n) ** 2);
    },
  });
  const testKernel = data.test && file.matrix("k_test");
  if (testKernel) await fillTest(task, file, testKernel);
  const { trace, effectiveRank } = await kernelMoments(kernel, signal);
  const spectrum = await storedSpectrum(kernel, { signal, onStep: (part) => tell("eigenvalues", part) });
  if (!isPredicted) return { trace, effectiveRank, spectrum, predictions: undefined };
  const regression = await storedRegression(kernel, data.train.targets, {
    ...{ ridge: plan.ridge, time: plan.time, rate: plan.rate, signal },
    greatest: spectrum.max * (1 + lanczosError),
    onStep: (part, left) => tell("solving", part, left === undefined ? "" : `${left.toExponential(1)} left`),
  });
  const { products, residual, method: solver } = regression;
  const test = testKernel && (await product(testKernel, regression.coefficients, signal));
  const variance = testKernel && plan.variance ? await storedVariance(task, regression) : undefined;
  const predictions = { train: regression.fitted, test, variance, solver, products, residual };
  return { trace, effectiveRank, spectrum, predictions };
}

/** How far below the greatest eigenvalue its estimate may be. */
const lanczosError = 1e-6;

async function fillTest(
  { blocks, data, tell, signal }: KernelTask,
  file: KernelFile,
  testKernel: StoredMatrix,
): Promise<void> {
  const step = testStep(blocks.examples);
  for (let from = file.done("k_test"); from < testKernel.rows; from += step) {
    signal.throwIfAborted();
    const to = Math.min(testKernel.rows, from + step);
    testKernel.write(from, 0, (await blocks.test(someRows(data.test!.x, from, to))).kernel);
    file.note("k_test", to);
    tell("test", to / testKernel.rows);
  }
}

/** The variance at the test examples: as many at once as fit, since passes over the kernel serve all of them. */
async function storedVariance(
  { blocks, data, tell, signal }: KernelTask,
  regression: StoredRegression,
): Promise<Float64Array> {
  const [n, { x }] = [blocks.examples, data.test!];
  const variance = new Float64Array(x.dims[0]!);
  const rows = async (from: number, to: number) => (await blocks.rows(from, to)).covariance!.entries;
  const train = unstoredProduct(n, rows, { signal });
  for (let from = 0, step = testStep(n); from < variance.length; from += step) {
    const to = Math.min(variance.length, from + step);
    const { kernel, own, covariance } = await blocks.test(someRows(x, from, to));
    const initial = covariance && { train, test: covariance };
    variance.set(await regression.variance(kernel, own, initial), from);
    tell("variance", to / variance.length);
  }
  return variance;
}

/** A stored matrix times one in memory. */
async function product(a: StoredMatrix, b: Matrix, signal: AbortSignal): Promise<Matrix> {
  const result = matrixInMemory(a.rows, b.columns);
  for await (const block of rowBlocks(a, signal)) result.write(block.from, 0, await matrixProduct(block, b));
  return result;
}
