// A machine with a time bound as a network: a hidden layer a step, every unit a function of three cells at most.
import { float64, graph as writeGraph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { loop } from "../../graph/looping.ts";
import { type SparseMatrix, sparseMatrix } from "../../graph/sparse.ts";
import { tensor } from "../../graph/tensor.ts";
import type { Layer } from "../../networks/layers/layered.ts";
import { network, sparseLayer } from "../../networks/layers/layers.ts";
import { DiscreteError } from "../error.ts";
import type { Machine } from "./machine.ts";
import { type CellValue, cellStep, type StepUnit } from "./step.ts";

export interface Tape {
  readonly cells: number;
  /** The cell of the head before the first step. */
  readonly head: number;
}

/** As many cells to both sides as steps can reach. */
export const tapeFor = (steps: number): Tape => ({ cells: 2 * steps + 1, head: steps });

const keyOf = ({ cell, state, symbol }: CellValue): string => `${cell},${state},${symbol}`;

/** Values by key, each a sum of columns of the layer before. */
type Columns = ReadonlyMap<string, readonly number[]>;

/** The input: symbol s of cell j is column j |symbols| + s; the head stands on its cell in the first state. */
function inputColumns({ symbols, start }: Machine, { cells, head }: Tape): Columns {
  const columns = new Map<string, readonly number[]>();
  for (let cell = 0; cell < cells; cell++)
    symbols.forEach((_, symbol) => {
      const state = cell === head ? start : -1;
      columns.set(keyOf({ cell, state, symbol }), [cell * symbols.length + symbol]);
    });
  return columns;
}

type Entry = readonly [row: number, column: number, weight: number];
const entriesOf = ({ reads }: StepUnit, row: number, columns: Columns): readonly Entry[] =>
  reads.flatMap(([value, coefficient]) =>
    (columns.get(keyOf(value)) ?? []).map((column): Entry => [row, column, coefficient]),
  );

/** How many units make each value, in the order of the columns. */
export type LayerValues = readonly (readonly [value: CellValue, units: number])[];

export interface MachineNetwork {
  readonly graph: Graph;
  /** Layer by layer. */
  readonly values: readonly LayerValues[];
  readonly tape: Tape;
  readonly units: number;
  /** Cells that a unit reads, at most. */
  readonly fanIn: number;
  /** Cells of the tableau after the input, steps times cells. */
  readonly tableau: number;
}

/**
 * The network that makes so many steps: from one-hot symbols x [N, cells symbols] to y, which has the symbols after the
 * last step in the same columns, then a column for each state, then one for each place of the head.
 * @example machineNetwork(readMachine('{"start":"A","blank":"0","rules":[["A","0","1","N","H"]]}'), 1).tape.cells // 3
 */
export function machineNetwork(machine: Machine, steps: number, tape: Tape = tapeFor(steps)): MachineNetwork {
  checkTape(tape, steps);
  const { cells, head } = tape;
  const layers: Layer[] = [];
  const values: LayerValues[] = [];
  let columns = inputColumns(machine, tape);
  let [width, units, fanIn] = [cells * machine.symbols.length, 0, 0];
  for (let step = 0; step < steps; step++) {
    const made = stepLayer(machine, { cells, from: head - step, to: head + step }, columns);
    layers.push(sparseLayer(made.rows, width, made.entries, made.bias));
    values.push(made.values);
    [columns, width, units] = [made.columns, made.rows, units + made.rows];
    fanIn = Math.max(fanIn, made.fanIn);
  }
  const rows = outputRows(machine, cells, columns);
  layers.push(sparseLayer(machine.symbols.length * cells + machine.states.length + cells, width, rows));
  const graph = network(layers, { name: "machine" });
  return { graph, values, tape, units, fanIn, tableau: steps * cells };
}

function checkTape({ cells, head }: Tape, steps: number): void {
  if (!(Number.isSafeInteger(steps) && steps >= 1))
    throw new DiscreteError(`a machine makes 1 step or more, not ${steps}`);
  if (!(Number.isSafeInteger(cells) && head >= 0 && head < cells))
    throw new DiscreteError(`the head stands on cell ${head} of ${cells}`);
}

function stepLayer(machine: Machine, reach: Parameters<typeof cellStep>[2], before: Columns) {
  const entries: Entry[] = [];
  const bias: number[] = [];
  const columns = new Map<string, readonly number[]>();
  const values: (readonly [CellValue, number])[] = [];
  let fanIn = 0;
  for (let cell = 0; cell < reach.cells; cell++)
    for (const { value, units } of cellStep(machine, cell, reach)) {
      const places: number[] = [];
      for (const unit of units) {
        const found = entriesOf(unit, bias.length, before);
        if (found.length === 0) continue; // it reads what cannot be
        entries.push(...found);
        places.push(bias.push(unit.bias) - 1);
        fanIn = Math.max(fanIn, new Set(unit.reads.map(([v]) => v.cell)).size);
      }
      if (places.length === 0) continue;
      columns.set(keyOf(value), places);
      values.push([value, places.length]);
    }
  return { rows: bias.length, entries, bias, columns, values, fanIn };
}

/** Symbols by cell, states, places of the head: sums of values. */
function outputRows({ symbols, states }: Machine, cells: number, columns: Columns): Entry[] {
  const rows: Entry[] = [];
  const [stateAt, headAt] = [cells * symbols.length, cells * symbols.length + states.length];
  for (const [key, places] of columns) {
    const [cell, state, symbol] = key.split(",").map(Number) as [number, number, number];
    for (const column of places) {
      rows.push([cell * symbols.length + symbol, column, 1]);
      if (state >= 0) rows.push([stateAt + state, column, 1], [headAt + cell, column, 1]);
    }
  }
  return rows;
}

/** All values of all cells, in a fixed order. */
function everyValue({ symbols, states }: Machine, cells: number): readonly CellValue[] {
  return Array.from({ length: cells }, (_, cell) =>
    symbols.flatMap((_, symbol) => [-1, ...states.keys()].map((state) => ({ cell, state, symbol }))),
  ).flat();
}

/** What goes round a Loop has a column for each value of each cell; the body's units make those after a step. */
export interface MachineLoop {
  readonly graph: Graph;
  readonly tape: Tape;
  readonly around: LayerValues;
  readonly body: LayerValues;
}

/**
 * One step of fixed size, made again and again by one Loop: inputs x as above and `steps`, the number of steps.
 * @example machineLoop(readMachine('{"start":"A","blank":"0","rules":[["A","0","1","N","H"]]}'), { cells: 3, head: 1 }).graph.nodes.filter((n) => n.op === "Loop").length // 1
 */
export function machineLoop(machine: Machine, tape: Tape): MachineLoop {
  checkTape(tape, 1);
  const { cells, head } = tape;
  const values = everyValue(machine, cells);
  const columns = new Map(values.map((value, k) => [keyOf(value), [k]]));
  const {
    rows,
    entries,
    bias,
    columns: after,
    values: body,
  } = stepLayer(machine, { cells, from: 0, to: cells - 1 }, columns);
  const step = sparseMatrix(rows, values.length, entries);
  const back = sparseMatrix(
    values.length,
    rows,
    values.flatMap((value, k) => (after.get(keyOf(value)) ?? []).map((column): Entry => [k, column, 1])),
  );
  const first = sparseMatrix(
    values.length,
    cells * machine.symbols.length,
    startEntries(machine, { cells, head }, values),
  );
  const last = sparseMatrix(
    machine.symbols.length * cells + machine.states.length + cells,
    values.length,
    outputRows(machine, cells, columns),
  );
  const zeros = (m: SparseMatrix) => tensor(new Float64Array(m.rows));
  const inputs = {
    x: float64("N", cells * machine.symbols.length),
    steps: { type: "int64" as const, shape: [] },
  };
  const graph = writeGraph(
    inputs,
    ({ x, steps }) => {
      const { states } = loop(steps, { tape: x.affine(first, zeros(first)) }, (_, { tape: now }, go) => ({
        go,
        states: {
          tape: now!
            .affine(step, tensor(Float64Array.from(bias)))
            .relu()
            .affine(back, zeros(back)),
        },
        traces: {},
      }));
      return { y: states["tape"]!.affine(last, zeros(last)) };
    },
    { name: "machine" },
  );
  return { graph, tape, around: values.map((value) => [value, 1]), body };
}

function startEntries(machine: Machine, tape: Tape, values: readonly CellValue[]): Entry[] {
  const columns = inputColumns(machine, tape);
  return values.flatMap((value, k) =>
    (columns.get(keyOf(value)) ?? []).map((column): Entry => [k, column, 1]),
  );
}

/**
 * A tape of symbols as the input of the network.
 * @example oneHotTape([1, 0], 2) // Float64Array [0, 1, 1, 0]
 */
export function oneHotTape(tape: readonly number[], symbols: number): Float64Array {
  const row = new Float64Array(tape.length * symbols);
  tape.forEach((symbol, cell) => {
    row[cell * symbols + symbol] = 1;
  });
  return row;
}
