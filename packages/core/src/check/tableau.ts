// One step of a machine and the units that make it: each value of each cell is looked at for whatever stands in the cell and
// its two neighbours. Nothing else enters, so that what holds there holds on every tape.
import { Refutation } from "./error.ts";
import type { IntegerRows } from "./integer-rows.ts";
import type { MachineCertificate } from "./machine-certificate.ts";

/** What may stand in a cell: a symbol, under the head in some state or (-1) not. */
export interface CellValue {
  readonly state: number;
  readonly symbol: number;
  /** Its columns, from the first one on; it is their sum. */
  readonly first: number;
  readonly count: number;
}

/** By cell, all that may stand there after some number of steps. */
export type Tableau = readonly (readonly CellValue[])[];

/** Values of three cells that may be looked at. */
const mostWork = 4e9;

interface Rule {
  readonly write: number;
  readonly move: number;
  readonly next: number;
}

export class Stepping {
  readonly #symbols: number;
  readonly #rules: ReadonlyMap<number, Rule>;
  #work = mostWork;
  /** Cells that look alike are looked at once. */
  readonly #known = new Set<string>();

  constructor({ symbols, rules, states }: MachineCertificate) {
    this.#symbols = symbols.length;
    const table = new Map<number, Rule>();
    rules.forEach(([state, read, write, move, next], k) => {
      const at = state * symbols.length + read;
      if ([state, next].some((q) => q >= states.length) || [read, write].some((s) => s >= symbols.length))
        throw new Refutation(`rule ${k}`, "there is no such state or symbol");
      if (table.has(at)) throw new Refutation(`rule ${k}`, "another rule is for this state and symbol");
      table.set(at, { write, move, next });
    });
    this.#rules = table;
  }

  /** What the middle cell of three becomes; at most one of them has the head. */
  #after(
    left: CellValue | undefined,
    own: CellValue,
    right: CellValue | undefined,
  ): readonly [number, number] {
    const ruleOf = ({ state, symbol }: CellValue): Rule | undefined =>
      this.#rules.get(state * this.#symbols + symbol);
    if (own.state >= 0) {
      const rule = ruleOf(own);
      if (!rule) return [own.state, own.symbol];
      return [rule.move === 0 ? rule.next : -1, rule.write];
    }
    for (const [side, move] of [
      [left, 1],
      [right, -1],
    ] as const) {
      const rule = side && side.state >= 0 ? ruleOf(side) : undefined;
      if (rule?.move === move) return [rule.next, own.symbol];
    }
    return [-1, own.symbol];
  }

  /** The units `rows` make the values `after` of the values `before`, as the machine does. */
  check(before: Tableau, after: Tableau, rows: IntegerRows, tensor: string): void {
    const valueAt = new Int32Array(before.reduce((n, list) => list.reduce((m, v) => m + v.count, n), 0));
    const owners: (readonly [cell: number, place: number, value: CellValue])[] = [];
    before.forEach((list, cell) => {
      list.forEach((value, place) => {
        valueAt.fill(owners.length, value.first, value.first + value.count);
        owners.push([cell, place, value]);
      });
    });
    after.forEach((values, cell) => {
      this.#checkCell(cell, values, before, rows, (column) => owners[valueAt[column]!]!, tensor);
    });
  }

  #checkCell(
    cell: number,
    values: readonly CellValue[],
    before: Tableau,
    rows: IntegerRows,
    ownerOf: (column: number) => readonly [cell: number, place: number, value: CellValue],
    tensor: string,
  ): void {
    const sides: Sides = [before[cell - 1] ?? [], before[cell]!, before[cell + 1] ?? []];
    const coefficients: Float64Array[][] = [];
    const key: (string | number)[] = sides.map((list) => list.map((v) => `${v.state},${v.symbol}`).join(" "));
    for (const { state, symbol, first, count } of values) {
      key.push(`|${state},${symbol}`);
      for (let unit = first; unit < first + count; unit++) {
        const where = `unit ${unit} of "${tensor}"`;
        const read = coefficientsOf(rows, unit, cell, sides, ownerOf, where);
        coefficients.push(read);
        key.push(`;${rows.bias[unit]}`, ...read.flatMap((side) => side.join()));
      }
    }
    const text = key.join("/");
    if (this.#known.has(text)) return;
    this.#known.add(text);
    const bias = values.flatMap(({ first, count }) => Array.from(rows.bias.subarray(first, first + count)));
    this.#checkTriples(cell, values, sides, coefficients, bias, tensor);
  }

  #checkTriples(
    cell: number,
    values: readonly CellValue[],
    [lefts, owns, rights]: Sides,
    coefficients: readonly (readonly Float64Array[])[],
    bias: readonly number[],
    tensor: string,
  ): void {
    const orNothing = (list: readonly CellValue[]): readonly (CellValue | undefined)[] =>
      list.length > 0 ? list : [undefined];
    orNothing(lefts).forEach((left, l) => {
      owns.forEach((own, o) => {
        orNothing(rights).forEach((right, r) => {
          if ([left, own, right].filter((v) => v && v.state >= 0).length > 1) return;
          this.#work -= 1 + bias.length;
          if (this.#work < 0) throw new Refutation("the network", "it is too large to be checked");
          const [state, symbol] = this.#after(left, own, right);
          let [unit, isThere] = [0, false];
          for (const value of values) {
            let sum = 0;
            for (let k = 0; k < value.count; k++, unit++) {
              const [a, b, c] = coefficients[unit]!;
              const z = bias[unit]! + (left ? a![l]! : 0) + b![o]! + (right ? c![r]! : 0);
              if (z > 0) sum += z;
            }
            const isIt = value.state === state && value.symbol === symbol;
            isThere ||= isIt;
            if (sum !== (isIt ? 1 : 0))
              throw new Refutation(
                `cell ${cell} of "${tensor}"`,
                `its units make ${sum} of a value that should be ${isIt ? 1 : 0}`,
              );
          }
          if (!isThere)
            throw new Refutation(`cell ${cell} of "${tensor}"`, "it may have a value that no unit makes");
        });
      });
    });
  }
}

type Sides = readonly [readonly CellValue[], readonly CellValue[], readonly CellValue[]];

/** What a unit reads of the values of three cells: one weight for all columns of a value, and of no other cell. */
function coefficientsOf(
  { starts, columns, weights }: IntegerRows,
  unit: number,
  cell: number,
  sides: readonly (readonly CellValue[])[],
  ownerOf: (column: number) => readonly [cell: number, place: number, value: CellValue],
  where: string,
): Float64Array[] {
  const found = sides.map((list) => new Float64Array(list.length));
  const byColumn = new Map<number, number>();
  for (let k = starts[unit]!; k < starts[unit + 1]!; k++)
    byColumn.set(columns[k]!, (byColumn.get(columns[k]!) ?? 0) + weights[k]!);
  for (const [column, weight] of byColumn) {
    if (weight === 0) continue;
    const [at, place, value] = ownerOf(column);
    if (Math.abs(at - cell) > 1) throw new Refutation(where, `it reads cell ${at}, which is no neighbour`);
    for (let c = value.first; c < value.first + value.count; c++)
      if (byColumn.get(c) !== weight)
        throw new Refutation(where, "it does not read the columns of a value alike");
    found[at - cell + 1]![place] = weight;
  }
  return found;
}
