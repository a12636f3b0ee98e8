// A classifier of SVM class (book 1, section 8.3.6): scores f_c(x) = sum_i a_ci e^(-|x - x_i|^2 / 2 s^2) over some of the
// examples, fitted to +1 and -1 by ridge regression on all of them. In the space of the kernel it is a linear readout, and
// |k(x) - k(y)|^2 = 2 - 2 e^(-|x - y|^2 / 2 s^2) there: the lead over a class falls by no more than |w_c - w_d| times that.
// Solved by conjugate gradients in coordinates in which few examples would be all there are (Rudi, Carratino, Rosasco 2017).
import { run } from "../engine/run.ts";
import { release } from "../engine/session.ts";
import { float32, float64, graph } from "../graph/builder.ts";
import type { Graph } from "../graph/graph.ts";
import { view } from "../graph/tensor.ts";
import { rowsIn, wholeBlock } from "../linear-algebra/block.ts";
import { cholesky, type Matrix, matrixProduct, simultaneousGradients } from "../linear-algebra/index.ts";
import { transposeOf } from "../linear-algebra/svd.ts";
import { solveTriangular } from "../linear-algebra/triangular.ts";
import { createRandom, type Random } from "../numbers/random.ts";
import { ScatteringError } from "./error.ts";
import type { CertifiedRadius } from "./readout.ts";

/** An example a row, in single or double precision; kernels are computed in single precision. */
export interface Examples {
  readonly rows: number;
  readonly columns: number;
  readonly entries: Float32Array | Float64Array;
}

export interface KernelClasses {
  readonly centres: Examples;
  /** s */
  readonly bandwidth: number;
  /** a: a row a class, a column a centre. */
  readonly coefficients: Matrix;
  /** <w_c, w_d> in the space of the kernel. */
  readonly products: Matrix;
  /** What is left of the equations, relative, at worst. */
  readonly residual: number;
}

export interface KernelOptions {
  readonly classes: number;
  /** s */
  readonly bandwidth: number;
  /** Added to the squared error: ridge |w|^2. */
  readonly ridge: number;
  /** How many examples are centres, drawn at random; default: all, at most 2000. */
  readonly centres?: number;
  readonly random?: Random;
  /** Called after each pass over the examples with what is left of the equations. */
  readonly onStep?: (residual: number) => void;
  readonly signal?: AbortSignal;
}

/** Examples a call of the engine; equations are solved to this; passes over the examples. */
const [atOnce, tolerance, mostPasses] = [1000, 1e-4, 60];
/** What rounding in single precision may take from an eigenvalue of the kernel's matrix, a centre. */
const rounding = 2 ** -22;

/**
 * Fits the scores of each class.
 * @example (await kernelClasses({ rows: 2, columns: 1, entries: Float64Array.of(0, 1) }, [0, 1], { classes: 2, bandwidth: 1, ridge: 0.1 })).centres.rows // 2
 */
