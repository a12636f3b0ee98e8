// Boxes around the inputs of an operator's cases, and points in them.
import { expect } from "vitest";
import { isFloat, numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import type { Random } from "../../src/numbers/random.ts";
import type { IntervalTensor } from "../../src/passes/interval.ts";

/** The box of all tensors that differ from this one by at most a radius in each number; integers stay. */
export function around(t: Tensor, radius: number): IntervalTensor {
  const values = Float64Array.from(numbers(t));
  const [type, dims] = [t.type, t.dims];
  if (!isFloat(type) || radius === 0) return { type, dims, lower: values, upper: values };
  return { type, dims, lower: values.map((v) => v - radius), upper: values.map((v) => v + radius) };
}

/** A point of a box: every second one has its numbers at ends, the others anywhere. */
export function pointIn(box: IntervalTensor, random: Random, k: number): Tensor {
  const { type, dims, lower, upper } = box;
  const at = (l: number, u: number): number => {
    const t = random.uniform();
    if (k % 2 === 0) return t < 0.5 ? l : u;
    return Math.min(u, Math.max(l, l + t * (u - l)));
  };
  return tensor(
    Float64Array.from(lower, (l, i) => at(l, upper[i]!)),
    { type: type as "float64", dims },
  );
}

/**
 * What rounding may cost a computed number of size 1, by the type it was computed in: a sum of some hundred numbers of
 * that size, half a unit in the last place each, and a few units for functions.
 */
const roundings: Partial<Record<Tensor["type"], number>> = {
  float64: 1e-13,
  float32: 256 * 2 ** -24,
  float16: 2 ** -10,
};

/** Every number of a computed tensor lies in its bound, but for the rounding of its own computation. */
export function expectInside(bound: IntervalTensor, computed: Tensor, where: string): void {
  const rounding = roundings[computed.type] ?? 0;
  expect([...bound.dims], where).toEqual([...computed.dims]);
  const values = numbers(computed);
  for (let k = 0; k < values.length; k++) {
    const value = values[k]!;
    const room = rounding * (1 + Math.abs(value));
    if (bound.lower[k]! - room <= value && value <= bound.upper[k]! + room) continue;
    expect.fail(`${where}: [${k}] is ${value}, outside ${bound.lower[k]} to ${bound.upper[k]}`);
  }
}
