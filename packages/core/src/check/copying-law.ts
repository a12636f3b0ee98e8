// The law of a deep stochastic network whose layers mostly copy, for all inputs at a time: states stand side by side as bits, a
// layer touches those in which some unit does something else, and that all others copy is charged once for everybody.
import { type CopyingUnit, copyingUnit, type Subcube, type UnitRow, unitRows } from "./copying-units.ts";
import { type LawBound, TooLarge } from "./stochastic-law.ts";
import type { StochasticLayer } from "./stochastic-layers.ts";

/** States of all inputs, and bits of all of them. */
const [mostStates, mostBits] = [2 ** 21, 2 ** 31];
/** Words and weights that are looked at: some seconds. */
const mostWork = 2e10;
/** Branches that are not worth following. */
const least = 1e-18;

const sigma = (z: number): number => {
  const e = Math.exp(-Math.abs(z));
  return z >= 0 ? 1 / (1 + e) : e / (1 + e);
};

/** States by columns: bit k of column c is unit c of state k. */
class States {
  readonly width: number;
  #columns: Uint32Array[];
  #room = 64;
  count = 0;
  readonly owner: number[] = [];
  readonly mass: number[] = [];

  constructor(width: number) {
    this.width = width;
    this.#columns = Array.from({ length: width }, () => new Uint32Array(this.#room / 32));
  }

  column(c: number): Uint32Array {
    return this.#columns[c]!;
  }

  bit(state: number, c: number): number {
    return (this.#columns[c]![state >> 5]! >>> (state & 31)) & 1;
  }

  set(state: number, c: number, bit: number): void {
    const word = this.#columns[c]!;
    if (bit === 1) word[state >> 5]! |= 1 << (state & 31);
    else word[state >> 5]! &= ~(1 << (state & 31));
  }

  #grow(): void {
    this.#room *= 2;
    if (this.#room > mostStates || this.#room * this.width > mostBits)
      throw new TooLarge("it has too many states");
    this.#columns = this.#columns.map((words) => {
      const longer = new Uint32Array(this.#room / 32);
      longer.set(words);
      return longer;
    });
  }

  add(owner: number, mass: number): number {
    if (this.count === this.#room) this.#grow();
    this.owner.push(owner);
    this.mass.push(mass);
    return this.count++;
  }

  /** Another state with the same units on. */
  copy(state: number, mass: number): number {
    const made = this.add(this.owner[state]!, mass);
    for (let c = 0; c < this.width; c++) if (this.bit(state, c) === 1) this.set(made, c, 1);
    return made;
  }

  on(state: number): number[] {
    const found: number[] = [];
    for (let c = 0; c < this.width; c++) if (this.bit(state, c) === 1) found.push(c);
    return found;
  }
}

export class CopyingLaw {
  readonly #layers: readonly StochasticLayer[];
  readonly #bound: LawBound;
  readonly #settled: number;
  #work = mostWork;

  /** Layers that do not copy are left to `bound`; `settled` is the chance to err up to which a unit is taken to be right. */
  constructor(layers: readonly StochasticLayer[], bound: LawBound, settled: number) {
    [this.#layers, this.#bound, this.#settled] = [layers, bound, settled];
  }

  #spend(work: number): void {
    this.#work -= work;
    if (this.#work < 0) throw new TooLarge("it has too many states");
  }

  /** For each input the chances of the outputs: none of them is more than the network's own. */
  laws(inputs: readonly (readonly number[])[]): readonly Float64Array[] {
    let states = new States(inputs[0]!.length);
    inputs.forEach((bits, x) => {
      const state = states.add(x, 1);
      bits.forEach((bit, c) => {
        if (bit === 1) states.set(state, c, 1);
      });
    });
    let log = 0;
    this.#layers.slice(0, -1).forEach((layer, l) => {
      const units = layer.bias.length === states.width ? this.#copying(layer) : undefined;
      if (units) log += this.#share(states, units.rows, units.copying);
      else states = this.#next(states, l);
    });
    const outputs = this.#layers.at(-1)!.bias.length;
    const laws = inputs.map(() => new Float64Array(2 ** outputs));
    const right = Math.exp(log);
    for (let k = 0; k < states.count; k++)
      this.#bound.outcome(states.on(k), states.mass[k]! * right, laws[states.owner[k]!]!);
    return laws;
  }

