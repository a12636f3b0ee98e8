// The rows of later stages as sums that grow while units are settled: a unit whose choice is known on the current
// polygon adds its column once, for everything below, so that a cell costs its width and not its weights.

import { unitRoundoff } from "../../numbers/floating-point.ts";
import { rowCount, type SparseRows } from "../affine/forms.ts";
import type { AffineProgram, Stage } from "../affine/program.ts";
import type { Plane } from "./exact-forms.ts";
import type { Extent } from "./polygon.ts";

/** What one slot adds to one reader: weights[k] to row rows[k], or to row k when all rows read it. */
export interface Column {
  readonly target: number;
  readonly rows: Int32Array | undefined;
  readonly weights: Float64Array;
}

/** The rows of one stage (or of the outputs), as sums of the slots that are known so far. */
interface Reader {
  readonly rows: SparseRows;
  readonly count: number;
  /** Rounding of one sum of this many terms, relative to the sum of sizes. */
  readonly gamma: number;
  /** Does every row read every slot that any row reads? */
  readonly dense: boolean;
  /** The Euclidean norms of the rows' weights. */
  readonly norms: Float64Array;
}

function readerOf(rows: SparseRows): Reader {
  const count = rowCount(rows);
  let most = 0;
  const norms = Float64Array.from({ length: count }, (_, k) => {
    const [from, to] = [rows.starts[k]!, rows.starts[k + 1]!];
    most = Math.max(most, to - from);
    return Math.sqrt(rows.weights.subarray(from, to).reduce((sum, w) => sum + w * w, 0)) * (1 + 1e-12);
  });
  const dense = rows.slots.length === count * new Set(rows.slots).size;
  return { rows, count, gamma: 1.01 * (most + 3) * unitRoundoff, dense, norms };
}

/** For each slot, its columns. */
function columnsOf(readers: readonly Reader[], slots: number): Column[][] {
  const columns = Array.from({ length: slots }, (): Column[] => []);
  readers.forEach(({ rows, count }, target) => {
    const entries = new Map<number, { rows: number[]; weights: number[] }>();
    for (let row = 0; row < count; row++)
      for (let k = rows.starts[row]!; k < rows.starts[row + 1]!; k++) {
        const slot = rows.slots[k]!;
        const entry = entries.get(slot) ?? { rows: [], weights: [] };
        entries.set(slot, entry);
        entry.rows.push(row);
        entry.weights.push(rows.weights[k]!);
      }
    for (const [slot, entry] of entries) {
      const dense = entry.rows.length === count && entry.rows.every((row, k) => row === k);
      columns[slot]!.push({
        target,
        rows: dense ? undefined : Int32Array.from(entry.rows),
        weights: Float64Array.from(entry.weights),
      });
    }
  });
  return columns;
}

/** An affine form a u + b v + c, and a bound on its error on the domain. */
export interface FloatForm {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly error: number;
}

export class Accumulator {
  readonly #readers: readonly Reader[];
  readonly #columns: readonly (readonly Column[])[];
  readonly #extent: Extent;
  #kept: readonly Float64Array[] | undefined;
  /**
   * By reader: all a, all b, all c, and then what bounds the errors e of the slots that were added: for a dense
   * reader one number, the sum of e^2; else one a row, the sum of |w e|.
   */
  readonly sums: readonly Float64Array[];
  /** By stage: readers that are incomplete when it is worked on, and those of them that nobody before has fed. */
  readonly #open: readonly (readonly number[])[];
  readonly #fresh: readonly (readonly number[])[];

  readonly #firstFeeder: readonly number[];
  /** By reader: what rows are off by before anything is added. */
  readonly #given: readonly Float64Array[] | undefined;

  constructor(program: AffineProgram, plane: Plane, extent: Extent, given?: readonly Float64Array[]) {
    this.#given = given;
    this.#readers = [...program.stages.map((s) => s.rows), program.outputs].map(readerOf);
    this.#columns = columnsOf(this.#readers, program.slots);
    this.#extent = extent;
    this.sums = this.#readers.map(({ count, dense }) => new Float64Array(dense ? 3 * count + 1 : 4 * count));
    const firstFeeder = this.#firstFeeders(program);
    this.#firstFeeder = firstFeeder;
    this.#open = program.stages.map((_, s) =>
      this.#readers.flatMap((_, t) => (t > s && firstFeeder[t]! <= s ? [t] : [])),
    );
    this.#fresh = program.stages.map((_, s) => firstFeeder.flatMap((first, t) => (first === s ? [t] : [])));
    for (let t = 0; t < this.#readers.length; t++) this.#reset(t);
    for (let slot = 0; slot < program.inputs; slot++)
      this.#add(slot, plane.first[slot]!, plane.second[slot]!, plane.origin[slot]!, 0);
  }

