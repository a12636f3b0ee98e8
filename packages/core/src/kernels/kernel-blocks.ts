// A kernel of examples block by block, whichever kernel it is: rows of the training examples up to the diagonal, and test
// examples against all of them.
import type { Graph } from "../graph/graph.ts";
import { cast, type Tensor } from "../graph/tensor.ts";
import type { Matrix } from "../linear-algebra/matrix-norm.ts";
import { someExamples } from "./empirical/blocks.ts";
import { type EmpiricalKernelOptions, empiricalKernel } from "./empirical-kernel.ts";
import { KernelError } from "./error.ts";
import type { Architecture } from "./limit/architecture.ts";
import { type LimitKernelOptions, limitKernelFunction } from "./limit-kernel.ts";
import { tangentNorms } from "./tangent-norms.ts";

/** A block of the kernel, and of the networks' covariance before training where that is another matrix. */
export interface PairBlock {
  readonly kernel: Matrix;
  readonly covariance: Matrix | undefined;
}

/** Test examples against all training examples. */
export interface TestBlock extends PairBlock {
  /** The variance of each test example before training. */
  readonly own: Float64Array;
}

export interface KernelBlocks {
  /** Training examples. */
  readonly examples: number;
  /** Rows from .. to - 1 and columns 0 .. to - 1; what is right of the diagonal may be missing. */
  rows(from: number, to: number): Promise<PairBlock>;
  test(x: Tensor): Promise<TestBlock>;
  /** Estimate of the error of quadrature so far, as a part of the second moments; 0: all maps are closed forms. */
  readonly error?: () => number;
}

const matrix = (rows: number, columns: number): Matrix => ({
  ...{ rows, columns, entries: new Float64Array(rows * columns) },
});

/**
 * The kernel of infinitely wide networks: of their output ("nngp"), or of their training ("ntk"), whose covariance is that
 * of the output.
 * @example (await limitBlocks("2-8-relu-1", tensor([[1, 1]]), "ntk").rows(0, 1)).kernel.entries // Float64Array [1]
 */
export function limitBlocks(
  model: Architecture,
  x: Tensor,
  kind: "ntk" | "nngp",
  options: LimitKernelOptions = {},
): KernelBlocks {
  const kernel = limitKernelFunction(model, options);
  const train = kernel.prepare(x);
  const n = train.examples.count;
  const block = (nngp: Matrix, ntk: Matrix): PairBlock =>
    kind === "ntk" ? { kernel: ntk, covariance: nngp } : { kernel: nngp, covariance: undefined };
  return {
    examples: n,
    error: kernel.error,
    async rows(from, to) {
      const [nngp, ntk] = [matrix(to - from, to), matrix(to - from, to)];
      const into = { nngp: nngp.entries, ntk: ntk.entries, start: 0, stride: to, isLower: true };
      await kernel.write({ x: train, rows: [from, to], z: train, columns: [0, to] }, into);
      return block(nngp, ntk);
    },
    async test(z) {
      const test = kernel.prepare(z);
      const m = test.examples.count;
      const [nngp, ntk] = [matrix(m, n), matrix(m, n)];
      const into = { nngp: nngp.entries, ntk: ntk.entries, start: 0, stride: n, isLower: false };
      await kernel.write({ x: test, rows: [0, m], z: train, columns: [0, n] }, into);
      return { ...block(nngp, ntk), own: test.nngp };
    },
  };
}

/**
 * The tangent kernel of a network at its weights, for the mean of its outputs or one of them.
 * @example (await empiricalBlocks(denseNetwork([{ W: [[3, 4]], b: [1] }], "linear"), tensor([[1, 0]])).rows(0, 1)).kernel.entries // Float64Array [2]
 */
export function empiricalBlocks(
  model: Graph,
  x: Tensor,
  {
    outputs = "mean",
    ...options
  }: { readonly outputs?: "mean" | number } & Pick<
    EmpiricalKernelOptions,
    "memory" | "progress" | "scales"
  > = {},
): KernelBlocks {
  const train = cast(x, "float64");
  const asMatrix = (found: { rows: number; columns: number; ntk: Float64Array }): Matrix => ({
    ...{ rows: found.rows, columns: found.columns, entries: found.ntk },
  });
  return {
    examples: train.dims[0]!,
    async rows(from, to) {
      const isWhole = from === 0;
      const rows = someExamples(train, from, to - from);
      const other = isWhole ? {} : { other: someExamples(train, 0, to) };
      const found = await empiricalKernel(model, rows, { ...options, outputs, ...other });
      return { kernel: asMatrix(found), covariance: undefined };
    },
    async test(z) {
      const found = await empiricalKernel(model, z, { ...options, outputs, other: train });
      return {
        kernel: asMatrix(found),
        covariance: undefined,
        own: await ownKernel(model, z, outputs, options),
      };
    },
  };
}

/** k(x, x) of each example. */
async function ownKernel(
  model: Graph,
  x: Tensor,
  asked: "mean" | number,
  options: Pick<EmpiricalKernelOptions, "memory" | "scales">,
): Promise<Float64Array> {
  const { examples, outputs, weights } = await tangentNorms(model, x, options);
  if (asked !== "mean" && !(asked < outputs))
    throw new KernelError(`no output ${asked}; there are 0 to ${outputs - 1}`);
  const own = new Float64Array(examples);
  for (const norms of weights.values())
    for (let i = 0; i < examples; i++)
      for (let o = 0; o < outputs; o++)
        if (asked === "mean") own[i]! += norms[i * outputs + o]! / outputs;
        else if (asked === o) own[i]! += norms[i * outputs + o]!;
  return own;
}
