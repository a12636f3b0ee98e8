// From an arithmetic circuit to the layers of a ReLU network. Every weight is exact, save the constant of a
// sum and the weights that it gives to the coordinates of the input: what rounding them changes is added up.

import { ConstructError } from "../../functions/error.ts";
import type { Graph } from "../../graph/graph.ts";
import { abs, add, type Exact, min, mul, neg, sub, toNumber } from "../../numbers/exact/rational.ts";
import type { Layer } from "../layers/layered.ts";
import { graphOf } from "../layers/layers.ts";
import { type Circuit, type Gate, isGate, operands, rangeOf, type Sum } from "./circuit.ts";
import { combine, type Form, form, linearPart, scaled, shifted, substitute, variable } from "./form.ts";
import { type GateRun, gateUnits, type Takeoff } from "./gate.ts";
import { exactLayer, roundedWeights, roundTo50Bits } from "./rows.ts";
import { RunRounding } from "./run.ts";
import { absorb, addTo, liftedRow, offsetOf, type Running, running, topOf } from "./running.ts";
import { type Schedule, schedule } from "./schedule.ts";
import { Tails } from "./tails.ts";

export interface LowerOptions {
  readonly name?: string;
  readonly takeoff?: Takeoff;
  /** Every stage begins with a layer in which one unit holds each value: less to add up where gates read it. */
  readonly finish?: boolean;
  /** From this layer of a stage on, what gates add goes to units of its own: the large sums round no more. */
  readonly split?: number;
}

export interface Lowered {
  readonly network: Graph;
  /** What rounding changes each sum by at most: its constant, and weights that it gives to the input's coordinates. */
  readonly rounding: ReadonlyMap<number, Exact>;
  /** What running the network in doubles rounds. */
  readonly run: RunRounding;
  /** Units that finishing and splitting cost. */
  readonly extraUnits: number;
}

/** The network of a circuit, with so many levels for each of its gates (entries for other values are not read). */
export function lower(circuit: Circuit, levels: readonly number[], options: LowerOptions = {}): Lowered {
  const plan = schedule(circuit);
  const writer = new LayerWriter(circuit, plan, options);
  for (const [s, gates] of plan.stages.entries()) writer.stage(s + 1, gates, levels);
  const outputs = writer.outputs(plan.stages.length + 1);
  const layers = [...writer.layers, exactLayer(outputs, writer.width)];
  return {
    network: graphOf({ layers, activation: "relu", exact: true }, { name: options.name ?? "circuit" }),
    rounding: writer.rounding,
    run: writer.run,
    extraUnits: writer.extraUnits,
  };
}

/** A row, and what its unit reaches when it is computed. */
interface UnitRow {
  readonly of: Form;
  readonly most: number;
}

class LayerWriter {
  readonly layers: Layer[] = [];
  readonly rounding = new Map<number, Exact>();
  readonly run: RunRounding;
  width: number;
  extraUnits = 0;
  readonly #circuit: Circuit;
  readonly #plan: Schedule;
  readonly #options: LowerOptions;
  /** Sources and gates that have been made, over the units of the last layer. */
  readonly #forms = new Map<number, Form>();
  readonly #sums = new Map<number, Running>();
  readonly #tails: Tails;

  constructor(circuit: Circuit, plan: Schedule, options: LowerOptions) {
    this.#circuit = circuit;
    this.#plan = plan;
    this.#options = options;
    this.#tails = new Tails(options.split ?? Number.POSITIVE_INFINITY);
    this.width = circuit.dimension;
    this.run = new RunRounding(circuit);
    circuit.values.forEach((value, index) => {
      if (value.kind === "source") this.#forms.set(index, value.of);
      if (value.kind === "sum") this.#sums.set(index, running(value.of.constant));
    });
  }

