// Singular values and vectors of a bidiagonal matrix: halves, and a row between them (Gu and Eisenstat 1995).
import type { Bidiagonal } from "./bidiagonal-reduction.ts";
import { type Deflation, deflate } from "./deflation.ts";
import type { Matrix } from "./matrix-norm.ts";
import { combineHalves, type Part, pick, placesByPart, rotateRows, rowOfMatrix } from "./merge-rows.ts";
import { placeUnit, rankOneRoots } from "./rank-one.ts";
import { smallSvd } from "./small-svd.ts";

export interface BidiagonalSvd {
  /** Descending. */
  readonly values: Float64Array;
  /** Row k belongs to values[k]. */
  readonly left: Matrix;
  readonly right: Matrix;
}

/** Up to this size Jacobi's rotations are quicker. */
const leafSize = 20;

/** Blocks with one column more than rows; of the right vectors the last one is orthogonal to all rows. */
interface Work {
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

/**
 * The decomposition of an upper bidiagonal matrix whose entries are of moderate size.
 * @example (await bidiagonalSvd({ diagonal: Float64Array.of(3, 4), off: Float64Array.of(0) })).values // Float64Array [4, 3]
 */
export async function bidiagonalSvd({ diagonal, off }: Bidiagonal): Promise<BidiagonalSvd> {
  const n = diagonal.length;
  const norm = [...diagonal, ...off].reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  const square = (size: number): Matrix => ({
    rows: size,
    columns: size,
    entries: new Float64Array(size * size),
  });
  const extended = new Float64Array(n);
  extended.set(off.subarray(0, Math.max(0, n - 1)));
  const work: Work = {
    diagonal,
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
  const order = Array.from(work.values.keys()).sort((a, b) => work.values[b]! - work.values[a]!);
  const [left, right] = [square(n), square(n)];
  order.forEach((k, place) => {
    left.entries.set(rowOfMatrix(work.left, k), place * n);
    right.entries.set(rowOfMatrix(work.right, k).subarray(0, n), place * n);
  });
  return { values: pick(work.values, order), left, right };
}

/** Rows from .. to - 1 with the columns from .. to. */
async function divide(work: Work, from: number, to: number): Promise<void> {
  if (to - from <= leafSize) return leaf(work, from, to);
  const middle = (from + to) >> 1;
  await divide(work, from, middle);
  await divide(work, middle + 1, to);
  await conquer(work, from, middle, to);
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
  const unchanged = deflated.map((k) => ({
    value: halves.d[k]!,
    left: leftRow(halves, k).slice(),
    right: rightRow(halves, k).slice(),
  }));
  const { values, left, right, atMiddle } = await changedTriples(halves, kept);
  const split = middle - from;
  for (let k = 0; k < kept.length; k++) {
    work.values[from + k] = values[k]!;
    const [u, v] = [leftRow(halves, k), rightRow(halves, k)];
    u.set(rowOfMatrix(left[0], k));
    u[split] = atMiddle[k]!;
    u.set(rowOfMatrix(left[1], k), split + 1);
    v.set(rowOfMatrix(right[0], k));
    v.set(rowOfMatrix(right[1], k), split + 1);
  }
  unchanged.forEach((triple, k) => {
    work.values[from + kept.length + k] = triple.value;
    leftRow(halves, kept.length + k).set(triple.left);
    rightRow(halves, kept.length + k).set(triple.right);
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

interface ChangedTriples {
  readonly values: Float64Array;
  /** The vectors on the rows, or columns, of each half. */
  readonly left: readonly [Matrix, Matrix];
  readonly right: readonly [Matrix, Matrix];
  /** Entries of the left vectors at the row between the halves. */
  readonly atMiddle: Float64Array;
}

/**
 * The singular triples of what deflation has left: sigma with 1 + sum_j z_j^2 / (d_j^2 - sigma^2) = 0, on the right
 * z_j / (d_j^2 - sigma^2), on the left -1 at the middle and d_j z_j / (d_j^2 - sigma^2) elsewhere.
 */
async function changedTriples(halves: Halves, kept: readonly number[]): Promise<ChangedTriples> {
  const [d, z] = [pick(halves.d, kept), pick(halves.z, kept)];
  const parts = kept.map((k) => halves.part[k]!);
  const places = placesByPart(parts);
  const k = kept.length;
  const squares = z.map((x) => x * x);
  const { roots, distances, exact } = rankOneRoots({ d, squares, rho: 1, poles: "d^2" }, z);
  const lefts = new Float64Array(k * k);
  const vector = new Float64Array(k);
  const middlePlace = places.indexOf(0);
  const atMiddle = new Float64Array(k);
  for (let i = 0; i < k; i++) {
    const row = distances.subarray(i * k, (i + 1) * k);
    const left = lefts.subarray(i * k, (i + 1) * k);
    for (let j = 0; j < k; j++) vector[j] = j === 0 ? -1 : (d[j]! * exact[j]!) / row[j]!;
    placeUnit(vector, places, left);
    atMiddle[i] = left[middlePlace]!;
    for (let j = 0; j < k; j++) vector[j] = exact[j]! / row[j]!;
    placeUnit(vector, places, row);
  }
  const values = Float64Array.from(roots, ({ origin, tau }) => {
    const pole = d[origin]!;
    return pole + tau / (pole + Math.sqrt(pole * pole + tau));
  });
  const coefficients = (entries: Float64Array): Matrix => ({ rows: k, columns: k, entries });
  const { from, middle, to } = halves;
  const [split, size] = [middle - from, to - from];
  const second = { from: split + 1, to: size };
  const leftRows = kept.map((j) => leftRow(halves, j));
  const rightRows = kept.map((j) => rightRow(halves, j));
  return {
    ...{ values, atMiddle },
    left: await combineHalves(coefficients(lefts), leftRows, parts, [{ from: 0, to: split }, second]),
    right: await combineHalves(coefficients(distances), rightRows, parts, [
      { from: 0, to: split + 1 },
      { from: split + 1, to: size + 1 },
    ]),
  };
}
