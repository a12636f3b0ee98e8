// Exact affine forms on a cell, as integers: the last word where floating point cannot tell a sign.
// Weights are dyadic, so on a cell (where every unit's choice is fixed) each slot is (a, b, c) / 2^bits.
import { fraction, fractionBits } from "../../engine/exact.ts";
import type { Program, Stage } from "./program.ts";

/** a u + b v + c times a power of two that all rows of one stage share. */
export type Triple = readonly [bigint, bigint, bigint];

/** A plane in the space of inputs: origin + u * first + v * second. */
export interface Plane {
  readonly origin: Float64Array;
  readonly first: Float64Array;
  readonly second: Float64Array;
}

/** A set of points on which the choices of all stages up to `stage` are the same; a chain back to the first. */
export class Cell {
  readonly parent: Cell | undefined;
  readonly stage: number;
  readonly choices: Uint8Array | Uint16Array;
  /** Exact rows of the next stage, as far as they were needed. */
  readonly rows: (Triple | undefined)[] = [];

  constructor(parent: Cell | undefined, stage: number, choices: Uint8Array | Uint16Array) {
    this.parent = parent;
    this.stage = stage;
    this.choices = choices;
  }

  /** What this cell's chain says of an earlier stage. */
  at(stage: number): Cell {
    let cell: Cell = this;
    while (cell.stage > stage) cell = cell.parent!;
    return cell;
  }
}

const mostBits = (...lists: readonly ArrayLike<number>[]): number => {
  let bits = 0;
  for (const list of lists)
    for (let k = 0; k < list.length; k++) bits = Math.max(bits, fractionBits(list[k]!));
  return bits;
};

/** x 2^bits as an integer; bits are enough for x. */
export function scaledInteger(x: number, bits: number): bigint {
  const { numerator, denominator } = fraction(x);
  return (numerator << BigInt(bits)) / denominator;
}

interface Scale {
  readonly weightBits: number;
  readonly sourceBits: number;
  readonly rowBits: number;
  readonly slopeBits: number;
  readonly slotBits: number;
}

/** Computes exact forms on demand, and remembers what it computed with each cell. */
export class ExactForms {
  readonly #program: Program;
  readonly #inputs: readonly Triple[];
  readonly #inputBits: number;
  readonly #scales: (Scale | undefined)[] = [];
  readonly #weights = new Map<string, readonly bigint[]>();
  readonly #stageOfSlot: Int32Array;
  readonly #firstRows: (Triple | undefined)[] = [];
  /** How often floating point could not tell. */
  evaluations = 0;

  constructor(program: Program, plane: Plane) {
    this.#program = program;
    this.#inputBits = mostBits(plane.origin, plane.first, plane.second);
    const integer = (x: number) => scaledInteger(x, this.#inputBits);
    this.#inputs = Array.from(plane.origin, (c, k) => [
      integer(plane.first[k]!),
      integer(plane.second[k]!),
      integer(c),
    ]);
    this.#stageOfSlot = new Int32Array(program.slots).fill(-1);
    program.stages.forEach(({ firstSlot, units }, s) => {
      this.#stageOfSlot.fill(s, firstSlot, firstSlot + units);
    });
  }

  /** Row `row` of a stage, on a cell that fixes the stages before it. */
  row(cell: Cell | undefined, stage: number, row: number): Triple {
    const known = cell ? cell.rows : this.#firstRows;
    known[row] ??= this.#compute(cell, stage, row);
    return known[row];
  }

  #compute(cell: Cell | undefined, stage: number, row: number): Triple {
    this.evaluations++;
    const { rows } = this.#program.stages[stage]!;
    const { weightBits, sourceBits, rowBits } = this.#scale(stage);
    const weights = this.#rowWeights(stage, row, weightBits);
    let [a, b] = [0n, 0n];
    let c = scaledInteger(rows.constants[row]!, rowBits);
    const start = rows.starts[row]!;
    for (let k = start; k < rows.starts[row + 1]!; k++) {
      const slot = rows.slots[k]!;
      const source = this.#stageOfSlot[slot]!;
      const form = source < 0 ? this.#inputs[slot]! : this.#slot(cell!.at(source), slot);
      const missing = BigInt(sourceBits - (source < 0 ? this.#inputBits : this.#scale(source).slotBits));
      const weight = weights[k - start]! << missing;
      a += weight * form[0];
      b += weight * form[1];
      c += weight * form[2];
    }
    return [a, b, c];
  }

  #slot(cell: Cell, slot: number): Triple {
    const stage = this.#program.stages[cell.stage]!;
    const unit = slot - stage.firstSlot;
    const choice = cell.choices[unit]!;
    const { slopeBits } = this.#scale(cell.stage);
    const slope = scaledInteger(slopeOf(stage, unit, choice), slopeBits);
    const row = stage.kind === "max" ? stage.groups[unit]! + choice : unit;
    if (slope === 0n) return zero;
    const form = this.row(cell.parent, cell.stage, row);
    return slope === 1n ? form : [slope * form[0], slope * form[1], slope * form[2]];
  }

  #scale(stage: number): Scale {
    const known = this.#scales[stage];
    if (known) return known;
    const { rows, below, above } = this.#program.stages[stage]!;
    let sourceBits = 0;
    for (const source of new Set(Array.from(rows.slots, (slot) => this.#stageOfSlot[slot]!)))
      sourceBits = Math.max(sourceBits, source < 0 ? this.#inputBits : this.#scale(source).slotBits);
    const weightBits = mostBits(rows.weights);
    // Constants need their own bits: they count as weights of 1.
    const extra = Math.max(0, mostBits(rows.constants) - weightBits - sourceBits);
    const slopeBits = mostBits(below, above);
    const rowBits = weightBits + extra + sourceBits;
    const scale = {
      weightBits: weightBits + extra,
      sourceBits,
      rowBits,
      slopeBits,
      slotBits: rowBits + slopeBits,
    };
    this.#scales[stage] = scale;
    return scale;
  }

  #rowWeights(stage: number, row: number, bits: number): readonly bigint[] {
    const key = `${stage}/${row}`;
    const known = this.#weights.get(key);
    if (known) return known;
    const { starts, weights } = this.#program.stages[stage]!.rows;
    const integers = Array.from(weights.subarray(starts[row]!, starts[row + 1]!), (w) =>
      scaledInteger(w, bits),
    );
    this.#weights.set(key, integers);
    return integers;
  }
}

const zero: Triple = [0n, 0n, 0n];

/** What a unit multiplies its row by. */
export const slopeOf = ({ kind, below, above }: Stage, unit: number, choice: number): number =>
  kind === "hinge" ? (choice === 0 ? below : above)[unit]! : 1;
