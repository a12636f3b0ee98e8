// Caratheodory's theorem: a nonnegative combination of vectors needs no more terms than their rank, and the sum of its
// weights need not grow. One step of the simplex method for each vector that goes.
import { ConstructError } from "../../functions/error.ts";
import { luFactor, luSolve, type Matrix, pivotedQr } from "../../linear-algebra/index.ts";

export interface ReducedCombination {
  /** Nonnegative; at most `rank` of them are positive. */
  readonly weights: Float64Array;
  readonly rank: number;
  /** max_c |sum_i (weight before - weight after) f_i|. */
  readonly residual: number;
}

export interface CaratheodoryOptions {
  /** Vectors nearer to the span of the others than this part of the longest count as dependent; default 1e-11. */
  readonly tolerance?: number;
}

/**
 * The same sum of vectors (rows) with at most as many terms as their rank and a sum of weights that is no greater.
 * A vector more (a coordinate 1 appended to each) keeps the sum of the weights as it is.
 * @example (await reduceCombination(matrixOfRows([[1], [2], [3]]), Float64Array.of(1, 1, 1))).weights // Float64Array [0, 0, 2]
 */
export async function reduceCombination(
  vectors: Matrix,
  weights: Float64Array,
  { tolerance = 1e-11 }: CaratheodoryOptions = {},
): Promise<ReducedCombination> {
  if (weights.length !== vectors.rows)
    throw new ConstructError(`${vectors.rows} vectors have ${weights.length} weights`);
  const negative = weights.findIndex((c) => !(c >= 0 && c < Number.POSITIVE_INFINITY));
  if (negative >= 0)
    throw new ConstructError(`weight ${negative} is ${weights[negative]}, not a nonnegative number`);
  const active = Int32Array.from([...weights.keys()].filter((i) => weights[i]! > 0));
  const { rank, order, r } = pivotedQr(columnsOf(vectors, active), { tolerance });
  const reduced = new Float64Array(weights.length);
  if (active.length <= rank) reduced.set(weights);
  else {
    const c = Float64Array.from(order, (j) => weights[active[j]!]!);
    const vertex = await Vertex.from(r, c, rank);
    for (let j = rank; j < active.length; j++) await vertex.absorb(j);
    (await vertex.weights()).forEach((value, j) => {
      reduced[active[order[j]!]!] = value;
    });
  }
  return { weights: reduced, rank, residual: residualOf(vectors, weights, reduced) };
}

/** The chosen rows of a matrix, as columns. */
function columnsOf({ columns, entries }: Matrix, chosen: Int32Array): Matrix {
  const transposed = new Float64Array(columns * chosen.length);
  chosen.forEach((i, j) => {
    for (let c = 0; c < columns; c++) transposed[c * chosen.length + j] = entries[i * columns + c]!;
  });
  return { rows: columns, columns: chosen.length, entries: transposed };
}

function residualOf({ columns, entries }: Matrix, before: Float64Array, after: Float64Array): number {
  const rest = new Float64Array(columns);
  before.forEach((w, i) => {
    const change = w - after[i]!;
    if (change !== 0) for (let c = 0; c < columns; c++) rest[c]! += change * entries[i * columns + c]!;
  });
  return rest.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
}

/** Exchanges after which the inverse of the basis is computed anew: as many as it costs, but not too few. */
const exchangesBetween = (size: number): number => Math.max(64, size);

/** A basis of columns with positive weights, and the columns that still wait. */
class Vertex {
  readonly #columns: Matrix;
  readonly #weights: Float64Array;
  /** The column at each place of the basis. */
  readonly #basis: Int32Array;
  readonly #target: Float64Array;
  #inverse: Float64Array;
  #exchanges = 0;

  private constructor(columns: Matrix, weights: Float64Array, basis: Int32Array, inverse: Float64Array) {
    this.#columns = columns;
    this.#weights = weights;
    this.#basis = basis;
    this.#inverse = inverse;
    this.#target = combined(columns, weights);
  }

  static async from(columns: Matrix, weights: Float64Array, rank: number): Promise<Vertex> {
    const basis = Int32Array.from({ length: rank }, (_, i) => i);
    return new Vertex(columns, weights, basis, await inverseOf(columns, basis));
  }

