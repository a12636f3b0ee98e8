// The law of a stochastic network's outputs for one input, from below: states of all units are followed, layer by layer. A unit
// that errs with at most some small chance is taken to be right, and what its error would do is left open.
import type { StochasticLayer } from "./stochastic-layers.ts";

/** Why a network cannot be decided: not that it is wrong. */
export class TooLarge extends Error {}

/** 1 / (1 + e^-z), without overflow. */
const sigma = (z: number): number => {
  const e = Math.exp(-Math.abs(z));
  return z >= 0 ? 1 / (1 + e) : e / (1 + e);
};
/** Beyond it chances are below 1e-26: all of them together are less than the rounding that is counted anyway. */
const certain = 60;
/** Last hidden units that may be either: each is a level of a recursion. */
const mostOpen = 1000;
/** Of sums of n numbers, in any order, and as much again for the runtime's. */
const unitRoundoff = 2 ** -52;

/** A layer, and what its units do where no unit before is on. */
interface Prepared extends StochasticLayer {
  /** 1 for a unit that needs no look unless something that is on reads it. */
  readonly isQuiet: Uint8Array;
  /** log(1 - chance to err) of each quiet unit, and their sum. */
  readonly quietLog: Float64Array;
  readonly quietSum: number;
  readonly quietOn: readonly number[];
  readonly restless: readonly number[];
  /** Scratch: sums, sizes and counts of the state that is looked at, by stamp. */
  readonly z: Float64Array;
  readonly size: Float64Array;
  readonly count: Float64Array;
  readonly stamp: Int32Array;
}

function prepared(layer: StochasticLayer, settled: number): Prepared {
  const width = layer.bias.length;
  const [isQuiet, quietLog] = [new Uint8Array(width), new Float64Array(width)];
  const [quietOn, restless]: [number[], number[]] = [[], []];
  let quietSum = 0;
  layer.bias.forEach((bias, unit) => {
    const wrong = sigma(-Math.abs(bias));
    if (wrong > settled) {
      restless.push(unit);
      return;
    }
    isQuiet[unit] = 1;
    quietLog[unit] = Math.log1p(-wrong);
    quietSum += quietLog[unit]!;
    if (bias > 0) quietOn.push(unit);
  });
  return {
    ...layer,
    ...{ isQuiet, quietLog, quietSum, quietOn, restless },
    ...{ z: new Float64Array(width), size: new Float64Array(width), count: new Float64Array(width) },
    stamp: new Int32Array(width),
  };
}

/** Bounds from below for the chances of 0 and 1. */
interface Chance {
  readonly off: number;
  readonly on: number;
}

/** Of z up to `slack`. */
const chanceOf = (z: number, slack: number): Chance => ({ off: sigma(-z - slack), on: sigma(z - slack) });

/** Units after a state: those that are on for certain, those that may be either, and log of the chance that all this is right. */
interface Look {
  readonly on: number[];
  readonly open: readonly (readonly [unit: number, chance: Chance])[];
  readonly log: number;
}

interface State {
  readonly on: readonly number[];
  mass: number;
}

/** One pass over a network: `settled` is the chance to err up to which a unit is taken to be right. */
export class LawBound {
  readonly #layers: readonly Prepared[];
  readonly #settled: number;
  readonly #least: number;
  #work: number;
  #now = 0;

