// One step of a machine as one hidden layer: each cell is the function of itself and its two neighbours that Theorem 1 has
// for the read-write step, each of its values a few units that read at most three cells.
import type { Machine, Rule } from "./machine.ts";

/** The values of cell j: n(s), the symbol s without the head; h(q, s), the symbol s under the head in state q. */
export interface CellValue {
  readonly cell: number;
  /** -1 where the head is elsewhere. */
  readonly state: number;
  readonly symbol: number;
}

/** relu(sum of coefficient value + bias), of values before the step. */
export interface StepUnit {
  readonly reads: readonly (readonly [value: CellValue, coefficient: number])[];
  readonly bias: number;
}

/** A value after the step: the sum of these units. */
export interface StepValue {
  readonly value: CellValue;
  readonly units: readonly StepUnit[];
}

const plain = (values: readonly CellValue[]): StepUnit => ({ reads: values.map((v) => [v, 1]), bias: 0 });

/** Where the head may be before a step, and how many cells there are. */
export interface Reach {
  readonly cells: number;
  readonly from: number;
  readonly to: number;
}

/** All values of one cell after a step, in terms of those before it. */
export function cellStep(machine: Machine, cell: number, { cells, from, to }: Reach): readonly StepValue[] {
  const { symbols, states } = machine;
  const mayHold = (c: number): boolean => c >= Math.max(from, 0) && c <= Math.min(to, cells - 1);
  const under = (rule: Rule, c: number): CellValue => ({ cell: c, state: rule.state, symbol: rule.read });
  const rulesAt = (c: number): readonly Rule[] =>
    mayHold(c) ? machine.rules.filter((r) => r !== undefined) : [];
  /** Values under which the head comes here from the left and from the right. */
  const entering = [-1, 1].map((side) => rulesAt(cell + side).filter((rule) => rule.move === -side));
  const sideOf = [cell - 1, cell + 1];
  const all = entering.flatMap((rules, k) => rules.map((rule) => under(rule, sideOf[k]!)));
  const own = rulesAt(cell);
  return symbols.flatMap((_, symbol): readonly StepValue[] => {
    const here: CellValue = { cell, state: -1, symbol };
    // The symbol stays unless the head comes; where the head goes, it has written.
    const staying: StepUnit = {
      reads: [[here, 1], ...all.map((v): [CellValue, number] => [v, -1])],
      bias: 0,
    };
    const left = own
      .filter((rule) => rule.move !== 0 && rule.write === symbol)
      .map((rule) => under(rule, cell));
    const without = { value: here, units: [staying, ...(left.length > 0 ? [plain(left)] : [])] };
    const withHead = states.map((_, state): StepValue => {
      const units: StepUnit[] = [];
      // It comes from one side, and meets this symbol: a product.
      entering.forEach((rules, k) => {
        const coming = rules.filter((rule) => rule.next === state).map((rule) => under(rule, sideOf[k]!));
        if (coming.length > 0)
          units.push({ reads: [...coming, here].map((v): [CellValue, number] => [v, 1]), bias: -1 });
      });
      // It was here, and stays: by a rule that does not move, or because there is none.
      const stays = own
        .filter((rule) => rule.move === 0 && rule.next === state && rule.write === symbol)
        .map((rule) => under(rule, cell));
      const halts = mayHold(cell) && machine.rules[state * symbols.length + symbol] === undefined;
      const kept = [...stays, ...(halts ? [{ cell, state, symbol }] : [])];
      if (kept.length > 0) units.push(plain(kept));
      return { value: { cell, state, symbol }, units };
    });
    return [without, ...withHead.filter(({ units }) => units.length > 0)];
  });
}

/**
 * The most units that a cell takes in a step: two for each symbol that stays or is written, one for each state that comes
 * from the left, from the right, or stays, with each symbol.
 */
export function unitsPerCell({ rules, symbols, states }: Machine): number {
  const moving = (move: number): number =>
    new Set(rules.flatMap((rule) => (rule?.move === move ? [rule.next] : []))).size;
  return symbols.length * (2 + moving(1) + moving(-1) + states.length);
}