  stage(stage: number, gates: readonly number[], levels: readonly number[]): void {
    this.#begin(stage);
    const runs = gates.map((index) => {
      const gate = this.#circuit.values[index]!;
      if (!isGate(gate)) throw new ConstructError(`value ${index} of the circuit is not a gate`);
      const read = operands(gate).map((f) => substitute(f, (i) => this.#read(i)));
      this.#expect(index);
      this.#forms.set(index, form());
      const run = gateUnits(gate, read, levels[index]!, this.#options.takeoff);
      return { index, gate, run, step: run.next() };
    });
    for (let layer = 1; ; layer++) {
      for (const { index, gate, step } of runs)
        this.#contribute(index, gate, step.done ? step.value : step.value.part, this.#tails.isLate(layer));
      if (runs.every(({ step }) => step.done)) break;
      const rows = this.#carry(stage);
      const places = runs.map(({ index, gate, step }) => {
        const from = rows.length;
        if (!step.done) {
          const most = this.run.gateRows(gate, step.value, index);
          rows.push(...step.value.rows.map((of, k) => ({ of, most: most[k]! })));
        }
        return Array.from({ length: rows.length - from }, (_, k) => variable(from + k));
      });
      this.#push(rows);
      for (const [k, each] of runs.entries()) each.step = next(each.run, each.step, places[k]!);
    }
    this.#mergeTails();
  }

  outputs(end: number): Form[] {
    this.#join(end);
    const rows = this.#circuit.outputs.map((index) => this.#read(index));
    this.run.outputs(rows, this.#circuit.outputs);
    return rows;
  }

  /** Joins what is finished, in a layer of its own where a sum is held or everything is finished first. */
  #begin(stage: number): void {
    const held = this.#plan.holding.get(stage);
    const finish = this.#options.finish && this.layers.length > 0;
    this.#join(stage);
    if (!held && !finish) return;
    const rows = this.#carry(stage - 1, held);
    if (!held) this.extraUnits += rows.length;
    this.#push(rows);
  }

  /** A value over the units of the last layer; the constant of a sum is rounded here. */
  #read(index: number): Form {
    const sum = this.#sums.get(index);
    if (!sum) return this.#forms.get(index)!;
    const { constant } = this.#exactly(index);
    const isOutput = this.#plan.neededAt[index]! > this.#plan.stages.length;
    const rounded = isOutput ? toNumber(constant) : roundTo50Bits(toNumber(constant));
    this.#round(index, abs(sub(constant, rounded)));
    return shifted(sum.form, rounded);
  }

  /** A value over the units of the last layer, with its exact constant. */
  #exactly(index: number): Form {
    const sum = this.#sums.get(index);
    return sum ? shifted(sum.form, offsetOf(sum)) : this.#forms.get(index)!;
  }

  #join(stage: number): void {
    for (const [index, terms] of this.#plan.joining)
      for (const [term, joins] of terms) {
        if (joins !== stage) continue;
        const sum = this.#sums.get(index)!;
        const coefficient = this.#termOf(index, term);
        const value = this.#exactly(term);
        const isInput = this.layers.length === 0;
        const part = isInput ? this.#roundedPart(index, coefficient, value) : scaled(value, coefficient);
        addTo(sum, 1, linearPart(part));
        sum.constant = add(sum.constant, part.constant);
        this.#expectRange(index, term, value.constant);
      }
  }

  /** coefficient * value, where the value is a form of the input's coordinates, with weights that are doubles. */
  #roundedPart(index: number, coefficient: Exact, value: Form): Form {
    const { rounded, change } = roundedWeights(scaled(value, coefficient), this.#circuit.box);
    const sum = this.#sums.get(index)!;
    sum.low = sub(sum.low, change);
    sum.high = add(sum.high, change);
    this.#round(index, change);
    return rounded;
  }

  #round(index: number, by: Exact): void {
    this.rounding.set(index, add(this.rounding.get(index) ?? 0, by));
  }

  /** The bounds of the sums that a gate feeds level by level, before its first level. */
  #expect(gate: number): void {
    for (const [index, terms] of this.#plan.joining)
      if (terms.get(gate) === "direct") this.#expectRange(index, gate, 0);
  }

