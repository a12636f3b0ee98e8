// The certificate of a machine's network is checked against the ONNX file alone, from step to step: if the values of all cells
// stand in a layer, the next one has those that the rules make of them, whatever three cells show. So it is by induction on
// every tape, after every step. A head that leaves the tape is gone: the symbols stay, no state and no place is on.
import { readModel } from "../graph/onnx/read.ts";
import { sha256 } from "./certificate.ts";
import { Refutation } from "./error.ts";
import type { IntegerRows } from "./integer-rows.ts";
import { type MachineCertificate, machineCertificateSchema } from "./machine-certificate.ts";
import { type MachineNetwork, machineNetworkOf } from "./machine-layers.ts";
import { type CellValue, Stepping, type Tableau } from "./tableau.ts";

/** Whether the output is the machine's configuration on every tape; or the unit, cell or value at which the proof fails. */
export type MachineCheck =
  | { readonly ok: true; readonly units: number }
  | { readonly ok: false; readonly node: string; readonly reason: string };

/** Integers up to here, and sums of them in any order, are exact in a run. */
const mostExact = 2 ** 52;

/** By cell; columns are given to the values in turn. */
function tableauOf(
  { states, symbols, tape }: MachineCertificate,
  { tensor, values }: MachineCertificate["layers"][number],
  width: number,
): Tableau {
  const where = `value "${tensor}"`;
  const cells: CellValue[][] = Array.from({ length: tape.cells }, () => []);
  let first = 0;
  const known = new Set<string>();
  for (const [cell, state, symbol, count] of values) {
    const key = `${cell},${state},${symbol}`;
    if (cell >= tape.cells || state >= states.length || symbol >= symbols.length || known.has(key))
      throw new Refutation(where, `there is no cell, state or symbol ${key}, or it is there twice`);
    known.add(key);
    cells[cell]!.push({ state, symbol, first, count });
    first += count;
  }
  if (first !== width) throw new Refutation(where, `it has ${width} columns, its values ${first}`);
  return cells;
}

/** The input: symbol s of cell j is column j |symbols| + s; the head stands on its cell in the first state. */
function firstTableau({ symbols, start, tape }: MachineCertificate): Tableau {
  return Array.from({ length: tape.cells }, (_, cell) =>
    symbols.map((_, symbol) => ({
      state: cell === tape.head ? start : -1,
      ...{ symbol, first: cell * symbols.length + symbol, count: 1 },
    })),
  );
}

/** Row r is the sum of these columns, each once, and nothing else. */
function checkSum(rows: IntegerRows, r: number, columns: readonly number[], where: string): void {
  const left = new Map<number, number>(columns.map((c) => [c, 1]));
  for (let k = rows.starts[r]!; k < rows.starts[r + 1]!; k++)
    left.set(rows.columns[k]!, (left.get(rows.columns[k]!) ?? 0) - rows.weights[k]!);
  if (rows.bias[r] !== 0 || [...left.values()].some((w) => w !== 0))
    throw new Refutation(where, "the network has other weights there");
}

const columnsOf = ({ first, count }: CellValue): readonly number[] =>
  Array.from({ length: count }, (_, k) => first + k);

/** Symbols by cell, states, places of the head. */
function checkOutput({ states, symbols, tape, network }: MachineCertificate, last: Tableau, y: IntegerRows) {
  const width = tape.cells * symbols.length + states.length + tape.cells;
  if (y.bias.length !== width)
    throw new Refutation(`output "${network.output}"`, `it does not have ${width} columns`);
  const columns: number[][] = Array.from({ length: width }, () => []);
  last.forEach((values, cell) => {
    for (const value of values) {
      const places = columnsOf(value);
      columns[cell * symbols.length + value.symbol]!.push(...places);
      if (value.state < 0) continue;
      columns[tape.cells * symbols.length + value.state]!.push(...places);
      columns[tape.cells * symbols.length + states.length + cell]!.push(...places);
    }
  });
  columns.forEach((list, r) => {
    checkSum(y, r, list, `column ${r} of "${network.output}"`);
  });
}

/** Sums of integers in a run: weights times values of at most `largest`, and what of them is the largest after a bend. */
function checkExact(rows: IntegerRows, largest: number, where: string): void {
  for (let r = 0; r < rows.bias.length; r++) {
    let size = Math.abs(rows.bias[r]!);
    for (let k = rows.starts[r]!; k < rows.starts[r + 1]!; k++) size += Math.abs(rows.weights[k]!) * largest;
    if (!(size <= mostExact)) throw new Refutation(where, "its sums are too large to be exact");
  }
}

/** A unit of values that are 0 or 1 is at most this: every value has all of its columns in the row, so their number is no matter. */
function largestUnit({ bias, starts, weights }: IntegerRows): number {
  let largest = 1;
  for (let r = 0; r < bias.length; r++) {
    let size = Math.abs(bias[r]!);
    for (let k = starts[r]!; k < starts[r + 1]!; k++) size += Math.abs(weights[k]!);
    largest = Math.max(largest, size);
  }
  return largest;
}