  #copying(layer: StochasticLayer) {
    const rows = unitRows(layer);
    const copying: CopyingUnit[] = [];
    for (const [unit, row] of rows.entries()) {
      const found = copyingUnit(row, unit, this.#settled);
      if (!found) return undefined;
      copying.push(found);
    }
    return { rows, copying };
  }

  /** A layer that is no copy: from each state to all that may come. */
  #next(states: States, l: number): States {
    const next = new States(this.#layers[l]!.bias.length);
    for (let k = 0; k < states.count; k++)
      for (const { on, mass } of this.#bound.branches(states.on(k), states.mass[k]!, l)) {
        const made = next.add(states.owner[k]!, mass);
        for (const c of on) next.set(made, c, 1);
      }
    return next;
  }

  /** States in which no unit is an exception stay as they are; the log of the chance that all the others copy. */
  #share(states: States, rows: readonly UnitRow[], copying: readonly CopyingUnit[]): number {
    const busy = new Map<number, number[]>();
    copying.forEach(({ exceptions }, unit) => {
      for (const subcube of exceptions)
        for (const state of this.#within(states, subcube)) {
          const units = busy.get(state) ?? [];
          busy.set(state, units);
          if (units.at(-1) !== unit) units.push(unit);
        }
    });
    for (const [state, units] of busy) this.#branch(states, state, units, rows, copying);
    return copying.reduce((sum, { wrong }) => sum + Math.log1p(-wrong), 0);
  }

  #within(states: States, { columns, bits }: Subcube): readonly number[] {
    let places: number[] = [];
    let words: number[] = [];
    const count = (states.count + 31) >>> 5;
    columns.forEach((column, k) => {
      const own = states.column(column);
      const flip = bits[k] === 1 ? 0 : -1;
      const [nextPlaces, nextWords]: [number[], number[]] = [[], []];
      const length = k === 0 ? count : places.length;
      for (let i = 0; i < length; i++) {
        const place = k === 0 ? i : places[i]!;
        const word = (own[place]! ^ flip) & (k === 0 ? -1 : words[i]!);
        if (word === 0) continue;
        nextPlaces.push(place);
        nextWords.push(word);
      }
      this.#spend(length);
      [places, words] = [nextPlaces, nextWords];
    });
    return places.flatMap((place, i) => {
      const found: number[] = [];
      for (let t = 0; t < 32; t++)
        if ((words[i]! >>> t) & 1 && 32 * place + t < states.count) found.push(32 * place + t);
      return found;
    });
  }

  /** The units that are exceptions in a state are on or off by their own chances; that they copy was charged, and is not due. */
  #branch(
    states: States,
    state: number,
    units: readonly number[],
    rows: readonly UnitRow[],
    copying: readonly CopyingUnit[],
  ): void {
    type Outcome = { readonly bits: readonly number[]; readonly mass: number };
    let outcomes: Outcome[] = [{ bits: [], mass: states.mass[state]! }];
    for (const unit of units) {
      const { bias, columns, weights, slack } = rows[unit]!;
      let z = bias;
      columns.forEach((c, k) => {
        if (states.bit(state, c) === 1) z += weights[k]!;
      });
      this.#spend(columns.length + 8 * outcomes.length);
      const due = 1 / (1 - copying[unit]!.wrong);
      const [off, on] = [sigma(-z - slack) * due, sigma(z - slack) * due];
      outcomes = outcomes.flatMap(({ bits, mass }) =>
        [off, on].flatMap((chance, bit) =>
          mass * chance >= least ? [{ bits: [...bits, bit], mass: mass * chance }] : [],
        ),
      );
    }
    const [first, ...others] = outcomes;
    const put = (at: number, { bits, mass }: Outcome): void => {
      states.mass[at] = mass;
      units.forEach((unit, k) => {
        states.set(at, unit, bits[k]!);
      });
    };
    for (const outcome of others) put(states.copy(state, outcome.mass), outcome);
    if (first) put(state, first);
    else states.mass[state] = 0;
  }
}
