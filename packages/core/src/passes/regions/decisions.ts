// Does a unit bend inside a polygon? A bounding box answers for most units, signs at the vertices for the rest.

import { unitRoundoff } from "../../numbers/floating-point.ts";
import type { Decision } from "../affine/jumps.ts";
import type { AffineProgram } from "../affine/program.ts";
import type { Accumulator } from "./accumulator.ts";
import type { Cell, ExactForms, Form, Triple } from "./exact-forms.ts";
import { type Extent, Line, type Polygon, signAt } from "./polygon.ts";

const undecided = -1;

/** How the units and rows of a part of a network are called in the whole one. */
export interface Whole {
  unit(stage: number, unit: number): number;
  row(stage: number, row: number): number;
}

export class Decisions {
  readonly extent: Extent;
  readonly program: AffineProgram;
  readonly #sums: Accumulator;
  readonly #exact: ExactForms;
  /** How far from the polygon's middle the unit bends, relative to the polygon's size. */
  offset = 0;
  #u = 0;
  #v = 0;
  #halfWidth = 0;
  #halfHeight = 0;

  /** Of a part of a network: its units and rows in the whole one. */
  readonly #whole: Whole | undefined;

  constructor(program: AffineProgram, sums: Accumulator, exact: ExactForms, extent: Extent, whole?: Whole) {
    this.#whole = whole;
    this.program = program;
    this.#sums = sums;
    this.#exact = exact;
    this.extent = extent;
  }

  /** Takes in the bounding box of the polygon that the next questions are about. */
  look({ vertices }: Polygon): void {
    let [left, right, low, high, delta] = [
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      0,
    ];
    for (const p of vertices) {
      if (p.u < left) left = p.u;
      if (p.u > right) right = p.u;
      if (p.v < low) low = p.v;
      if (p.v > high) high = p.v;
      if (p.delta > delta) delta = p.delta;
    }
    this.#u = (left + right) / 2;
    this.#v = (low + high) / 2;
    const rounding = 4 * unitRoundoff;
    this.#halfWidth = (right - left) / 2 + delta + rounding * this.extent.u;
    this.#halfHeight = (high - low) / 2 + delta + rounding * this.extent.v;
  }

  /** The unit's choice on the whole polygon, or -1 when it bends inside. */
  choice(stage: number, unit: number, polygon: Polygon, cell: Cell | undefined): number {
    const { kind } = this.program.stages[stage]!;
    if (kind === "linear") return 0;
    if (kind === "jump") return this.#jumpChoice(stage, unit, polygon, cell);
    return kind === "hinge"
      ? this.#hingeChoice(stage, unit, polygon, cell)
      : this.#maxChoice(stage, unit, polygon, cell);
  }

