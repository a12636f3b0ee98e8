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

/** The outputs see sums alone: the distribution of their pre-activations, group by group. */
function outputRow(before: readonly Group[], outputs: readonly StochasticUnit[]): Float64Array {
  let sums = new Map<string, { readonly at: readonly number[]; log: number }>([
    ["", { at: outputs.map(({ bias }) => bias), log: 0 }],
  ]);
  for (const { units, log } of before) {
    const shares = units.map((unit) =>
      outputs.map(({ reads }) => reads.reduce((sum, [c, w]) => sum + (c === unit ? w : 0), 0)),
    );
    const next: typeof sums = new Map();
    for (const { at, log: p } of sums.values())
      log.forEach((q, state) => {
        const moved = at.map((z, y) =>
          shares.reduce((sum, share, k) => sum + ((state >> k) & 1) * share[y]!, z),
        );
        const key = moved.map((z) => z.toPrecision(12)).join();
        const known = next.get(key);
        if (known) known.log = logSum(known.log, p + q);
        else next.set(key, { at: moved, log: p + q });
      });
    sums = next;
    if (sums.size > 2 ** 20) throw new DiscreteError("the outputs see too many different sums");
  }
  const row = new Float64Array(2 ** outputs.length).fill(Number.NEGATIVE_INFINITY);
  for (const { at, log } of sums.values())
    row.forEach((p, y) => {
      const bits = bitsOf(y, outputs.length);
      row[y] = logSum(
        p,
        bits.reduce((sum, b, k) => sum + logSigmoid(b === 1 ? at[k]! : -at[k]!), log),
      );
    });
  return row.map(Math.exp);
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