export async function kernelClasses(
  examples: Examples,
  labels: ArrayLike<number>,
  { classes, bandwidth, ridge, centres: wanted, random = createRandom(0), onStep, signal }: KernelOptions,
): Promise<KernelClasses> {
  const { rows: n } = examples;
  if (labels.length !== n) throw new ScatteringError(`${labels.length} labels for ${n} examples`);
  if (!(bandwidth > 0 && ridge > 0))
    throw new ScatteringError(`a bandwidth and a ridge are above 0, not ${bandwidth} and ${ridge}`);
  const m = Math.min(n, wanted ?? 2000);
  const chosen =
    m === n ? Int32Array.from({ length: n }, (_, i) => i) : random.permutation(n).slice(0, m).sort();
  const centres = rowsOf(examples, chosen);
  const kernel = kernelGraph(bandwidth);
  const passing = normalGraph();
  const targets = Float64Array.from({ length: n * classes }, (_, k) =>
    labels[Math.floor(k / classes)] === k % classes ? 1 : -1,
  );
  const blocks: Float32Array[] = [];
  const right = new Float64Array(classes * m);
  for (let from = 0; from < n; from += atOnce) {
    signal?.throwIfAborted();
    const to = Math.min(n, from + atOnce);
    const block = await kernelBlock(kernel, part(examples, from, to), centres);
    blocks.push(block);
    const own = targets.subarray(from * classes, to * classes);
    const { z } = await run(passing.right, {
      k: view("float32", [to - from, m], block),
      y: view("float64", [to - from, classes], own),
    });
    add(right, z!.data as Float64Array);
  }
  const gram = await gramOf(kernel, centres);
  await release(kernel);
  const { factor: T } = await cholesky(gram);
  const inner = await matrixProduct(T, transposeOf(T));
  for (let k = 0; k < inner.entries.length; k++) inner.entries[k]! *= n / m;
  for (let i = 0; i < m; i++) inner.entries[i * (m + 1)]! += ridge;
  const { factor: S } = await cholesky(inner);
  // a = T^-1 S^-1 b, where (S T)^T (S T) = n/m K^2 + ridge K would be the equations if the centres were all there is.
  const solve = async (v: Matrix, back: boolean): Promise<Matrix> => {
    const columns = transposeOf(v);
    const form = { half: "upper", transposed: back } as const;
    for (const triangle of back ? [T, S] : [S, T])
      await solveTriangular(wholeBlock(triangle), form, rowsIn(columns.entries, m, v.rows));
    return transposeOf(columns);
  };
  const product = async (b: Matrix): Promise<Matrix> => {
    signal?.throwIfAborted();
    const a = await solve(b, false);
    const image = (await matrixProduct(a, gram)).entries.map((v) => ridge * v);
    const v = view("float64", [a.rows, m], a.entries);
    for (const block of blocks) {
      const { z } = await run(passing.normal, { k: view("float32", [block.length / m, m], block), v });
      add(image, z!.data as Float64Array);
    }
    return solve({ ...a, entries: image }, true);
  };
  const wantedRows = await solve({ rows: classes, columns: m, entries: right }, true);
  const { solution, residual } = await simultaneousGradients(product, wantedRows, {
    ...{ tolerance, steps: mostPasses },
    ...(onStep && { onStep }),
    ...(signal && { signal }),
  });
  const coefficients = await solve(solution, false);
  await release(passing.right);
  await release(passing.normal);
  const products = await matrixProduct(await matrixProduct(coefficients, gram), transposeOf(coefficients));
  return { centres, bandwidth, coefficients, products, residual };
}

/**
 * The score of each class (columns) for each input (rows).
 * @example (await kernelScores(await kernelClasses({ rows: 2, columns: 1, entries: Float64Array.of(0, 9) }, [0, 1], { classes: 2, bandwidth: 1, ridge: 1e-3 }), { rows: 1, columns: 1, entries: Float64Array.of(0) })).entries.map(Math.round) // Float64Array [1, -1]
 */
export async function kernelScores(
  { centres, bandwidth, coefficients }: KernelClasses,
  inputs: Examples,
): Promise<Matrix> {
  const { rows } = inputs;
  const classes = coefficients.rows;
  const kernel = kernelGraph(bandwidth);
  const turned = transposeOf(coefficients);
  const entries = new Float64Array(rows * classes);
  for (let from = 0; from < rows; from += atOnce) {
    const to = Math.min(rows, from + atOnce);
    const block = await kernelBlock(kernel, part(inputs, from, to), centres);
    const known = { rows: to - from, columns: centres.rows, entries: Float64Array.from(block) };
    entries.set((await matrixProduct(known, turned)).entries, from * classes);
  }
  await release(kernel);
  return { rows, columns: classes, entries };
}

/**
 * The radius within which the greatest of these scores stays it, if features move by at most `expansion` times as much.
 * @example certifiedKernelRadius(await kernelClasses({ rows: 2, columns: 1, entries: Float64Array.of(0, 9) }, [0, 1], { classes: 2, bandwidth: 1, ridge: 1e-3 }), [1, -1]).predicted // 0
 */