  /** The earliest stage that each reader reads; -1: the inputs. */
  #firstFeeders({ stages, inputs }: AffineProgram): number[] {
    return this.#readers.map(({ rows }) => {
      const first = rows.slots.reduce((least, slot) => Math.min(least, slot), Number.POSITIVE_INFINITY);
      if (first < inputs || first === Number.POSITIVE_INFINITY) return -1;
      return stages.findIndex((s) => first < s.firstSlot + s.units);
    });
  }

  #reset(target: number): void {
    const { rows, count } = this.#readers[target]!;
    const sums = this.sums[target]!;
    if (this.#kept) {
      sums.set(this.#kept[target]!);
      return;
    }
    sums.fill(0);
    sums.set(rows.constants, 2 * count);
  }

  /** What is in the sums now is the same in every cell: sums start anew from here. */
  keep(): void {
    this.#kept = this.sums.map((sums) => sums.slice());
  }

  /** Before a stage's units are settled: what only they and later ones feed starts anew. */
  enter(stage: number): void {
    for (const target of this.#fresh[stage]!) this.#reset(target);
  }

  /** The sums that settling units of this stage changes, to come back to. */
  save(stage: number): Float64Array[] {
    return this.#open[stage]!.map((target) => this.sums[target]!.slice());
  }

  restore(stage: number, saved: readonly Float64Array[]): void {
    this.#open[stage]!.forEach((target, k) => {
      this.sums[target]!.set(saved[k]!);
    });
  }

  /** A bound on the error of a row: |sum of w_j e_j| <= |w| |e|, and the rounding of its constant. */
  error(target: number, row: number): number {
    const { norms, gamma, count, rows, dense } = this.#readers[target]!;
    const sums = this.sums[target]!;
    const spread = dense ? norms[row]! * Math.sqrt(sums[3 * count]!) : sums[3 * count + row]!;
    const own = this.#given?.[target]?.[row] ?? 0;
    return own + spread * (1 + 1e-9) + gamma * Math.abs(rows.constants[row]!);
  }

  /** What one slot adds, to whom. */
  columns(slot: number): readonly Column[] {
    return this.#columns[slot]!;
  }

  /** Rounding of one sum of a reader, relative to the sum of sizes. */
  gamma(target: number): number {
    return this.#readers[target]!.gamma;
  }

  /** The rows of a reader as they are while units of `stage` are settled, with bounds on their errors. */
  base(target: number, stage: number): { readonly forms: Float64Array; readonly errors: Float64Array } {
    const { count } = this.#readers[target]!;
    const sums = this.sums[target]!;
    if (target > stage && this.#firstFeeder[target]! > stage) {
      // Nobody has entered this reader yet: what stands in its sums is of another cell.
      const before = sums.slice();
      this.#reset(target);
      const result = { forms: sums.slice(), errors: this.#errorsOf(target, count) };
      sums.set(before);
      return result;
    }
    return { forms: sums, errors: this.#errorsOf(target, count) };
  }

  #errorsOf(target: number, count: number): Float64Array {
    return Float64Array.from({ length: count }, (_, row) => this.error(target, row));
  }

  greatestError(target: number): number {
    let greatest = 0;
    for (let row = 0; row < this.#readers[target]!.count; row++)
      greatest = Math.max(greatest, this.error(target, row));
    return greatest;
  }

  form(target: number, row: number): FloatForm {
    const { count } = this.#readers[target]!;
    const sums = this.sums[target]!;
    return {
      a: sums[row]!,
      b: sums[count + row]!,
      c: sums[2 * count + row]!,
      error: this.error(target, row),
    };
  }

  /** The slot of a unit is slope * row: adds it to all that read it. */
  settle(stage: Stage, target: number, unit: number, row: number, slope: number): void {
    if (slope === 0) return;
    const { count } = this.#readers[target]!;
    const sums = this.sums[target]!;
    const [a, b, c] = [slope * sums[row]!, slope * sums[count + row]!, slope * sums[2 * count + row]!];
    const own = this.error(target, row);
    if (a === 0 && b === 0 && c === 0 && own === 0) return;
    const size = Math.abs(a) * this.#extent.u + Math.abs(b) * this.#extent.v + Math.abs(c);
    const rounding = slope === 1 || slope === -1 ? 0 : unitRoundoff * size;
    const error = Math.abs(slope) * own + rounding;
    this.#add(stage.firstSlot + unit, a, b, c, error);
  }

  /** The slot of a unit is a number on the whole cell. */
  settleAt(stage: Stage, unit: number, value: number): void {
    if (value !== 0) this.#add(stage.firstSlot + unit, 0, 0, value, 0);
  }

  #add(slot: number, a: number, b: number, c: number, error: number): void {
    const size = Math.abs(a) * this.#extent.u + Math.abs(b) * this.#extent.v + Math.abs(c);
    for (const { target, rows, weights } of this.#columns[slot]!) {
      const { count, gamma, dense } = this.#readers[target]!;
      const sums = this.sums[target]!;
      const bound = error + gamma * size;
      if (rows) addSparse(sums, rows, weights, count, a, b, c);
      else addDense(sums, weights, count, a, b, c);
      if (dense) sums[3 * count]! += bound * bound;
      else addErrors(sums, rows, weights, 3 * count, bound);
    }
  }
}

function addDense(
  sums: Float64Array,
  weights: Float64Array,
  count: number,
  a: number,
  b: number,
  c: number,
): void {
  for (let k = 0; k < count; k++) {
    const w = weights[k]!;
    sums[k]! += w * a;
    sums[count + k]! += w * b;
    sums[2 * count + k]! += w * c;
  }
}

function addSparse(
  sums: Float64Array,
  rows: Int32Array,
  weights: Float64Array,
  count: number,
  a: number,
  b: number,
  c: number,
): void {
  for (let k = 0; k < rows.length; k++) {
    const [w, row] = [weights[k]!, rows[k]!];
    sums[row]! += w * a;
    sums[count + row]! += w * b;
    sums[2 * count + row]! += w * c;
  }
}

function addErrors(
  sums: Float64Array,
  rows: Int32Array | undefined,
  weights: Float64Array,
  first: number,
  bound: number,
): void {
  for (let k = 0; k < weights.length; k++)
    sums[first + (rows ? rows[k]! : k)]! += Math.abs(weights[k]!) * bound;
}
