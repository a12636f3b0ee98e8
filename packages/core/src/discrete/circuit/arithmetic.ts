// Circuits that everybody knows: ripple-carry adders, array multipliers, comparators.
import { CircuitBuilder } from "./builder.ts";
import type { Circuit, Literal } from "./circuit.ts";

const names = (stem: string, bits: number): string[] => Array.from({ length: bits }, (_, k) => `${stem}${k}`);

const fullAdder = (b: CircuitBuilder, args: readonly Literal[]): readonly [sum: Literal, carry: Literal] => [
  b.xor(args),
  b.majority(args),
];

/**
 * a + b of two numbers of so many bits, the lowest first: inputs a0 ... b0 ..., outputs s0 ... s_bits.
 * @example adder(16).outputs.length // 17
 */
export function adder(bits: number): Circuit {
  const b = new CircuitBuilder([...names("a", bits), ...names("b", bits)]);
  let carry: Literal = 0;
  const sums = Array.from({ length: bits }, (_, k) => {
    const [sum, next] = fullAdder(b, [b.input(k), b.input(bits + k), carry]);
    carry = next;
    return sum;
  });
  return b.finish([...sums, carry].map((literal, k) => ({ name: `s${k}`, literal })));
}

/**
 * a b of two numbers of so many bits: columns of partial products, three of which become two as long as any are left.
 * @example multiplier(2).outputs.length // 4
 */
export function multiplier(bits: number): Circuit {
  const b = new CircuitBuilder([...names("a", bits), ...names("b", bits)]);
  const columns: Literal[][] = Array.from({ length: 2 * bits }, () => []);
  for (let i = 0; i < bits; i++)
    for (let j = 0; j < bits; j++) columns[i + j]!.push(b.and([b.input(i), b.input(bits + j)]));
  columns.forEach((column, k) => {
    while (column.length > 1) {
      const [sum, carry] = fullAdder(b, column.splice(0, Math.min(3, column.length)));
      column.push(sum);
      columns[k + 1]?.push(carry);
    }
  });
  return b.finish(columns.map(([literal = 0], k) => ({ name: `p${k}`, literal })));
}

/**
 * Whether a < b, of two numbers of so many bits.
 * @example lessThan(8).inputs.length // 16
 */
export function lessThan(bits: number): Circuit {
  const b = new CircuitBuilder([...names("a", bits), ...names("b", bits)]);
  let less: Literal = 0;
  for (let k = 0; k < bits; k++) less = b.majority([b.input(k) ^ 1, b.input(bits + k), less]);
  return b.finish([{ name: "less", literal: less }]);
}
