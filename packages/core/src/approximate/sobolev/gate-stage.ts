// A stage of squares and products that run side by side, level by level, into accumulators that are carried along.

import type { Gate } from "../../networks/circuit/circuit.ts";
import { combine, type Form, form, shifted, variable } from "../../networks/circuit/form.ts";
import { type GateRun, type GateStep, gateUnits } from "../../networks/circuit/gate.ts";
import type { Exact } from "../../numbers/exact/rational.ts";
import type { LayerWriter, Locality, UnitRow } from "./layer-writer.ts";

/** A value that one unit carries as relu(value + shift) - shift, |value| <= shift, or 0 <= value <= most. */
export interface Carried {
  form: Form;
  readonly shift: number;
  readonly most: number;
  /** Of the local units that its form reads now. */
  reads?: Locality;
}

/** A value between -bound and bound, a power of two. */
export const signedValue = (value: Form, bound: number): Carried => ({
  form: value,
  shift: bound,
  most: 2 * bound,
});
/** A value between 0 and most. */
export const positiveValue = (value: Form, most: number, reads?: Locality): Carried => ({
  form: value,
  shift: 0,
  most,
  reads,
});

/** A square or product of operands (forms of the last layer), and where its value is added. */
export interface GateTask {
  /** Only bounds and signs are read. */
  readonly gate: Gate;
  readonly operands: readonly Form[];
  readonly into: readonly (readonly [target: Carried, coefficient: Exact])[];
}

const nothing = form();

/** A layer of these units that carries values along; the units' forms. */
export function pushWith(
  writer: LayerWriter,
  values: Iterable<Carried>,
  rows: readonly UnitRow[] = [],
  locality?: Locality,
): Form[] {
  const live = [...values].filter((v) => v.form.terms.size > 0);
  const units = writer.push([...rows, ...live.map(carriedRow)], locality);
  for (const [k, value] of live.entries()) {
    value.form = shifted(units[rows.length + k]!, -value.shift);
    value.reads = undefined;
  }
  return units.slice(0, rows.length);
}

const carriedRow = ({ form: of, shift, most, reads }: Carried): UnitRow => ({
  of: shifted(of, shift),
  most,
  reads,
});

/** Runs the gates with so many levels each; `kept` are the values that are needed afterwards, targets included. */
export function runStage(
  writer: LayerWriter,
  tasks: readonly GateTask[],
  kept: ReadonlySet<Carried>,
  levels: number,
): void {
  const runs = tasks.map(({ gate, operands, into }) => {
    const run = gateUnits(gate, operands, levels, "at once");
    return { into, run, step: run.next() };
  });
  for (;;) {
    for (const { into, step } of runs) addParts(into, step.done ? step.value : step.value.part);
    if (runs.every(({ step }) => step.done)) return;
    const rows: UnitRow[] = [];
    const starts = runs.map(({ step }) => {
      const from = rows.length;
      // Absolute values and sides lie in [0, 1] for products, in [0, bound] for squares: see squaresOf.
      if (!step.done) rows.push(...gateRows(step.value));
      return from;
    });
    const units = pushWith(writer, kept, rows);
    for (const [k, each] of runs.entries()) {
      if (each.step.done) each.step = { done: true, value: nothing };
      else each.step = advance(each.run, units.slice(starts[k], starts[k]! + each.step.value.rows.length));
    }
  }
}

/** Rows of later levels come in pairs T(s), T(s) - bound/2; both read the pair of units before. */
const gateRows = ({ rows, reads }: GateStep): UnitRow[] =>
  rows.map((of) => ({
    of,
    most: 1,
    ...(reads === "units" && { triangleOf: variable(of.terms.keys().next().value!) }),
  }));

const advance = (run: GateRun, units: readonly Form[]): ReturnType<GateRun["next"]> => run.next(units);

function addParts(into: GateTask["into"], part: Form): void {
  if (part.terms.size === 0) return;
  for (const [target, coefficient] of into)
    target.form = combine([
      [1, target.form],
      [coefficient, part],
    ]);
}