  #expectRange(index: number, term: number, constant: Exact): void {
    const value = this.#circuit.values[term]!;
    const coefficient = this.#termOf(index, term);
    const [a, b] = rangeOf(value).map((end) => mul(coefficient, sub(end, constant))) as [Exact, Exact];
    const sum = this.#sums.get(index)!;
    sum.low = add(sum.low, min(0, min(a, b)));
    sum.high = sub(sum.high, min(0, min(neg(a), neg(b))));
  }

  #termOf(sum: number, term: number): Exact {
    return (this.#circuit.values[sum] as Sum).of.terms.get(term)!;
  }

  #contribute(index: number, gate: Gate, part: Form, late: boolean): void {
    if (part.terms.size === 0) return;
    const direct = [...this.#plan.joining].filter(([, terms]) => terms.get(index) === "direct");
    for (const [sum] of direct) {
      const coefficient = this.#termOf(sum, index);
      if (late) this.#tails.add(sum, gate, coefficient, part);
      else addTo(this.#sums.get(sum)!, coefficient, part);
    }
    if (direct.length > 0) return;
    if (late) this.#tails.add(index, gate, 1, part);
    else this.#addToForm(index, part);
  }

  #mergeTails(): void {
    for (const [index, tail] of this.#tails.begun()) {
      const sum = this.#sums.get(index);
      if (sum) absorb(sum, tail);
      else this.#addToForm(index, shifted(tail.form, neg(tail.lift)));
    }
    this.#tails.clear();
  }

  #addToForm(index: number, part: Form): void {
    const sum = combine([
      [1, this.#forms.get(index)!],
      [1, part],
    ]);
    this.#forms.set(index, sum);
  }

  /** One unit for every value that is needed after this stage. */
  #carry(stage: number, held: readonly number[] = []): UnitRow[] {
    const rows: UnitRow[] = [];
    this.#circuit.values.forEach((value, index) => {
      const needed = this.#plan.neededAt[index]! > stage;
      if (value.kind === "sum") {
        if (needed) this.#carrySum(index, value, held.includes(index), rows);
      } else {
        const now = this.#forms.get(index);
        if (!now || now.terms.size === 0) return;
        if (!needed) {
          this.#forms.delete(index);
          return;
        }
        const [least, most] = rangeOf(value);
        const unit = this.#unit(rows, shifted(now, 0 - least), most - least, index);
        this.#forms.set(index, shifted(unit, least));
      }
    });
    for (const [index, sum] of this.#tails.begun()) {
      const row = liftedRow(sum);
      sum.form = this.#unit(rows, row, topOf(sum), index);
      this.extraUnits++;
    }
    return rows;
  }

  /** Adds the row of a unit that carries (a part of) a value. */
  #unit(rows: UnitRow[], of: Form, most: number, index: number): Form {
    rows.push({ of, most: this.run.carried(of, most, index) });
    return variable(rows.length - 1);
  }

  #carrySum(index: number, { least, range }: Sum, isHeld: boolean, rows: UnitRow[]): void {
    const sum = this.#sums.get(index)!;
    if (sum.form.terms.size === 0) return;
    if (isHeld && range) {
      // The whole sum, less its lower bound: from now on its constant is that bound.
      const bias = sub(offsetOf(sum), range[0]);
      this.#round(index, abs(sub(bias, toNumber(bias))));
      const row = shifted(sum.form, toNumber(bias));
      Object.assign(sum, { constant: range[0], lift: 0, strange: 0, low: 0, high: range[1] - range[0] });
      sum.form = this.#unit(rows, row, range[1] - range[0], index);
      return;
    }
    const row = liftedRow(sum, least);
    this.run.held(index, least === undefined ? add(sum.lift, sum.low) : 0, topOf(sum));
    sum.form = this.#unit(rows, row, topOf(sum), index);
  }

  #push(rows: readonly UnitRow[]): void {
    this.layers.push(
      exactLayer(
        rows.map((row) => row.of),
        this.width,
      ),
    );
    this.run.push(rows.map((row) => row.most));
    this.width = rows.length;
  }
}

function next(run: GateRun, step: ReturnType<GateRun["next"]>, units: readonly Form[]): typeof step {
  return step.done ? { done: true, value: form() } : run.next(units);
}
