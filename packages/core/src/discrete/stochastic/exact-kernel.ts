// The exact kernel of a sigmoid belief network, with logarithms of probabilities. Given the input, units that share no
// ancestor are independent: each group of dependent units has a distribution of its own, and outputs see only sums.
import { DiscreteError } from "../error.ts";
import type { BeliefNetwork } from "./belief-network.ts";
import { bitsOf, type Kernel } from "./kernel.ts";
import { logSigmoid, type StochasticUnit } from "./unit.ts";

/** Bits of the states of one group, before and after a layer together. */
const mostBits = 24;

/** Units that depend on each other, and the log-probability of each of their states: bit k is unit k of the list. */
interface Group {
  readonly units: readonly number[];
  readonly log: Float64Array;
}

const logSum = (a: number, b: number): number =>
  a === Number.NEGATIVE_INFINITY
    ? b
    : b === Number.NEGATIVE_INFINITY
      ? a
      : a > b
        ? a + Math.log1p(Math.exp(b - a))
        : b + Math.log1p(Math.exp(a - b));

/** Independent groups as one. */
function joined(groups: readonly Group[]): Group {
  return groups.reduce((a, b) => {
    const units = [...a.units, ...b.units];
    if (units.length > mostBits)
      throw new DiscreteError(`${units.length} dependent units have too many states`);
    const log = new Float64Array(2 ** units.length);
    b.log.forEach((q, high) => {
      a.log.forEach((p, low) => {
        log[high * a.log.length + low] = p + q;
      });
    });
    return { units, log };
  });
}

/** The groups of a layer: units that read a common group belong together. */
function nextGroups(before: readonly Group[], layer: readonly StochasticUnit[]): readonly Group[] {
  const groupOf = new Map(before.flatMap((group, g) => group.units.map((unit) => [unit, g] as const)));
  const root = before.map((_, g) => g);
  const find = (g: number): number => (root[g] === g ? g : find(root[g]!));
  const read = layer.map(({ reads }) => reads.map(([column]) => groupOf.get(column)!));
  for (const groups of read) for (const g of groups) root[find(g)] = find(groups[0]!);
  const parts = new Map<number, number[]>();
  layer.forEach((_, unit) => {
    const key = read[unit]!.length === 0 ? -1 - unit : find(read[unit]![0]!);
    parts.set(key, [...(parts.get(key) ?? []), unit]);
  });
  return [...parts].map(([key, units]) => {
    const members = before.filter((_, g) => find(g) === key);
    const parents = members.length > 0 ? joined(members) : { units: [], log: new Float64Array(1) };
    return transition(parents, units, layer);
  });
}

function transition(parents: Group, units: readonly number[], layer: readonly StochasticUnit[]): Group {
  if (parents.units.length + units.length > mostBits)
    throw new DiscreteError(
      `${parents.units.length} and ${units.length} dependent units have too many states: 2^${mostBits} at most`,
    );
  const place = new Map(parents.units.map((unit, k) => [unit, k]));
  const log = new Float64Array(2 ** units.length).fill(Number.NEGATIVE_INFINITY);
  parents.log.forEach((p, state) => {
    if (p === Number.NEGATIVE_INFINITY) return;
    // The states of the units so far: each unit doubles them.
    let terms = [p];
    for (const unit of units) {
      const { bias, reads } = layer[unit]!;
      const z = reads.reduce((sum, [c, w]) => sum + (((state >> place.get(c)!) & 1) === 1 ? w : 0), bias);
      const [off, on] = [logSigmoid(-z), logSigmoid(z)];
      terms = [...terms.map((t) => t + off), ...terms.map((t) => t + on)];
    }
    terms.forEach((t, after) => {
      log[after] = logSum(log[after]!, t);
    });
  });
  return { units, log };
}

/** Sums up to which equal ones are looked for, and states that are gone through one by one where none are equal. */
const [mostSums, mostStates] = [2 ** 20, 2 ** 24];
const fewSums = 2 ** 12;

/** A pre-activation of each output, and the log-probability that it is reached. */
interface Sum {
  readonly at: readonly number[];
  log: number;
}

