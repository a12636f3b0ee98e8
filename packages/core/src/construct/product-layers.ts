// From an arithmetic circuit to the layers of a ReLU network. Every weight is exact, save the constant of a
// sum and the weights that it gives to the coordinates of the input: what rounding them changes is added up.
import { abs, add, compare, type Exact, min, mul, neg, sign, sub, toNumber } from "../engine/exact.ts";
import type { Graph } from "../graph/graph.ts";
import { ConstructError } from "./error.ts";
import { graphOf, type Layer, sparseLayer } from "./layers.ts";
import { type Circuit, isGate, operands, rangeOf, type Sum } from "./product-circuit.ts";
import {
  combine,
  type Form,
  form,
  linearPart,
  scaled,
  shifted,
  substitute,
  variable,
} from "./product-form.ts";
import { type GateRun, gateUnits } from "./product-gate.ts";
import { type Schedule, schedule } from "./product-schedule.ts";

export interface Lowered {
  readonly network: Graph;
  /** What rounding changes each sum by at most: its constant, and weights that it gives to the input's coordinates. */
  readonly rounding: ReadonlyMap<number, Exact>;
}

/** The network of a circuit, with so many levels for each of its gates (entries for other values are not read). */
export function lower(circuit: Circuit, levels: readonly number[], name = "circuit"): Lowered {
  const plan = schedule(circuit);
  const writer = new LayerWriter(circuit, plan);
  for (const [s, gates] of plan.stages.entries()) writer.stage(s + 1, gates, levels);
  const outputs = writer.outputs(plan.stages.length + 1);
  const layers = [...writer.layers, exactLayer(outputs, writer.width)];
  return {
    network: graphOf({ layers, activation: "relu", exact: true }, { name }),
    rounding: writer.rounding,
  };
}

/** A running sum: its form without constants over the units of the last layer, and what is kept out of it. */
interface Running {
  form: Form;
  /** Added to the linear part, so that the unit that carries it is never negative. */
  lift: Exact;
  constant: Exact;
  /** A lower bound of the linear part. */
  low: Exact;
}

class LayerWriter {
  readonly layers: Layer[] = [];
  readonly rounding = new Map<number, Exact>();
  width: number;
  readonly #circuit: Circuit;
  readonly #plan: Schedule;
  /** Sources and gates that have been made, over the units of the last layer. */
  readonly #forms = new Map<number, Form>();
  readonly #sums = new Map<number, Running>();

  constructor(circuit: Circuit, plan: Schedule) {
    this.#circuit = circuit;
    this.#plan = plan;
    this.width = circuit.dimension;
    circuit.values.forEach((value, index) => {
      if (value.kind === "source") this.#forms.set(index, value.of);
      if (value.kind === "sum")
        this.#sums.set(index, { form: form(), lift: 0, constant: value.of.constant, low: 0 });
    });
  }

  stage(stage: number, gates: readonly number[], levels: readonly number[]): void {
    this.#join(stage);
    const held = this.#plan.holding.get(stage);
    if (held) this.#push(this.#carry(stage - 1, held));
    const runs = gates.map((index) => {
      const gate = this.#circuit.values[index]!;
      if (!isGate(gate)) throw new ConstructError(`value ${index} of the circuit is not a gate`);
      const read = operands(gate).map((f) => substitute(f, (i) => this.#read(i)));
      this.#expect(index);
      this.#forms.set(index, form());
      const run = gateUnits(gate, read, levels[index]!);
      return { index, run, step: run.next() };
    });
    for (;;) {
      for (const { index, step } of runs) this.#contribute(index, step.done ? step.value : step.value.part);
      if (runs.every(({ step }) => step.done)) break;
      const rows = this.#carry(stage);
      const places = runs.map(({ step }) => {
        const from = rows.length;
        if (!step.done) rows.push(...step.value.rows);
        return Array.from({ length: rows.length - from }, (_, k) => variable(from + k));
      });
      this.#push(rows);
      for (const [k, each] of runs.entries()) each.step = next(each.run, each.step, places[k]!);
    }
  }

  outputs(end: number): Form[] {
    this.#join(end);
    return this.#circuit.outputs.map((index) => this.#read(index));
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
    return sum ? shifted(sum.form, sub(sum.constant, sum.lift)) : this.#forms.get(index)!;
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
        sum.form = combine([
          [1, sum.form],
          [1, linearPart(part)],
        ]);
        sum.constant = add(sum.constant, part.constant);
        this.#expectRange(index, term, value.constant);
      }
  }

  /** coefficient * value, where the value is a form of the input's coordinates, with weights that are doubles. */
  #roundedPart(index: number, coefficient: Exact, value: Form): Form {
    const exact = scaled(value, coefficient);
    const terms = [...exact.terms].map(([k, weight]): [number, number] => {
      const rounded = toNumber(weight);
      const off = abs(sub(weight, rounded));
      if (sign(off) === 0) return [k, rounded];
      const side = this.#circuit.box?.[k];
      if (!side) throw new ConstructError(`a circuit that rounds the weight of input ${k} needs its box`);
      const change = mul(off, Math.max(...side.map(Math.abs)));
      this.#round(index, change);
      const sum = this.#sums.get(index)!;
      sum.low = sub(sum.low, change);
      return [k, rounded];
    });
    return form(terms, exact.constant);
  }

