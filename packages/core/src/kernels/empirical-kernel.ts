// The tangent kernel of a network as it is: K(x, x') = J(x) J(x')^T with the Jacobian J by all weights, which nobody stores.
// Of a dense layer it is <d, d'> <h, h'> with what comes back d and the operand h; blocks of examples fit memory.
import type { Graph } from "../graph/graph.ts";
import { cast, type Tensor } from "../graph/tensor.ts";
import { backwardModel } from "./empirical/backward.ts";
import { examplesAtOnce, outputCount, outputShape, someExamples } from "./empirical/blocks.ts";
import { type BlockFeatures, featuresOf, type Rows, type WeightFeatures } from "./empirical/features.ts";
import { gram } from "./empirical/gram.ts";
import { KernelError } from "./error.ts";

export interface EmpiricalKernelOptions {
  /** The columns' examples; default: those of the rows. */
  readonly other?: Tensor;
  /**
   * "mean": the mean of the kernels of all outputs (the trace over outputs, divided by their number); "all": row i K + o
   * for output o of example i, of K outputs; a number: that output alone. Default "mean".
   */
  readonly outputs?: "mean" | "all" | number;
  /** The kernel of each weight, too: they sum to the whole. */
  readonly perWeight?: boolean;
  /** The weights to differentiate by; default: all that training changes. */
  readonly wrt?: readonly string[];
  /** By the weight's name, the factor that stands before what is trained: its kernel counts with the square. Default 1. */
  readonly scales?: ReadonlyMap<string, number>;
  /** Bytes that the gradients of a block of examples may take; default 256 MB. */
  readonly memory?: number;
  /** Threads within an operation; default: all cores. */
  readonly threads?: number;
  /** Called with the part that is done. */
  readonly progress?: (part: number) => void;
}

export interface EmpiricalKernel {
  readonly rows: number;
  readonly columns: number;
  readonly ntk: Float64Array;
  /** By the weights' names, if asked for. */
  readonly weights: ReadonlyMap<string, Float64Array>;
}

/**
 * The tangent kernel of a network at its weights, in float64.
 * @example (await empiricalKernel(denseNetwork([{ W: [[3, 4]], b: [1] }], "linear"), tensor([[1, 0], [1, 2]]))).ntk // Float64Array [2, 2, 2, 6]
 */
export async function empiricalKernel(
  model: Graph,
  x: Tensor,
  options: EmpiricalKernelOptions = {},
): Promise<EmpiricalKernel> {
  const { other, outputs = "mean", perWeight = false, wrt, memory = 2 ** 28, threads, progress } = options;
  const { scales } = options;
  const read = backwardModel(model, wrt);
  const shape = outputShape(read, x);
  const asked = askedOutputs(outputs, outputCount(shape));
  const [left, right] = [cast(x, "float64"), cast(other ?? x, "float64")];
  const copies = outputs === "all" ? asked.length : 1;
  const [n, m] = [left.dims[0]!, right.dims[0]!];
  const matrix = (): Float64Array => new Float64Array(n * copies * m * copies);
  const parts = new Map(perWeight ? read.uses.map(({ weight }) => [weight, matrix()] as const) : []);
  const whole = matrix();
  const step = examplesAtOnce(read, left, asked.length, memory);
  for (let from = 0; from < n; from += step) {
    const rows = await featuresOf(read, someExamples(left, from, step), shape, asked, threads);
    for (let at = other ? 0 : from; at < m; at += step) {
      const isSame = !other && at === from;
      const columns = isSame
        ? rows
        : await featuresOf(read, someExamples(right, at, step), shape, asked, threads);
      const place = {
        row: from * copies,
        column: at * copies,
        stride: m * copies,
        isMirrored: !other && !isSame,
      };
      const known: Known = { back: new Map(), threads };
      for (const [k, { weight }] of read.uses.entries()) {
        const factor = (scales?.get(weight) ?? 1) ** 2;
        if (factor === 0) continue;
        const found = await weightKernel(rows.weights[k]!, columns.weights[k]!, rows, columns, copies, known);
        for (const target of [whole, parts.get(weight)])
          if (target) addBlock(target, found, rows.count * copies, columns.count * copies, place, factor);
      }
    }
    progress?.(Math.min(1, (from + step) / n));
  }
  const scale = outputs === "mean" ? 1 / asked.length : 1;
  for (const k of [whole, ...parts.values()]) for (let i = 0; i < k.length; i++) k[i]! *= scale;
  return { rows: n * copies, columns: m * copies, ntk: whole, weights: parts };
}

function askedOutputs(outputs: "mean" | "all" | number, count: number): readonly number[] {
  if (typeof outputs !== "number") return Array.from({ length: count }, (_, o) => o);
  if (Number.isInteger(outputs) && outputs >= 0 && outputs < count) return [outputs];
  throw new KernelError(`no output ${outputs}; there are 0 to ${count - 1}`);
}

interface Known {
  /** Products of what comes back, by that of the rows: a weight and its bias share them. */
  readonly back: Map<Rows, Float64Array>;
  readonly threads: number | undefined;
}

/** The outputs of an example in one row, so that a product sums over them, unless each has a row of its own. */
const asRows = ({ entries, width }: Rows, outputs: number, copies: number): Rows => ({
  entries,
  width: copies > 1 ? width : width * outputs,
});

/** sum_o <d_o, d'_o>, or <d_o, d'_p> for all pairs of outputs; times <h, h'> where there is an operand. */
async function weightKernel(
  a: WeightFeatures,
  b: WeightFeatures,
  { count: height, outputs }: BlockFeatures,
  { count: width }: BlockFeatures,
  copies: number,
  { back: known, threads }: Known,
): Promise<Float64Array> {
  const rows = asRows(a.back, outputs, copies);
  const back =
    known.get(a.back) ??
    (await gram(rows, a.back === b.back ? rows : asRows(b.back, outputs, copies), threads));
  known.set(a.back, back);
  if (!a.operand || !b.operand) return back;
  const inner = await gram(a.operand, b.operand, threads);
  if (copies === 1) return inner.map((value, n) => value * back[n]!);
  const result = back.slice();
  for (let r = 0, n = 0; r < height * copies; r++)
    for (let c = 0; c < width * copies; c++, n++)
      result[n]! *= inner[Math.floor(r / copies) * width + Math.floor(c / copies)]!;
  return result;
}

interface Place {
  readonly row: number;
  readonly column: number;
  readonly stride: number;
  readonly isMirrored: boolean;
}

function addBlock(
  target: Float64Array,
  block: Float64Array,
  rows: number,
  columns: number,
  { row, column, stride, isMirrored }: Place,
  factor: number,
): void {
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) {
      const value = factor * block[i * columns + j]!;
      target[(row + i) * stride + column + j]! += value;
      if (isMirrored) target[(column + j) * stride + row + i]! += value;
    }
}
