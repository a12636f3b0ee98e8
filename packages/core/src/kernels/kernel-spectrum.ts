// What a kernel matrix is like: its trace, the ends of its spectrum, and how many directions it really has.
import { symmetricEigenvalues } from "../linear-algebra/eigen.ts";
import { lanczos } from "../linear-algebra/lanczos.ts";
import type { Matrix } from "../linear-algebra/matrix-norm.ts";
import { createRandom } from "../numbers/random.ts";
import { KernelError } from "./error.ts";
import { type RowBlock, rowBlocks, type StoredMatrix, storedProduct } from "./stored-matrix.ts";

export interface KernelMoments {
  readonly diagonal: Float64Array;
  readonly trace: number;
  /** (tr K)^2 / tr K^2, between 1 and n: as many equal eigenvalues would have the same two traces. */
  readonly effectiveRank: number;
}

export interface KernelSpectrum {
  readonly min: number;
  readonly max: number;
  /** max / min; infinite where the least eigenvalue is rounding. */
  readonly condition: number;
  /** Whether all eigenvalues were computed. If not, `min` is an upper bound and the condition a lower one. */
  readonly exact: boolean;
}

/**
 * The diagonal, its sum and the effective rank, in one pass, which refuses what is not a number.
 * @example (await kernelMoments(matrixInMemory(2, 2, Float64Array.of(1, 0, 0, 1)))).effectiveRank // 2
 */
export async function kernelMoments(matrix: StoredMatrix, signal?: AbortSignal): Promise<KernelMoments> {
  const diagonal = new Float64Array(matrix.rows);
  let [sum, squares] = [0, 0];
  let part: number | undefined;
  for await (const block of rowBlocks(matrix, signal)) {
    const { from, rows, columns, entries } = block;
    for (let i = 0; i < rows; i++) diagonal[from + i] = entries[i * columns + from + i]!;
    part ??= moderation(diagonal.subarray(from, from + rows));
    let here = 0;
    for (let k = 0; k < entries.length; k++) here += part * entries[k]! * (part * entries[k]!);
    if (!Number.isFinite(here)) refuseNonFinite(block);
    squares += here;
    for (let i = from; i < from + rows; i++) sum += part * diagonal[i]!;
  }
  const trace = diagonal.reduce((total, d) => total + d, 0);
  return { diagonal, trace, effectiveRank: squares === 0 ? 0 : sum ** 2 / squares };
}

/** A factor with which squares of such numbers are numbers: 1 but for extreme ones, else a power of two. */
function moderation(values: Float64Array): number {
  const most = values.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
  const isExtreme = most > 1e100 || (most < 1e-100 && most > 2 ** -1000);
  return isExtreme && Number.isFinite(most) ? 2 ** -Math.floor(Math.log2(most)) : 1;
}

function refuseNonFinite({ from, columns, entries }: RowBlock): void {
  const at = entries.findIndex((k) => !Number.isFinite(k));
  if (at < 0) return;
  const [i, j] = [from + Math.floor(at / columns), at % columns];
  throw new KernelError(
    `the kernel of examples ${i + 1} and ${j + 1} is ${entries[at]}: numbers of this size do not fit float64; scale the data, or the weights' deviations`,
  );
}

/**
 * The ends of a spectrum of which all is known, ascending.
 * @example spectrumEnds(Float64Array.of(1, 4)).condition // 4
 */
export function spectrumEnds(values: Float64Array): KernelSpectrum {
  const [min, max] = [values[0]!, values.at(-1)!];
  return { min, max, condition: conditionOf(min, max, values.length), exact: true };
}

const conditionOf = (min: number, max: number, n: number): number =>
  min > n * 2 ** -52 * max ? max / min : Number.POSITIVE_INFINITY;

/**
 * All eigenvalues of a matrix in memory, for their ends.
 * @example (await kernelSpectrum(matrixOfRows([[2, 0], [0, 8]]))).condition // 4
 */
export const kernelSpectrum = async (kernel: Matrix): Promise<KernelSpectrum> =>
  spectrumEnds(await symmetricEigenvalues(kernel));

/** Products with the matrix: enough for the greatest eigenvalue; the least one is approached from above. */
const lanczosSteps = 80;

/** The ends of the spectrum of a stored matrix from products with it. */
export async function storedSpectrum(
  matrix: StoredMatrix,
  {
    onStep,
    signal,
  }: { readonly onStep?: (part: number) => void; readonly signal?: AbortSignal | undefined } = {},
): Promise<KernelSpectrum> {
  const n = matrix.rows;
  const product = storedProduct(matrix, 0, signal);
  let done = 0;
  const found = await lanczos(
    async (entries) => {
      const image = await product({ rows: 1, columns: n, entries });
      onStep?.(Math.min(1, ++done / lanczosSteps));
      return image.entries;
    },
    n,
    {
      random: createRandom("spectrum"),
      steps: lanczosSteps,
      ends: ["greatest", "least"],
      ...(signal && { signal }),
    },
  );
  const { least: min, greatest: max } = found;
  return {
    min,
    max,
    condition: conditionOf(min, max, n),
    exact: found.converged.least && found.converged.greatest,
  };
}