  /**
   * Moves along the null vector a_j = sum_i z_i a_basis(i), in the direction in which the sum of the weights does not
   * grow, until a weight is zero: that of j, which goes, or that of a column of the basis, whose place j takes.
   */
  async absorb(j: number): Promise<void> {
    const [c, basis] = [this.#weights, this.#basis];
    const z = this.#coordinates(j);
    const lowers = z.reduce((sum, v) => sum + v, 0) <= 1;
    const direction = lowers ? 1 : -1; // of the basis' weights along z; that of j goes the other way
    let [step, leaving] = [lowers ? c[j]! : Number.POSITIVE_INFINITY, -1];
    const negligible = 1e-12 * z.reduce((most, v) => Math.max(most, Math.abs(v)), 0);
    for (let i = 0; i < z.length; i++) {
      const rate = -direction * z[i]!;
      if (rate > negligible && c[basis[i]!]! / rate < step) [step, leaving] = [c[basis[i]!]! / rate, i];
    }
    for (let i = 0; i < z.length; i++) c[basis[i]!] = Math.max(0, c[basis[i]!]! + direction * step * z[i]!);
    c[j] = leaving < 0 ? 0 : Math.max(0, c[j]! - direction * step);
    if (leaving >= 0) await this.#exchange(leaving, j, z);
  }

  /** The weights, those of the basis from the target itself: nothing drifts. */
  async weights(): Promise<Float64Array> {
    await this.#refresh();
    return this.#weights;
  }

  #coordinates(j: number): Float64Array {
    const { columns, entries, rows } = this.#columns;
    const a = Float64Array.from({ length: rows }, (_, i) => entries[i * columns + j]!);
    return times(this.#inverse, a);
  }

  async #exchange(leaving: number, j: number, z: Float64Array): Promise<void> {
    const n = z.length;
    this.#weights[this.#basis[leaving]!] = 0;
    this.#basis[leaving] = j;
    if (++this.#exchanges % exchangesBetween(n) === 0) return this.#refresh();
    const inverse = this.#inverse;
    const from = leaving * n;
    for (let c = 0; c < n; c++) inverse[from + c]! /= z[leaving]!;
    for (let i = 0; i < n; i++) {
      const factor = z[i]!;
      if (i === leaving || factor === 0) continue;
      for (let c = 0; c < n; c++) inverse[i * n + c]! -= factor * inverse[from + c]!;
    }
  }

  async #refresh(): Promise<void> {
    const [c, basis] = [this.#weights, this.#basis];
    this.#inverse = await inverseOf(this.#columns, basis);
    const waiting = c.slice();
    for (const j of basis) waiting[j] = 0;
    const others = combined(this.#columns, waiting);
    const own = times(
      this.#inverse,
      this.#target.map((v, i) => v - others[i]!),
    );
    own.forEach((value, i) => {
      c[basis[i]!] = Math.max(0, value);
    });
  }
}

/** sum_j c_j a_j. */
function combined({ rows, columns, entries }: Matrix, c: Float64Array): Float64Array {
  return Float64Array.from({ length: rows }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < columns; j++) sum += entries[i * columns + j]! * c[j]!;
    return sum;
  });
}

function times(square: Float64Array, x: Float64Array): Float64Array {
  const n = x.length;
  return Float64Array.from({ length: n }, (_, i) => {
    let sum = 0;
    for (let c = 0; c < n; c++) sum += square[i * n + c]! * x[c]!;
    return sum;
  });
}

async function inverseOf({ columns, entries }: Matrix, basis: Int32Array): Promise<Float64Array> {
  const n = basis.length;
  const chosen = Float64Array.from(
    { length: n * n },
    (_, k) => entries[Math.floor(k / n) * columns + basis[k % n]!]!,
  );
  const unit = new Float64Array(n * n);
  for (let i = 0; i < n; i++) unit[i * (n + 1)] = 1;
  const square = (of: Float64Array): Matrix => ({ rows: n, columns: n, entries: of });
  return (await luSolve(await luFactor(square(chosen), { overwrite: true }), square(unit))).entries;
}
