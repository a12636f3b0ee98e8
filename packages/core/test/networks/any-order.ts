// Runs the layers of a network in doubles as unkindly as IEEE arithmetic allows: each sum in the worst of several random
// orders, its products fused into the additions or rounded by themselves.
import type { Layer } from "../../src/networks/layers/layered.ts";
import { add, mul, toNumber } from "../../src/numbers/exact/rational.ts";
import type { Random } from "../../src/numbers/random.ts";

const fused = (a: number, b: number, c: number): number => toNumber(add(mul(a, b), c));

export function evaluateInAnyOrder(layers: readonly Layer[], x: readonly number[], random: Random): number[] {
  let state = [...x];
  layers.forEach(({ weights, bias }, l) => {
    if (l > 0) state = state.map((unit) => Math.max(unit, 0));
    state = Array.from(bias, (b, r) => {
      const terms: (readonly [number, number])[] = b === 0 ? [] : [[b, 1]];
      for (let k = weights.starts[r]!; k < weights.starts[r + 1]!; k++)
        terms.push([weights.values[k]!, state[weights.columnOf[k]!]!]);
      const sums = Array.from({ length: terms.length > 2 ? 4 : 2 }, () => sum(terms, random));
      // Units err one way or the other, each always the same way.
      return r % 2 ? Math.max(...sums) : Math.min(...sums);
    });
  });
  return state;
}

function sum(terms: readonly (readonly [number, number])[], random: Random): number {
  const left = [...terms];
  const isFused = random.uniform() < 0.5;
  let total = 0;
  while (left.length > 0) {
    const [[w, z]] = left.splice(Math.floor(random.uniform() * left.length), 1) as [
      readonly [number, number],
    ];
    total = isFused ? fused(w, z, total) : total + w * z;
  }
  return total;
}
