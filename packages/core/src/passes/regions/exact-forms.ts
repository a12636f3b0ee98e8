// Exact affine forms on a cell, as integers: the last word where floating point cannot tell a sign.
// Weights are dyadic, so on a cell (where every unit's choice is fixed) each slot is (a, b, c) / 2^bits.
//
// Rows with the same weights of the same forms are one form, whatever the cell: pixels of one colour make whole layers of
// units that tie, in every cell again, and no number is needed to see that.
import { fraction, fractionBits } from "../../numbers/exact/rational.ts";
import { type AffineProgram, isGrouped, type Stage } from "../affine/program.ts";

/** a u + b v + c times a power of two that all rows of one stage share. */
export type Triple = readonly [bigint, bigint, bigint];

/** A plane in the space of inputs: origin + u * first + v * second. */
export interface Plane {
  readonly origin: Float64Array;
  readonly first: Float64Array;
  readonly second: Float64Array;
}

/** A form that is computed when somebody asks for its numbers. */
export class Form {
  readonly id: number;
  #triple: Triple | undefined;
  #make: (() => Triple) | undefined;

  constructor(id: number, make: () => Triple) {
    this.id = id;
    this.#make = make;
  }

  get triple(): Triple {
    this.#triple ??= this.#make!();
    this.#make = undefined; // and with it what the form was made of
    return this.#triple;
  }
}

/** A set of points on which the choices of all stages up to `stage` are the same; a chain back to the first. */
export class Cell {
  readonly parent: Cell | undefined;
  readonly stage: number;
  readonly choices: Uint8Array | Uint16Array;
  /** Exact rows of the next stage, as far as they were needed. */
  readonly rows: (Form | undefined)[] = [];

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

/** By stage: the rows that are the same number on all of the plane, since nothing that varies there reaches them. */
function fixedRows({ stages, slots, inputs }: AffineProgram, { first, second }: Plane): Uint8Array[] {
  const varies = new Uint8Array(slots);
  for (let k = 0; k < inputs; k++) varies[k] = first[k] !== 0 || second[k] !== 0 ? 1 : 0;
  return stages.map((stage) => {
    const { rows, units, firstSlot, groups } = stage;
    const isFixed = Uint8Array.from(rows.constants, (_, row) => {
      for (let k = rows.starts[row]!; k < rows.starts[row + 1]!; k++) if (varies[rows.slots[k]!]) return 0;
      return 1;
    });
    for (let unit = 0; unit < units; unit++) {
      const own = isGrouped(stage) ? isFixed.subarray(groups[unit]!, groups[unit + 1]!) : [isFixed[unit]!];
      varies[firstSlot + unit] = own.every((fixed) => fixed === 1) ? 0 : 1;
    }
    return isFixed;
  });
}

/** Forms are forgotten beyond so many: one that is met again is then made again. */
const mostKnown = 1e5;

/** Computes exact forms on demand, and remembers what it computed with each cell. */
export class ExactForms {
  readonly #program: AffineProgram;
  readonly #inputs: readonly Form[];
  readonly #inputBits: number;
  readonly #scales: (Scale | undefined)[] = [];
  readonly #weights = new Map<number, readonly bigint[]>();
  readonly #rowIds: (number | undefined)[][];
  readonly #idsOfRows = new Map<string, number>();
  readonly #known = new Map<string, Form>();
  readonly #stageOfSlot: Int32Array;
  readonly #firstRows: (Form | undefined)[] = [];
  /** By stage: rows that no input that varies reaches, and their forms, which are those of every cell. */
  readonly #isFixed: readonly Uint8Array[];
  readonly #fixedRows: readonly (Form | undefined)[][];
  #count = 0;
  /** How often floating point could not tell. */
  evaluations = 0;

  constructor(program: AffineProgram, plane: Plane) {
    this.#program = program;
    this.#inputBits = mostBits(plane.origin, plane.first, plane.second);
    const integer = (x: number) => scaledInteger(x, this.#inputBits);
    this.#inputs = Array.from(plane.origin, (c, k) => {
      const [a, b] = [plane.first[k]!, plane.second[k]!];
      return this.#form(`input ${a} ${b} ${c}`, () => [integer(a), integer(b), integer(c)]);
    });
    this.#rowIds = program.stages.map(() => []);
    this.#stageOfSlot = new Int32Array(program.slots).fill(-1);
    program.stages.forEach(({ firstSlot, units }, s) => {
      this.#stageOfSlot.fill(s, firstSlot, firstSlot + units);
    });
    this.#isFixed = fixedRows(program, plane);
    this.#fixedRows = program.stages.map(() => []);
  }