function checkUnrolled(certificate: MachineCertificate, { hidden, output }: MachineNetwork): void {
  const stepping = new Stepping(certificate);
  let tableau = firstTableau(certificate);
  let largest = 1;
  certificate.layers.forEach((layer, l) => {
    const { name, rows } = hidden[l]!;
    if (name !== layer.tensor) throw new Refutation(`value "${layer.tensor}"`, `layer ${l + 1} is "${name}"`);
    const after = tableauOf(certificate, layer, rows.bias.length);
    checkExact(rows, largest, `value "${name}"`);
    stepping.check(tableau, after, rows, name);
    largest = largestUnit(rows);
    tableau = after;
  });
  checkExact(output, largest, `output "${certificate.network.output}"`);
  checkOutput(certificate, tableau, output);
}

/** What goes round is right before the first turn and, if it is right before a turn, after it. */
function checkLoop(certificate: MachineCertificate, { hidden, output, loop }: MachineNetwork): void {
  const { initial, next, name } = loop!;
  const [around, body] = certificate.layers as [
    MachineCertificate["layers"][number],
    MachineCertificate["layers"][number],
  ];
  const where = `value "${name}"`;
  const state = tableauOf(certificate, around, next.bias.length);
  const places = state.flatMap((values, cell) => values.map((value) => [cell, value] as const));
  if (name !== around.tensor || places.some(([, { count }]) => count !== 1))
    throw new Refutation(where, "what goes round has one column for each value");
  const [unit] = hidden;
  if (hidden.length !== 1 || unit!.name !== body.tensor)
    throw new Refutation(`value "${body.tensor}"`, "it is not the one layer of the loop's body");
  const after = tableauOf(certificate, body, unit!.rows.bias.length);
  const first = firstTableau(certificate);
  for (const [rows, of, which] of [
    [initial, first, "before the first turn"],
    [next, after, "after a turn"],
  ] as const) {
    const columns = new Map(
      of.flatMap((values, cell) =>
        values.map((v) => [`${cell},${v.state},${v.symbol}`, columnsOf(v)] as const),
      ),
    );
    let found = 0;
    for (const [cell, value] of places) {
      const own = columns.get(`${cell},${value.state},${value.symbol}`);
      if (own) found++;
      checkSum(rows, value.first, own ?? [], `column ${value.first} of "${name}", ${which}`);
    }
    if (found !== columns.size) throw new Refutation(where, `it does not have all values ${which}`);
  }
  checkExact(initial, 1, where);
  checkExact(unit!.rows, 1, `value "${unit!.name}"`);
  new Stepping(certificate).check(state, after, unit!.rows, unit!.name);
  checkExact(next, largestUnit(unit!.rows), where);
  checkExact(output, 1, `output "${certificate.network.output}"`);
  checkOutput(certificate, state, output);
}

async function check(bytes: Uint8Array, certificate: MachineCertificate): Promise<number> {
  const { states, symbols, start, tape, steps, network, layers } = certificate;
  if (start >= states.length || tape.head >= tape.cells)
    throw new Refutation("the certificate", "its first state or the place of the head does not exist");
  if (tape.cells * symbols.length > 2 ** 24)
    throw new Refutation("the certificate", "its tape is too long to be checked");
  const isLoop = network.steps !== undefined;
  if (isLoop !== (steps === undefined) || layers.length !== (steps ?? 2))
    throw new Refutation("the certificate", "it does not have a layer for each step");
  const found = machineNetworkOf(readModel(bytes), network, tape.cells * symbols.length);
  if (!isLoop && found.hidden.length !== layers.length)
    throw new Refutation("the network", `it has ${found.hidden.length} hidden layers, not ${layers.length}`);
  if (isLoop) checkLoop(certificate, found);
  else checkUnrolled(certificate, found);
  if ((await sha256(bytes)) !== network.sha256)
    throw new Refutation("the network", "the file is not the one with the certificate's SHA-256");
  return found.hidden.reduce((sum, { rows }) => sum + rows.bias.length, 0);
}

/**
 * Proves again that a network is its machine on every tape, or names where that fails.
 * @example (await checkMachine(bytes, {})).ok // false
 */
export async function checkMachine(bytes: Uint8Array, certificate: unknown): Promise<MachineCheck> {
  try {
    const { data, error } = machineCertificateSchema.safeParse(certificate);
    if (!data) throw new Refutation("the certificate", error.issues[0]!.message);
    return { ok: true, units: await check(bytes, data) };
  } catch (error) {
    if (error instanceof Refutation) return { ok: false, node: error.where, reason: error.message };
    throw error;
  }
}
