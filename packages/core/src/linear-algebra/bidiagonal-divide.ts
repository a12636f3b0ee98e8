// Singular values and vectors of a bidiagonal matrix: halves, and a row between them (Gu and Eisenstat 1995).
import type { Bidiagonal } from "./bidiagonal-reduction.ts";
import { type Deflation, deflate } from "./deflation.ts";
import type { Matrix } from "./matrix-norm.ts";
import {
  coefficientsFor,
  type Merge,
  mergeVectors,
  numbersForMerge,
  type Part,
  placesByPart,
  rotateRows,
  rowOfMatrix,
  setCoefficients,
} from "./merge-rows.ts";
import { quotients, rankOneRoots } from "./rank-one.ts";
import { smallSvd } from "./small-svd.ts";
import type { VectorWorkspace } from "./vector-workspace.ts";

export interface BidiagonalSvd {
  /** In any order. */
  readonly values: Float64Array;
  /** n x n: row k belongs to values[k]; in the workspace. */
  readonly left: Matrix;
  /** Rows of n + 1 entries, of which the last one of the first n rows is 0; in the workspace. */
  readonly right: Matrix;
}

/** Up to this size Jacobi's rotations are quicker. */
const leafSize = 20;

/** Blocks with one column more than rows; of the right vectors the last one is orthogonal to all rows. */
interface Work {
  readonly workspace: VectorWorkspace;
  readonly diagonal: Float64Array;
  /** As long as the diagonal; 0 at the end. */
  readonly off: Float64Array;
  readonly values: Float64Array;
  /** n x n. */
  readonly left: Matrix;
  /** (n + 1) x (n + 1), since a column of zeros is appended. */
  readonly right: Matrix;
  /** What counts as zero. */
  readonly tolerance: number;
}

/** Numbers that a workspace needs for the decomposition of n rows. */
export const numbersForBidiagonal = (n: number): number => n * n + (n + 1) * (n + 1) + numbersForMerge(n + 1);

/** The decomposition of an upper bidiagonal matrix whose entries are of moderate size. */
export async function bidiagonalSvd(
  { diagonal, off }: Bidiagonal,
  workspace: VectorWorkspace,
): Promise<BidiagonalSvd> {
  const n = diagonal.length;
  const norm = [...diagonal, ...off].reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  const square = (size: number): Matrix => ({
    ...{ rows: size, columns: size },
    entries: workspace.array(size * size),
  });
  const extended = new Float64Array(n);
  extended.set(off.subarray(0, Math.max(0, n - 1)));
  const work: Work = {
    ...{ workspace, diagonal },
    off: extended,
    values: new Float64Array(n),
    left: square(n),
    right: square(n + 1),
    tolerance: 8 * 2 ** -53 * norm,
  };
  if (norm > 0) await divide(work, 0, n);
  else
    for (const { entries, rows } of [work.left, work.right])
      for (let k = 0; k < rows; k++) entries[k * (rows + 1)] = 1;
  return work;
}

/** Rows from .. to - 1 with the columns from .. to. */
async function divide(work: Work, from: number, to: number): Promise<void> {
  if (to - from <= leafSize) return leaf(work, from, to);
  const middle = (from + to) >> 1;
  await divide(work, from, middle);
  await divide(work, middle + 1, to);
  await work.workspace.lending(() => conquer(work, from, middle, to));
}

function leaf({ diagonal, off, values, left, right }: Work, from: number, to: number): void {
  const size = to - from;
  // The appended column of zeros stays out, so that the last vector is exactly its axis.
  const columns = to === diagonal.length ? size : size + 1;
  const rows = Array.from({ length: size }, (_, k) => {
    const row = new Float64Array(columns);
    row[k] = diagonal[from + k]!;
    if (k + 1 < columns) row[k + 1] = off[from + k]!;
    return row;
  });
  const svd = smallSvd(rows, columns);
  values.set(svd.values, from);
  svd.left.forEach((row, k) => {
    left.entries.set(row, (from + k) * left.columns + from);
  });
  svd.right.forEach((row, k) => {
    right.entries.set(row, (from + k) * right.columns + from);
  });
  if (columns === size) right.entries[to * right.columns + to] = 1;
}

/** Two halves and the row between them: diag(d) with a row z for d_middle = 0. */
interface Halves {
  readonly work: Work;
  readonly from: number;
  readonly middle: number;
  readonly to: number;
  readonly d: Float64Array;
  readonly z: Float64Array;
  readonly part: Part[];
}

const leftRow = ({ work: { left }, from, to }: Halves, k: number): Float64Array =>
  rowOfMatrix(left, from + k).subarray(from, to);
const rightRow = ({ work: { right }, from, to }: Halves, k: number): Float64Array =>
  rowOfMatrix(right, from + k).subarray(from, to + 1);

async function conquer(work: Work, from: number, middle: number, to: number): Promise<void> {
  const halves = joined(work, from, middle, to);
  const { kept, deflated } = deflateHalves(halves);
  const values = await changeTriples(halves, kept, deflated);
  work.values.set(values, from);
  deflated.forEach((k, place) => {
    work.values[from + kept.length + place] = halves.d[k]!;
  });
}