  #hingeChoice(stage: number, unit: number, polygon: Polygon, cell: Cell | undefined): number {
    const { a, b, c, error } = this.#sums.form(stage, unit);
    if (a === 0 && b === 0 && error === 0) return c > 0 ? 1 : 0;
    const middle = a * this.#u + b * this.#v + c;
    const [slopeU, slopeV] = [Math.abs(a), Math.abs(b)];
    const reach = slopeU * this.#halfWidth + slopeV * this.#halfHeight;
    const size = slopeU * this.extent.u + slopeV * this.extent.v + Math.abs(c);
    if (Math.abs(middle) > reach + error + 8 * unitRoundoff * size) return middle > 0 ? 1 : 0;
    this.offset = Math.abs(middle) / reach;
    const { least, greatest } = this.range(this.hingeLine(stage, unit, cell), polygon);
    if (least < 0 && greatest > 0) return undecided;
    return greatest > 0 ? 1 : 0;
  }

  /** The least and the greatest sign at the vertices; stops when both signs have been seen. */
  range(line: Line, { vertices }: Polygon): { readonly least: number; readonly greatest: number } {
    let [least, greatest] = [1, -1];
    for (const vertex of vertices) {
      const sign = signAt(line, vertex, this.extent);
      if (sign < least) least = sign;
      if (sign > greatest) greatest = sign;
      if (least < 0 && greatest > 0) break;
    }
    return { least, greatest };
  }

  /** Where the decisions end that are the same on the whole polygon, or -1. */
  #jumpChoice(stage: number, unit: number, polygon: Polygon, cell: Cell | undefined): number {
    let at = this.program.stages[stage]!.jumps!.roots[unit]!;
    while (typeof at !== "number") {
      const side = this.#side(stage, unit, at, polygon, cell);
      if (side === undefined) return undecided;
      at = at[side];
    }
    return at;
  }

  /** On which side of a threshold the whole polygon lies; undefined: on both. */
  #side(
    stage: number,
    unit: number,
    decision: Decision,
    polygon: Polygon,
    cell: Cell | undefined,
  ): "below" | "above" | undefined {
    const row = this.program.stages[stage]!.groups[unit]! + decision.row;
    const { a, b, c, error } = this.#sums.form(stage, row);
    const middle = a * this.#u + b * this.#v + c - decision.threshold;
    const [slopeU, slopeV] = [Math.abs(a), Math.abs(b)];
    const reach = slopeU * this.#halfWidth + slopeV * this.#halfHeight;
    const size = slopeU * this.extent.u + slopeV * this.extent.v + Math.abs(c) + Math.abs(decision.threshold);
    if (Math.abs(middle) > reach + error + 8 * unitRoundoff * size) return middle > 0 ? "above" : "below";
    this.offset = 0;
    const { least, greatest } = this.range(this.thresholdLine(stage, unit, decision, cell), polygon);
    if (least < 0 && greatest > 0) return undefined;
    if (least === 0 && greatest === 0) return decision.tie;
    return greatest > 0 ? "above" : "below";
  }

  /** Where a row of a unit is the threshold of a decision. */
  thresholdLine(stage: number, unit: number, decision: Decision, cell: Cell | undefined): Line {
    const row = this.program.stages[stage]!.groups[unit]! + decision.row;
    const { a, b, c, error } = this.#sums.form(stage, row);
    const shifted = c - decision.threshold;
    const rounding = unitRoundoff * Math.abs(shifted);
    return new Line(a, b, shifted, error + rounding, stage, unit, () =>
      this.#exact.above(this.#exact.row(cell, stage, row), decision.threshold, stage),
    );
  }

  /** The first of the rows that no other exceeds on the polygon, or -1 when there is none. */
  #maxChoice(stage: number, unit: number, polygon: Polygon, cell: Cell | undefined): number {
    const { groups } = this.program.stages[stage]!;
    const [first, end] = [groups[unit]!, groups[unit + 1]!];
    const best = this.#bestInTheMiddle(stage, first, end);
    let choice = best;
    this.offset = 0;
    for (let row = first; row < end; row++) {
      if (row === best) continue;
      const line = this.differenceLine(stage, unit, best, row, cell);
      const { least, greatest } = line ? this.range(line, polygon) : { least: 0, greatest: 0 };
      if (least < 0) return undecided;
      if (greatest === 0 && row < choice) choice = row;
    }
    return choice - first;
  }

  #bestInTheMiddle(stage: number, first: number, end: number): number {
    let [best, greatest] = [first, Number.NEGATIVE_INFINITY];
    for (let row = first; row < end; row++) {
      const { a, b, c } = this.#sums.form(stage, row);
      const value = a * this.#u + b * this.#v + c;
      if (value > greatest) [best, greatest] = [row, value];
    }
    return best;
  }

  hingeLine(stage: number, unit: number, cell: Cell | undefined): Line {
    const { a, b, c, error } = this.#sums.form(stage, unit);
    const own = this.#whole?.unit(stage, unit) ?? unit;
    return new Line(a, b, c, error, stage, own, () => this.#exact.row(cell, stage, own).triple);
  }

  /** Where row p minus row q vanishes; undefined when both are surely the same. */
  differenceLine(
    stage: number,
    unit: number,
    p: number,
    q: number,
    cell: Cell | undefined,
  ): Line | undefined {
    const [x, y] = [this.#sums.form(stage, p), this.#sums.form(stage, q)];
    const [a, b, c] = [x.a - y.a, x.b - y.b, x.c - y.c];
    const size = (f: Omit<typeof x, "error">): number =>
      Math.abs(f.a) * this.extent.u + Math.abs(f.b) * this.extent.v + Math.abs(f.c);
    const error = x.error + y.error + 2 * unitRoundoff * (size(x) + size(y));
    const isExact = x.error === 0 && y.error === 0;
    const isSame = (): boolean =>
      (isExact && a === 0 && b === 0 && c === 0) ||
      this.#rowForm(cell, stage, p) === this.#rowForm(cell, stage, q);
    if (size({ a, b, c }) <= error && isSame()) return undefined;
    return new Line(a, b, c, error, stage, this.#whole?.unit(stage, unit) ?? unit, () =>
      difference(this.#rowForm(cell, stage, p), this.#rowForm(cell, stage, q)),
    );
  }

  #rowForm(cell: Cell | undefined, stage: number, row: number): Form {
    return this.#exact.row(cell, stage, this.#whole?.row(stage, row) ?? row);
  }
}

function difference(p: Form, q: Form): Triple {
  if (p === q) return [0n, 0n, 0n];
  const [x, y] = [p.triple, q.triple];
  return [x[0] - y[0], x[1] - y[1], x[2] - y[2]];
}