  #round(index: number, by: Exact): void {
    this.rounding.set(index, add(this.rounding.get(index) ?? 0, by));
  }

  /** The lower bound of the sums that a gate feeds level by level, before its first level. */
  #expect(gate: number): void {
    for (const [index, terms] of this.#plan.joining)
      if (terms.get(gate) === "direct") this.#expectRange(index, gate, 0);
  }

  #expectRange(index: number, term: number, constant: Exact): void {
    const value = this.#circuit.values[term]!;
    const coefficient = this.#termOf(index, term);
    const ends = rangeOf(value).map((end) => mul(coefficient, sub(end, constant)));
    const sum = this.#sums.get(index)!;
    sum.low = add(sum.low, min(0, min(ends[0]!, ends[1]!)));
  }

  #termOf(sum: number, term: number): Exact {
    return (this.#circuit.values[sum] as Sum).of.terms.get(term)!;
  }

  #contribute(gate: number, part: Form): void {
    if (part.terms.size === 0) return;
    let direct = false;
    for (const [index, terms] of this.#plan.joining) {
      if (terms.get(gate) !== "direct") continue;
      direct = true;
      const sum = this.#sums.get(index)!;
      sum.form = combine([
        [1, sum.form],
        [this.#termOf(index, gate), part],
      ]);
    }
    if (direct) return;
    this.#forms.set(
      gate,
      combine([
        [1, this.#forms.get(gate)!],
        [1, part],
      ]),
    );
  }

  /** One unit for every value that is needed after this stage. */
  #carry(stage: number, held: readonly number[] = []): Form[] {
    const rows: Form[] = [];
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
        const least = rangeOf(value)[0];
        this.#forms.set(index, shifted(variable(rows.length), least));
        rows.push(shifted(now, 0 - least));
      }
    });
    return rows;
  }

  #carrySum(index: number, { least, range }: Sum, isHeld: boolean, rows: Form[]): void {
    const sum = this.#sums.get(index)!;
    if (sum.form.terms.size === 0) return;
    if (isHeld && range) {
      // The whole sum, less its lower bound: from now on its constant is that bound.
      const bias = sub(sub(sum.constant, sum.lift), range[0]);
      this.#round(index, abs(sub(bias, toNumber(bias))));
      rows.push(shifted(sum.form, toNumber(bias)));
      [sum.constant, sum.lift] = [range[0], 0];
    } else {
      // By powers of two: a difference of lifts is a bias, and has to be a double.
      const short = sub(neg(sum.low), sum.lift);
      const more = least === undefined ? powerOfTwoAbove(short) : sub(0 - least, sum.lift);
      rows.push(shifted(sum.form, more));
      sum.lift = add(sum.lift, more);
    }
    sum.form = variable(rows.length - 1);
  }

  #push(rows: readonly Form[]): void {
    this.layers.push(exactLayer(rows, this.width));
    this.width = rows.length;
  }
}

function next(run: GateRun, step: ReturnType<GateRun["next"]>, units: readonly Form[]): typeof step {
  return step.done ? { done: true, value: form() } : run.next(units);
}

function exactLayer(rows: readonly Form[], columns: number): Layer {
  const entries = rows.flatMap((row, r) =>
    [...row.terms].map(([c, weight]) => [r, c, double(weight)] as const),
  );
  return sparseLayer(
    rows.length,
    columns,
    entries,
    rows.map((row) => double(row.constant)),
  );
}

function double(weight: Exact): number {
  if (typeof weight === "number") return weight;
  throw new ConstructError(`a weight of the circuit's network, about ${toNumber(weight)}, is not a double`);
}

const roundTo50Bits = (x: number): number => {
  const grid = 2 ** (Math.max(0, Math.ceil(Math.log2(Math.abs(x) || 1))) - 50);
  return Math.round(x / grid) * grid;
};

/** The least power of two that is at least x; 0 for x <= 0. */
export function powerOfTwoAbove(x: Exact): number {
  if (compare(x, 0) <= 0) return 0;
  let power = 2 ** Math.ceil(Math.log2(toNumber(x)));
  while (compare(power, x) < 0) power *= 2;
  while (compare(power / 2, x) >= 0) power /= 2;
  return power;
}