/** The two vectors that no row of a half needs become one in the direction of the row between, and one that is free. */
function joined(work: Work, from: number, middle: number, to: number): Halves {
  const { diagonal, off, values, left, right, tolerance } = work;
  const [alpha, beta] = [diagonal[middle]!, off[middle]!];
  const at = (row: number, column: number): number => right.entries[row * right.columns + column]!;
  const z = Float64Array.from({ length: to - from }, (_, k) =>
    from + k < middle ? alpha * at(from + k, middle) : beta * at(from + k, middle + 1),
  );
  const [first, second] = [alpha * at(middle, middle), beta * at(to, middle + 1)];
  const length = Math.hypot(first, second);
  const [c, s] = length <= tolerance ? [1, 0] : [first / length, second / length];
  const halves: Halves = {
    ...{ work, from, middle, to, z, d: values.slice(from, to) },
    part: Array.from(z, (_, k): Part => (from + k < middle ? "first" : "second")),
  };
  rotateRows(rightRow(halves, middle - from), rightRow(halves, to - from), c, s);
  halves.part[middle - from] = "both";
  halves.d[middle - from] = 0;
  z[middle - from] = Math.max(length, tolerance);
  left.entries[middle * left.columns + middle] = 1;
  return halves;
}

/** The middle, where d = 0, is kept whatever its z; no other d may come as near to it as to be the same. */
function deflateHalves(halves: Halves): Deflation {
  const { d, z, part, work, from, middle } = halves;
  const { tolerance } = work;
  const split = middle - from;
  const order = Array.from(d.keys())
    .filter((k) => k !== split)
    .sort((a, b) => d[a]! - d[b]!);
  const rotate = (p: number, q: number, c: number, s: number): void => {
    rotateRows(leftRow(halves, p), leftRow(halves, q), c, s);
    rotateRows(rightRow(halves, p), rightRow(halves, q), c, s);
    if (part[p] !== part[q]) part[p] = part[q] = "both";
  };
  const { kept, deflated } = deflate({ d, z, order, rho: 1, tolerance, rotate });
  if (kept.length > 0) d[kept[0]!] = Math.max(d[kept[0]!]!, tolerance / 2);
  return { kept: [split, ...kept], deflated };
}

/**
 * Replaces the vectors by those of what deflation has left, with the deflated ones behind them: sigma with
 * 1 + sum_j z_j^2 / (d_j^2 - sigma^2) = 0, on the right z_j / (d_j^2 - sigma^2), on the left -1 at the middle and
 * d_j z_j / (d_j^2 - sigma^2) elsewhere. The values sigma.
 */
async function changeTriples(
  { work, from, middle, to, ...halves }: Halves,
  kept: readonly number[],
  deflated: readonly number[],
): Promise<Float64Array> {
  const { workspace } = work;
  const d = workspace.arrayOf(kept.map((k) => halves.d[k]!));
  const z = Float64Array.from(kept, (k) => halves.z[k]!);
  const squares = workspace.arrayOf(z.map((x) => x * x));
  const { roots, exact } = rankOneRoots({ d, squares, rho: 1, poles: "d^2" }, z, workspace);
  const parts = kept.map((k) => halves.part[k]!);
  const places = placesByPart(parts);
  const byPlace = (x: Float64Array): Float64Array => workspace.arrayOf(places.map((j) => x[j]!));
  const [poles, vector] = [byPlace(d), workspace.array(kept.length)];
  const middlePlace = places.indexOf(0);
  const merge = {
    row: from,
    placed: places.map((j) => from + kept[j]!),
    deflated: deflated.map((k) => from + k),
  };
  const merged = async (
    { vectors, halves: columns }: Pick<Merge, "vectors" | "halves">,
    weights: Float64Array,
    atMiddle: Float64Array | undefined,
  ): Promise<void> => {
    const coefficients = coefficientsFor(parts, workspace);
    roots.forEach(({ origin, tau }, i) => {
      let square = quotients(vector, weights, { d: poles, poles: "d^2" }, d[origin]!, tau);
      if (atMiddle) {
        vector[middlePlace] = -1; // where the weight is 0
        square += 1;
        atMiddle[i] = -1 / Math.sqrt(square);
      }
      setCoefficients(coefficients, i, vector, 1 / Math.sqrt(square));
    });
    await mergeVectors({ ...merge, vectors, halves: columns }, coefficients, workspace);
  };
  const first = { from, to: middle };
  const second = { from: middle + 1, to };
  const atMiddle = new Float64Array(kept.length);
  const lefts = byPlace(exact.map((x, j) => d[j]! * x));
  await workspace.lending(() => merged({ vectors: work.left, halves: [first, second] }, lefts, atMiddle));
  const { entries, columns } = work.left;
  for (let k = 0; k < to - from; k++) entries[(from + k) * columns + middle] = atMiddle[k] ?? 0;
  await merged(
    {
      vectors: work.right,
      halves: [
        { from, to: middle + 1 },
        { from: middle + 1, to: to + 1 },
      ],
    },
    byPlace(exact),
    undefined,
  );
  return Float64Array.from(roots, ({ origin, tau }) => {
    const pole = d[origin]!;
    return pole + tau / (pole + Math.sqrt(pole * pole + tau));
  });
}
