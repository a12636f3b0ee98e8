// On a small polygon most units choose the same everywhere. What is left is a small network of the others: its rows are
// forms of the place and of their slots alone, so that a region there costs the units that bend near it, and not the
// weights of all layers.
//
// Which units these are is found once for the polygon: a unit that bends is a line and a gap (its slot is z = line +- gap),
// and a later unit whose form in the place and the z cannot vanish with all gaps together chooses the same everywhere.
import { unitRoundoff } from "../../numbers/floating-point.ts";
import type { SparseRows } from "../affine/forms.ts";
import type { AffineProgram, Stage } from "../affine/program.ts";
import type { Accumulator } from "./accumulator.ts";
import { slopeOf } from "./exact-forms.ts";
import type { Extent, Polygon } from "./polygon.ts";

/** The network of the units that are open, and what it stands for. */
export interface Condensed {
  readonly program: AffineProgram;
  /** By stage: the units of the whole network, and the choices of all of its units as far as they are known. */
  readonly units: readonly Int32Array[];
  /** Of stages with several rows a unit: the first row of each open unit in the whole network. */
  readonly starts: readonly Int32Array[];
  readonly choices: readonly (Uint8Array | Uint16Array)[];
  /** By reader: bounds on the errors of its rows on the polygon. */
  readonly errors: readonly Float64Array[];
}

/** More open units than this are too many to carry along. */
const mostOpen = 64;

/** A form in the place and in the open slots, as part of arrays: base at 3 k, coefficients at mostOpen k. */
interface Slot {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly error: number;
  /** Coefficients of the open slots so far; undefined: none. */
  readonly open: Float64Array | undefined;
}

/** What is known of an open slot on the polygon: a line with a gap on both sides. */
interface Open {
  readonly stage: number;
  readonly unit: number;
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly gap: number;
  readonly size: number;
}

interface Row {
  readonly least: number;
  readonly greatest: number;
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly gap: number;
}

export class Condenser {
  readonly #program: AffineProgram;
  readonly #sums: Accumulator;
  readonly #extent: Extent;
  /** By reader: base forms, coefficients and errors of its rows. */
  readonly #base: Float64Array[];
  readonly #open: Float64Array[];
  readonly #errors: Float64Array[];
  #opened: Open[] = [];
  #vertices: Polygon["vertices"] = [];

  constructor(program: AffineProgram, sums: Accumulator, extent: Extent) {
    this.#program = program;
    this.#sums = sums;
    this.#extent = extent;
    const counts = [...program.stages.map((s) => s.rows), program.outputs].map((r) => r.constants.length);
    this.#base = counts.map((n) => new Float64Array(3 * n));
    this.#open = counts.map((n) => new Float64Array(mostOpen * n));
    this.#errors = counts.map((n) => new Float64Array(n));
  }

  /** All stages before `stage` are settled, and of its units all but the live ones. Undefined: too many are open. */
  condense(
    stage: number,
    polygon: Polygon,
    live: Int32Array,
    everyUnit: readonly Int32Array[],
    choices: readonly (Uint8Array | Uint16Array)[],
  ): Condensed | undefined {
    const { stages } = this.#program;
    this.#vertices = polygon.vertices;
    this.#opened = [];
    for (let t = stage; t <= stages.length; t++) this.#start(t, stage);
    const own = choices.map((c, t) => (t >= stage ? c.slice() : c));
    const units = stages.map((): number[] => []);
    for (let t = stage; t < stages.length; t++) {
      for (const unit of t === stage ? live : everyUnit[t]!) {
        const choice = t === stage ? -1 : this.#choice(t, unit);
        if (choice >= 0) {
          own[t]![unit] = choice;
          this.#settle(t, unit, choice);
        } else {
          if (this.#opened.length === mostOpen) return undefined;
          units[t]!.push(unit);
          this.#openUnit(t, unit);
        }
      }
    }
    return this.#written(stage, units, own);
  }

  /** The rows of a reader, with what is settled so far. */
  #start(t: number, stage: number): void {
    const { forms, errors } = this.#sums.base(t, stage);
    const count = errors.length;
    const base = this.#base[t]!;
    for (let k = 0; k < count; k++) {
      base[3 * k] = forms[k]!;
      base[3 * k + 1] = forms[count + k]!;
      base[3 * k + 2] = forms[2 * count + k]!;
    }
    this.#errors[t]!.set(errors);
    this.#open[t]!.fill(0);
  }