  /** Branches below `least` are given up; `work` limits products and sums, over all inputs. */
  constructor(layers: readonly StochasticLayer[], settled: number, least: number, work: number) {
    this.#layers = layers.map((layer) => prepared(layer, settled));
    [this.#settled, this.#least, this.#work] = [settled, least, work];
  }

  #spend(work: number): void {
    this.#work -= work;
    if (this.#work < 0) throw new TooLarge("it has too many states");
  }

  /** Chances of the outputs, as bits of a number with the highest first: none of them is more than the network's own. */
  law(input: readonly number[]): Float64Array {
    let states: readonly State[] = [{ on: input.flatMap((bit, c) => (bit === 1 ? [c] : [])), mass: 1 }];
    for (const layer of this.#layers.slice(0, -2)) states = this.#next(states, layer);
    const outputs = this.#layers.at(-1)!;
    const law = new Float64Array(2 ** outputs.bias.length);
    const hidden = this.#layers.at(-2);
    for (const state of states) {
      const look = hidden ? this.#look(state, hidden) : { on: [...state.on], open: [], log: 0 };
      this.#end(look, state.mass * Math.exp(look.log), outputs, law);
    }
    return law;
  }

  /** What a state becomes in layer l, with chances that are not more than the network's own. */
  branches(on: readonly number[], mass: number, l: number): readonly State[] {
    return this.#next([{ on, mass }], this.#layers[l]!);
  }

  /** Adds what the outputs make of a state of the last hidden layer. */
  outcome(on: readonly number[], mass: number, law: Float64Array): void {
    this.#end({ on: [...on], open: [], log: 0 }, mass, this.#layers.at(-1)!, law);
  }

  #look(state: State, layer: Prepared): Look {
    const { bias, starts, units, weights, z, size, count, stamp, isQuiet, quietLog } = layer;
    const now = ++this.#now;
    const touched: number[] = [];
    for (const column of state.on) {
      this.#spend(1 + starts[column + 1]! - starts[column]!);
      for (let k = starts[column]!; k < starts[column + 1]!; k++) {
        const unit = units[k]!;
        if (stamp[unit] !== now) {
          stamp[unit] = now;
          z[unit] = bias[unit]!;
          size[unit] = Math.abs(bias[unit]!);
          count[unit] = 1;
          touched.push(unit);
        }
        z[unit]! += weights[k]!;
        size[unit]! += Math.abs(weights[k]!);
        count[unit]! += 1;
      }
    }
    const on = layer.quietOn.filter((unit) => stamp[unit] !== now);
    const open: (readonly [number, Chance])[] = [];
    let log = layer.quietSum;
    for (const unit of touched) {
      if (isQuiet[unit]) log -= quietLog[unit]!;
      const [value, slack] = [z[unit]!, count[unit]! * unitRoundoff * size[unit]!];
      if (Math.abs(value) - slack > certain) {
        if (value > 0) on.push(unit);
        continue;
      }
      const wrong = sigma(slack - Math.abs(value));
      if (wrong <= this.#settled) {
        log += Math.log1p(-wrong);
        if (value > 0) on.push(unit);
      } else open.push([unit, chanceOf(value, slack)]);
    }
    for (const unit of layer.restless) if (stamp[unit] !== now) open.push([unit, chanceOf(bias[unit]!, 0)]);
    this.#spend(4 * (touched.length + layer.restless.length) + layer.quietOn.length);
    return { on, open, log: Math.min(0, log) };
  }

  #next(states: readonly State[], layer: Prepared): State[] {
    const next = new Map<string, State>();
    for (const state of states) {
      const { on, open, log } = this.#look(state, layer);
      let branches: State[] = [{ on, mass: state.mass * Math.exp(log) }];
      for (const [unit, chance] of open) {
        const grown: State[] = [];
        for (const branch of branches) {
          const [off, yes] = [branch.mass * chance.off, branch.mass * chance.on];
          if (off >= this.#least) grown.push({ on: branch.on, mass: off });
          if (yes >= this.#least) grown.push({ on: [...branch.on, unit], mass: yes });
          this.#spend(8 + branch.on.length);
        }
        branches = grown;
      }
      for (const { on: units, mass } of branches) {
        const key = units.toSorted((a, b) => a - b).join();
        this.#spend(8 + 4 * units.length);
        const known = next.get(key);
        if (known) known.mass += mass;
        else next.set(key, { on: units, mass });
      }
    }
    return [...next.values()];
  }

  /**
   * The last hidden units that may be either are decided one after the other, those with the largest weights first, and no
   * further than the outputs ask for.
   */
  #end({ on, open }: Look, mass: number, outputs: Prepared, law: Float64Array): void {
    const count = outputs.bias.length;
    const readsOf = (unit: number): readonly (readonly [output: number, weight: number])[] =>
      Array.from({ length: outputs.starts[unit + 1]! - outputs.starts[unit]! }, (_, k) => {
        const at = outputs.starts[unit]! + k;
        return [outputs.units[at]!, outputs.weights[at]!];
      });
    const z = outputs.bias.slice();
    const size = z.map(Math.abs);
    let terms = 1;
    const add = (to: Float64Array, unit: number, absolute: boolean): void => {
      for (const [y, w] of readsOf(unit)) to[y]! += absolute ? Math.abs(w) : w;
      terms++;
    };
    for (const unit of on) {
      add(z, unit, false);
      add(size, unit, true);
    }
    const most = (unit: number): number => readsOf(unit).reduce((m, [, w]) => Math.max(m, Math.abs(w)), 0);
    if (open.length > mostOpen) throw new TooLarge("it has too many states");
    const order = open.toSorted(([a], [b]) => most(b) - most(a));
    /** What the units from here on can still add, for each output. */
    const rest: Float64Array[] = [new Float64Array(count)];
    for (const [unit] of order.toReversed()) {
      const more = rest.at(-1)!.slice();
      add(more, unit, true);
      rest.push(more);
    }
    rest.reverse();
    const slack = size.map((s, y) => terms * unitRoundoff * (s + rest[0]![y]!));
    this.#spend(on.length + order.length * (count + 4));
    this.#decide({ order, readsOf, rest, slack, law }, 0, z, mass);
  }

  #decide(ending: Ending, at: number, z: Float64Array, mass: number): void {
    const { order, readsOf, rest, slack, law } = ending;
    this.#spend(4 + 2 * z.length);
    let [index, log, isSettled] = [0, 0, true];
    for (let y = 0; y < z.length && isSettled; y++) {
      const margin = Math.abs(z[y]!) - rest[at]![y]! - slack[y]!;
      const wrong = sigma(-margin);
      isSettled = wrong <= this.#settled;
      index = 2 * index + (z[y]! > 0 ? 1 : 0);
      log += Math.log1p(-wrong);
    }
    if (isSettled) {
      law[index]! += mass * Math.exp(log);
      return;
    }
    const next = order[at];
    if (next === undefined) {
      let chances = [mass];
      z.forEach((value, y) => {
        const { off, on } = chanceOf(value, slack[y]!);
        chances = chances.flatMap((p) => [p * off, p * on]);
      });
      this.#spend(chances.length);
      chances.forEach((p, y) => {
        law[y]! += p;
      });
      return;
    }
    const [unit, chance] = next;
    if (mass * chance.off >= this.#least) this.#decide(ending, at + 1, z, mass * chance.off);
    if (mass * chance.on >= this.#least) {
      const moved = z.slice();
      for (const [y, w] of readsOf(unit)) moved[y]! += w;
      this.#decide(ending, at + 1, moved, mass * chance.on);
    }
  }
}

interface Ending {
  readonly order: readonly (readonly [unit: number, chance: Chance])[];
  readonly readsOf: (unit: number) => readonly (readonly [output: number, weight: number])[];
  readonly rest: readonly Float64Array[];
  readonly slack: Float64Array;
  readonly law: Float64Array;
}