  /** The form that this key says how to make. */
  #form(key: string, make: () => Triple): Form {
    const known = this.#known.get(key);
    if (known) return known;
    if (this.#known.size >= mostKnown) this.#known.clear();
    const form = new Form(this.#count++, make);
    this.#known.set(key, form);
    return form;
  }

  /** Row `row` of a stage, on a cell that fixes the stages before it; the same object: the same form. */
  row(cell: Cell | undefined, stage: number, row: number): Form {
    const known = this.#isFixed[stage]![row] ? this.#fixedRows[stage]! : cell ? cell.rows : this.#firstRows;
    known[row] ??= this.#rowForm(cell, stage, row);
    return known[row];
  }

  #rowForm(cell: Cell | undefined, stage: number, row: number): Form {
    const { starts, slots, weights, constants } = this.#program.stages[stage]!.rows;
    const [start, end] = [starts[row]!, starts[row + 1]!];
    const terms: Form[] = [];
    let key = `${this.#rowId(stage, row)}:`;
    for (let k = start; k < end; k++) {
      const slot = slots[k]!;
      const source = this.#stageOfSlot[slot]!;
      const form = source < 0 ? this.#inputs[slot]! : this.#slot(cell!.at(source), slot);
      const isCopy = k === end - 1 && k === start && weights[k] === 1 && constants[row] === 0;
      if (isCopy && this.#scale(stage).rowBits === this.#slotBits(source)) return form;
      terms.push(form);
      key += `${form.id},`;
    }
    return this.#form(key, () => this.#compute(terms, stage, row));
  }

  #compute(terms: readonly Form[], stage: number, row: number): Triple {
    this.evaluations++;
    const { starts, slots, constants } = this.#program.stages[stage]!.rows;
    const { weightBits, sourceBits, rowBits } = this.#scale(stage);
    const weights = this.#rowWeights(stage, row, weightBits);
    let [a, b] = [0n, 0n];
    let c = scaledInteger(constants[row]!, rowBits);
    terms.forEach((term, k) => {
      if (term === this.#zero) return;
      const source = this.#stageOfSlot[slots[starts[row]! + k]!]!;
      const missing = sourceBits - this.#slotBits(source);
      const weight = missing === 0 ? weights[k]! : weights[k]! << BigInt(missing);
      const form = term.triple;
      a += weight * form[0];
      b += weight * form[1];
      c += weight * form[2];
    });
    return [a, b, c];
  }

  readonly #zero = new Form(-1, () => [0n, 0n, 0n]);

  #slot(cell: Cell, slot: number): Form {
    const stage = this.#program.stages[cell.stage]!;
    const unit = slot - stage.firstSlot;
    const choice = cell.choices[unit]!;
    if (stage.jumps) return this.#constant(cell.stage, stage.jumps.value(unit, choice));
    const slope = slopeOf(stage, unit, choice);
    if (slope === 0) return this.#zero;
    const row = stage.kind === "max" ? stage.groups[unit]! + choice : unit;
    const form = this.row(cell.parent, cell.stage, row);
    const { slopeBits } = this.#scale(cell.stage);
    if (slope === 1 && slopeBits === 0) return form;
    return this.#form(`${slope} of ${form.id}`, () => {
      const factor = scaledInteger(slope, slopeBits);
      const [a, b, c] = form.triple;
      return [factor * a, factor * b, factor * c];
    });
  }

  /** A unit of a stage that jumps, where its choice is known. */
  #constant(stage: number, value: number): Form {
    if (value === 0) return this.#zero;
    const { slotBits } = this.#scale(stage);
    return this.#form(`number ${value} of ${stage}`, () => [0n, 0n, scaledInteger(value, slotBits)]);
  }

  /** A row of a cell less a number that the stage has bits for. */
  above(form: Form, threshold: number, stage: number): Triple {
    const [a, b, c] = form.triple;
    return [a, b, c - scaledInteger(threshold, this.#scale(stage).rowBits)];
  }

  /** A number that rows of a stage share when they have the same weights and the same constant. */
  #rowId(stage: number, row: number): number {
    const ids = this.#rowIds[stage]!;
    const known = ids[row];
    if (known !== undefined) return known;
    const { starts, weights, constants } = this.#program.stages[stage]!.rows;
    const key = `${stage} ${constants[row]} ${weights.subarray(starts[row]!, starts[row + 1]!).join()}`;
    const id = this.#idsOfRows.get(key) ?? this.#idsOfRows.size;
    this.#idsOfRows.set(key, id);
    ids[row] = id;
    return id;
  }

  /** The bits of slots of a stage; -1: of the inputs. */
  #slotBits(stage: number): number {
    return stage < 0 ? this.#inputBits : this.#scale(stage).slotBits;
  }

  #scale(stage: number): Scale {
    const known = this.#scales[stage];
    if (known) return known;
    const { rows, below, above, jumps } = this.#program.stages[stage]!;
    let sourceBits = 0;
    for (const source of new Set(Array.from(rows.slots, (slot) => this.#stageOfSlot[slot]!)))
      sourceBits = Math.max(sourceBits, this.#slotBits(source));
    const weightBits = mostBits(rows.weights);
    // Constants need their own bits: they count as weights of 1.
    const extra = Math.max(
      0,
      Math.max(mostBits(rows.constants), jumps?.thresholdBits ?? 0) - weightBits - sourceBits,
    );
    const slopeBits = mostBits(below, above);
    const rowBits = weightBits + extra + sourceBits;
    const scale = {
      weightBits: weightBits + extra,
      sourceBits,
      rowBits,
      slopeBits,
      slotBits: jumps ? jumps.valueBits : rowBits + slopeBits,
    };
    this.#scales[stage] = scale;
    return scale;
  }

  #rowWeights(stage: number, row: number, bits: number): readonly bigint[] {
    const key = this.#rowId(stage, row);
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

/** What a unit multiplies its row by. */
export const slopeOf = ({ kind, below, above }: Stage, unit: number, choice: number): number =>
  kind === "hinge" ? (choice === 0 ? below : above)[unit]! : 1;