/** What each state of a group adds to the outputs. */
const sharesOf = ({ units, log }: Group, outputs: readonly StochasticUnit[]): readonly Float64Array[] => {
  const weights = units.map((unit) =>
    outputs.map(({ reads }) => reads.reduce((sum, [c, w]) => sum + (c === unit ? w : 0), 0)),
  );
  return Array.from({ length: log.length }, (_, state) =>
    Float64Array.from(outputs, (_, y) => weights.reduce((sum, w, k) => sum + ((state >> k) & 1) * w[y]!, 0)),
  );
};

/** One group more: sums that are equal to twelve digits are one. */
function added(sums: readonly Sum[], { log }: Group, shares: readonly Float64Array[]): Sum[] {
  const next = new Map<string, Sum>();
  for (const { at, log: p } of sums)
    log.forEach((q, state) => {
      const moved = at.map((z, y) => z + shares[state]![y]!);
      const key = moved.map((z) => z.toPrecision(12)).join();
      const known = next.get(key);
      if (known) known.log = logSum(known.log, p + q);
      else next.set(key, { at: moved, log: p + q });
    });
  return [...next.values()];
}

/** The outputs see sums alone: the distribution of their pre-activations, group by group. */
function outputRow(before: readonly Group[], outputs: readonly StochasticUnit[]): Float64Array {
  const row = new Float64Array(2 ** outputs.length).fill(Number.NEGATIVE_INFINITY);
  const shares = before.map((group) => sharesOf(group, outputs));
  /** log sigma(-z) and log sigma(z) of each output. */
  const reach = (at: ArrayLike<number>, log: number): void => {
    let terms = [log];
    for (let y = 0; y < outputs.length; y++) {
      const [off, on] = [logSigmoid(-at[y]!), logSigmoid(at[y]!)];
      terms = terms.flatMap((t) => [t + off, t + on]);
    }
    terms.forEach((t, y) => {
      row[y] = logSum(row[y]!, t);
    });
  };
  let sums: Sum[] = [{ at: outputs.map(({ bias }) => bias), log: 0 }];
  for (const [g, group] of before.entries()) {
    const states = before.slice(g).reduce((product, { log }) => product * log.length, sums.length);
    if (sums.length > fewSums && states <= mostStates) {
      for (const { at, log } of sums) eachState(before, shares, g, Float64Array.from(at), log, reach);
      return row.map(Math.exp);
    }
    sums = added(sums, group, shares[g]!);
    if (sums.length > mostSums) throw new DiscreteError("the outputs see too many different sums");
  }
  for (const { at, log } of sums) reach(at, log);
  return row.map(Math.exp);
}

/** All states of the groups from g on, without keeping any. */
function eachState(
  groups: readonly Group[],
  shares: readonly (readonly Float64Array[])[],
  g: number,
  at: Float64Array,
  log: number,
  reach: (at: Float64Array, log: number) => void,
): void {
  if (g === groups.length) {
    reach(at, log);
    return;
  }
  groups[g]!.log.forEach((q, state) => {
    const share = shares[g]![state]!;
    eachState(
      groups,
      shares,
      g + 1,
      at.map((z, y) => z + share[y]!),
      log + q,
      reach,
    );
  });
}

/**
 * P(y | x) for all inputs and outputs.
 * @example exactKernel({ inputs: 1, layers: [[{ bias: 0, reads: [] }]] }).rows[0] // Float64Array [0.5, 0.5]
 */
export function exactKernel({ inputs, layers }: BeliefNetwork): Kernel {
  const outputs = layers.at(-1)!;
  const rows = Array.from({ length: 2 ** inputs }, (_, x) => {
    let groups: readonly Group[] = bitsOf(x, inputs).map((bit, k) => ({
      units: [k],
      log: Float64Array.of(
        bit === 0 ? 0 : Number.NEGATIVE_INFINITY,
        bit === 1 ? 0 : Number.NEGATIVE_INFINITY,
      ),
    }));
    layers.slice(0, -1).forEach((layer, l) => {
      groups = l === 0 ? firstGroups(bitsOf(x, inputs), layer) : nextGroups(groups, layer);
    });
    return outputRow(groups, outputs);
  });
  return { inputs, outputs: outputs.length, rows };
}

/** The first layer sees bits that are known: its units are independent. */
const firstGroups = (bits: readonly number[], layer: readonly StochasticUnit[]): readonly Group[] =>
  layer.map(({ bias, reads }, unit) => {
    const z = reads.reduce((sum, [c, w]) => sum + w * bits[c]!, bias);
    return { units: [unit], log: Float64Array.of(logSigmoid(-z), logSigmoid(z)) };
  });