  /** A row on the polygon, or the difference of two of one reader. */
  #row(t: number, row: number, less = -1): Row {
    const [base, open] = [this.#base[t]!, this.#open[t]!];
    let [a, b, c] = [base[3 * row]!, base[3 * row + 1]!, base[3 * row + 2]!];
    let gap = this.#errors[t]![row]!;
    if (less >= 0) {
      a -= base[3 * less]!;
      b -= base[3 * less + 1]!;
      c -= base[3 * less + 2]!;
      gap += this.#errors[t]![less]!;
    }
    let size = Math.abs(a) * this.#extent.u + Math.abs(b) * this.#extent.v + Math.abs(c);
    for (let j = 0; j < this.#opened.length; j++) {
      const w = open[mostOpen * row + j]! - (less >= 0 ? open[mostOpen * less + j]! : 0);
      if (w === 0) continue;
      const z = this.#opened[j]!;
      a += w * z.a;
      b += w * z.b;
      c += w * z.c;
      gap += Math.abs(w) * z.gap;
      size += Math.abs(w) * z.size;
    }
    // Rounding of these sums, and of values at vertices, which are known up to their own error.
    gap += (mostOpen + 8) * 2 * unitRoundoff * size;
    let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const { u, v, delta } of this.#vertices) {
      const value = a * u + b * v + c;
      const slack = (Math.abs(a) + Math.abs(b)) * delta;
      least = Math.min(least, value - slack);
      greatest = Math.max(greatest, value + slack);
    }
    return { least: least - gap, greatest: greatest + gap, a, b, c, gap };
  }

  /** Is the row 0 without any error, everywhere? */
  #isZero(t: number, row: number, less = -1): boolean {
    const [base, open, errors] = [this.#base[t]!, this.#open[t]!, this.#errors[t]!];
    if (errors[row] !== 0 || (less >= 0 && errors[less] !== 0)) return false;
    const at = (list: Float64Array, width: number, k: number) =>
      list[width * row + k]! - (less >= 0 ? list[width * less + k]! : 0);
    for (let k = 0; k < 3; k++) if (at(base, 3, k) !== 0) return false;
    for (let j = 0; j < this.#opened.length; j++) if (at(open, mostOpen, j) !== 0) return false;
    return true;
  }

  /** What the unit chooses on the whole polygon; -1: not the same. */
  #choice(t: number, unit: number): number {
    const { kind, groups } = this.#program.stages[t]!;
    if (kind === "linear") return 0;
    if (kind === "hinge") {
      const { least, greatest } = this.#row(t, unit);
      if (least > 0) return 1;
      return greatest < 0 || this.#isZero(t, unit) ? 0 : -1;
    }
    const [first, end] = [groups[unit]!, groups[unit + 1]!];
    const best = this.#bestRow(t, first, end);
    let choice = best;
    for (let row = first; row < end; row++) {
      if (row === best) continue;
      if (this.#isZero(t, row, best)) choice = Math.min(choice, row);
      else if (this.#row(t, row, best).greatest >= 0) return -1;
    }
    return choice - first;
  }

  /** The row of a group that is the greatest at the first vertices' middle. */
  #bestRow(t: number, first: number, end: number): number {
    let [best, most] = [first, Number.NEGATIVE_INFINITY];
    for (let row = first; row < end; row++) {
      const { least, greatest } = this.#row(t, row);
      if (least + greatest > most) [best, most] = [row, least + greatest];
    }
    return best;
  }

  #slotOf(t: number, row: number, slope: number): Slot {
    const base = this.#base[t]!;
    const from = this.#open[t]!.subarray(mostOpen * row, mostOpen * row + this.#opened.length);
    const open = from.some((w) => w !== 0) ? from.map((w) => slope * w) : undefined;
    const [a, b, c] = [slope * base[3 * row]!, slope * base[3 * row + 1]!, slope * base[3 * row + 2]!];
    const error = Math.abs(slope) * this.#errors[t]![row]!;
    const exact = slope === 1 || slope === -1;
    return {
      a,
      b,
      c,
      open,
      error: exact ? error : error + unitRoundoff * this.#sizeOf({ a, b, c, open, error }),
    };
  }

  #sizeOf({ a, b, c, open }: Slot): number {
    let size = Math.abs(a) * this.#extent.u + Math.abs(b) * this.#extent.v + Math.abs(c);
    if (open) for (let j = 0; j < open.length; j++) size += Math.abs(open[j]!) * this.#opened[j]!.size;
    return size;
  }

  #settle(t: number, unit: number, choice: number): void {
    const stage = this.#program.stages[t]!;
    const slope = slopeOf(stage, unit, choice);
    if (slope === 0) return;
    const slot = this.#slotOf(t, stage.kind === "max" ? stage.groups[unit]! + choice : unit, slope);
    const { a, b, c, open, error } = slot;
    const size = this.#sizeOf(slot);
    if (size === 0 && error === 0) return;
    for (const { target, rows, weights } of this.#sums.columns(stage.firstSlot + unit)) {
      const [base, opens, errors] = [this.#base[target]!, this.#open[target]!, this.#errors[target]!];
      const bound = error + 2 * this.#sums.gamma(target) * size;
      for (let k = 0; k < weights.length; k++) {
        const [w, row] = [weights[k]!, rows ? rows[k]! : k];
        base[3 * row]! += w * a;
        base[3 * row + 1]! += w * b;
        base[3 * row + 2]! += w * c;
        errors[row]! += Math.abs(w) * bound;
        if (open) for (let j = 0; j < open.length; j++) opens[mostOpen * row + j]! += w * open[j]!;
      }
    }
  }

  /** The unit's slot becomes one that later rows are forms of. */
  #openUnit(t: number, unit: number): void {
    const stage = this.#program.stages[t]!;
    const line = stage.kind === "max" ? this.#maxLine(t, stage, unit) : this.#hingeLine(t, stage, unit);
    const z = this.#opened.length;
    const size =
      Math.abs(line.a) * this.#extent.u + Math.abs(line.b) * this.#extent.v + Math.abs(line.c) + line.gap;
    this.#opened.push({ stage: t, unit, ...line, gap: line.gap + 16 * unitRoundoff * size, size });
    for (const { target, rows, weights } of this.#sums.columns(stage.firstSlot + unit))
      for (let k = 0; k < weights.length; k++)
        this.#open[target]![mostOpen * (rows ? rows[k]! : k) + z] = weights[k]!;
  }

  /** Between the chord and the kink: below r <= 0 and above r >= 0 on [least, greatest]. */
  #hingeLine(t: number, { below, above }: Stage, unit: number) {
    const { least, greatest, a, b, c, gap } = this.#row(t, unit);
    const [low, high] = [Math.min(least, 0), Math.max(greatest, 0)];
    const [p, q] = [below[unit]!, above[unit]!];
    const slope = high > low ? (q * high - p * low) / (high - low) : q;
    const middle = ((p - slope) * low) / 2;
    return {
      a: slope * a,
      b: slope * b,
      c: slope * c + middle,
      gap: Math.abs(middle) + Math.abs(slope) * gap,
    };
  }

  /** The row that is best in the middle, and how far any other exceeds it. */
  #maxLine(t: number, { groups }: Stage, unit: number) {
    const [first, end] = [groups[unit]!, groups[unit + 1]!];
    const best = this.#bestRow(t, first, end);
    let most = 0;
    for (let row = first; row < end; row++)
      if (row !== best) most = Math.max(most, this.#row(t, row, best).greatest);
    const { a, b, c, gap } = this.#row(t, best);
    return { a, b, c: c + most / 2, gap: gap + most / 2 };
  }

  #written(
    stage: number,
    units: readonly (readonly number[])[],
    choices: readonly (Uint8Array | Uint16Array)[],
  ): Condensed {
    const { stages, outputs, outputNames } = this.#program;
    const errors: Float64Array[] = [];
    let firstSlot = 2;
    const written = stages.map((s, t): Stage => {
      const own = units[t]!;
      const grouped = s.kind === "max";
      const rowsOf = own.flatMap((unit) => {
        const [from, to] = grouped ? [s.groups[unit]!, s.groups[unit + 1]!] : [unit, unit + 1];
        return Array.from({ length: to - from }, (_, k) => from + k);
      });
      const groups = grouped ? [0, ...own.map((unit) => s.groups[unit + 1]! - s.groups[unit]!)] : [];
      for (let k = 1; k < groups.length; k++) groups[k]! += groups[k - 1]!;
      errors.push(Float64Array.from(rowsOf, (row) => (t < stage ? 0 : this.#errors[t]![row]!)));
      const result: Stage = {
        ...s,
        rows: this.#rows(t, rowsOf),
        units: own.length,
        firstSlot,
        below: s.kind === "hinge" ? Float64Array.from(own, (unit) => s.below[unit]!) : s.below,
        above: s.kind === "hinge" ? Float64Array.from(own, (unit) => s.above[unit]!) : s.above,
        groups: Int32Array.from(groups),
      };
      firstSlot += own.length;
      return result;
    });
    const all = outputs.constants.length;
    errors.push(this.#errors[stages.length]!.slice());
    const rows = this.#rows(
      stages.length,
      Array.from({ length: all }, (_, k) => k),
    );
    return {
      program: { inputs: 2, slots: firstSlot, stages: written, outputs: rows, outputNames },
      units: units.map((own) => Int32Array.from(own)),
      starts: units.map((own, t) => Int32Array.from(own, (unit) => stages[t]!.groups[unit] ?? 0)),
      choices,
      errors,
    };
  }

  #rows(t: number, rows: readonly number[]): SparseRows {
    const [starts, slots, weights, constants]: [number[], number[], number[], number[]] = [[0], [], [], []];
    const [base, open] = [this.#base[t]!, this.#open[t]!];
    for (const row of rows) {
      slots.push(0, 1);
      weights.push(base[3 * row]!, base[3 * row + 1]!);
      for (let j = 0; j < this.#opened.length; j++) {
        const w = open[mostOpen * row + j]!;
        if (w === 0) continue;
        slots.push(2 + j);
        weights.push(w);
      }
      constants.push(base[3 * row + 2]!);
      starts.push(slots.length);
    }
    return {
      starts: Int32Array.from(starts),
      slots: Int32Array.from(slots),
      weights: Float64Array.from(weights),
      constants: Float64Array.from(constants),
    };
  }
}