export function certifiedKernelRadius(
  { products, bandwidth }: Pick<KernelClasses, "products" | "bandwidth">,
  scores: ArrayLike<number>,
  expansion = 1,
): CertifiedRadius {
  let predicted = 0;
  for (let c = 1; c < scores.length; c++) if (scores[c]! > scores[predicted]!) predicted = c;
  const product = (c: number, d: number): number => products.entries[c * products.columns + d]!;
  let [rival, radius] = [predicted, Number.POSITIVE_INFINITY];
  for (let c = 0; c < scores.length; c++) {
    if (c === predicted) continue;
    const norm = Math.sqrt(
      Math.max(0, product(predicted, predicted) - 2 * product(predicted, c) + product(c, c)),
    );
    // The distance in the space of the kernel that takes the lead: it is below sqrt 2 there.
    const lead = scores[predicted]! - scores[c]!;
    // Classes whose scores never differ never change places, unless they are level.
    const reach = norm > 0 ? lead / norm : lead > 0 ? Number.POSITIVE_INFINITY : 0;
    const own =
      reach >= Math.SQRT2
        ? Number.POSITIVE_INFINITY
        : bandwidth * Math.sqrt(-2 * Math.log1p(-(reach ** 2) / 2));
    if (own / expansion < radius) [rival, radius] = [c, own / expansion];
  }
  return { predicted, rival, radius };
}

/** x [B, d], c [M, d] -> k [B, M]. */
const kernelGraph = (bandwidth: number): Graph =>
  graph({ x: float32("B", "D"), c: float32("M", "D") }, ({ x, c }) => {
    const half = (v: typeof x) => v.mul(v).sum([1], 1).mul(0.5);
    const exponent = x.op("Gemm", [c], { transB: 1 }).sub(half(x)).sub(half(c).transpose());
    return {
      k: exponent
        .mul(1 / bandwidth ** 2)
        .min(0)
        .exp(),
    };
  });

/** k [B, M] and y [B, C] or v [C, M] -> z [C, M]: y^T k, and v k^T k. */
function normalGraph(): { readonly right: Graph; readonly normal: Graph } {
  return {
    right: graph({ k: float32("B", "M"), y: float64("B", "C") }, ({ k, y }) => ({
      z: y.op("Gemm", [k.cast("float64")], { transA: 1 }),
    })),
    normal: graph({ k: float32("B", "M"), v: float64("C", "M") }, ({ k, v }) => {
      const whole = k.cast("float64");
      return { z: whole.op("Gemm", [v], { transB: 1 }).op("Gemm", [whole], { transA: 1 }) };
    }),
  };
}

async function kernelBlock(kernel: Graph, x: Examples, c: Examples): Promise<Float32Array> {
  if (x.columns !== c.columns)
    throw new ScatteringError(`inputs of ${x.columns} features, examples of ${c.columns}`);
  const single = ({ rows, columns, entries }: Examples) =>
    view("float32", [rows, columns], entries instanceof Float32Array ? entries : Float32Array.from(entries));
  const { k } = await run(kernel, { x: single(x), c: single(c) });
  return k!.data as Float32Array;
}

/** The kernel between the centres, symmetric, and as definite as rounding leaves it. */
async function gramOf(kernel: Graph, centres: Examples): Promise<Matrix> {
  const m = centres.rows;
  const entries = new Float64Array(m * m);
  for (let from = 0; from < m; from += atOnce) {
    const block = await kernelBlock(kernel, part(centres, from, Math.min(m, from + atOnce)), centres);
    entries.set(block, from * m);
  }
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < i; j++) entries[i * m + j] = entries[j * m + i]!;
    entries[i * (m + 1)] = 1 + m * rounding;
  }
  return { rows: m, columns: m, entries };
}

const part = ({ columns, entries }: Examples, from: number, to: number): Examples => ({
  ...{ rows: to - from, columns },
  entries: entries.subarray(from * columns, to * columns),
});

function rowsOf({ columns, entries }: Examples, chosen: Int32Array): Examples {
  const out = new Float32Array(chosen.length * columns);
  chosen.forEach((row, k) => {
    out.set(entries.subarray(row * columns, (row + 1) * columns), k * columns);
  });
  return { rows: chosen.length, columns, entries: out };
}

function add(sum: Float64Array, more: Float64Array): void {
  for (let k = 0; k < sum.length; k++) sum[k]! += more[k]!;
}
