// A Boolean function as a deep network as wide as its inputs (Le Roux and Bengio): layer after layer, the inputs of the rarer
// value are moved onto one of them, which the output recognizes.
import { DiscreteError } from "../error.ts";
import type { BeliefNetwork } from "./belief-network.ts";
import { bitsOf } from "./kernel.ts";
import { copyUnit, matchUnit, type StochasticUnit, sharingUnit, silentUnit } from "./unit.ts";

const opposite = ({ bias, reads }: StochasticUnit): StochasticUnit => ({
  bias: -bias,
  reads: reads.map(([c, w]) => [c, -w]),
});

/**
 * The network of a table of 2^d bits; each unit errs with probability eps at most.
 * @example narrowNetwork([0, 1, 1, 0], 0.01).layers.map((l) => l.length) // [2, 1]
 */
export function narrowNetwork(table: ArrayLike<number>, eps: number): BeliefNetwork {
  const d = Math.log2(table.length);
  if (!Number.isInteger(d) || d < 1)
    throw new DiscreteError(`a truth table has 2^d rows, not ${table.length}`);
  const points = Array.from({ length: table.length }, (_, x) => x);
  const [off, on] = [0, 1].map((bit) => points.filter((x) => table[x] === bit)) as [number[], number[]];
  const rare = on.length <= off.length ? 1 : 0;
  const [first, ...others] = rare === 1 ? on : off;
  const signed = (unit: StochasticUnit): StochasticUnit => (rare === 1 ? unit : opposite(unit));
  if (first === undefined) return { inputs: d, layers: [[signed(silentUnit(eps))]] };
  const columns = Array.from({ length: d }, (_, k) => k);
  const target = bitsOf(first, d);
  const moving = others.map((x) => {
    const state = bitsOf(x, d);
    return columns.map((k) =>
      state[k] === target[k] ? copyUnit(k, eps) : sharingUnit({ columns, state, flips: k, stay: 0 }, eps),
    );
  });
  return { inputs: d, layers: [...moving, [signed(matchUnit(columns, target, eps))]] };
}
