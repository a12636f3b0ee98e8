// Numbers at the edges of what an operator may be given: attributes, index inputs, data.

import {
  type DataType,
  elementCount,
  isFloat,
  type NumericType,
  numbers,
  type Tensor,
  tensor,
} from "../../src/graph/tensor.ts";
import type { Random } from "../../src/numbers/random.ts";

export const int64Least = -(2n ** 63n);
export const int64Greatest = 2n ** 63n - 1n;

export const oneOf = <T>(random: Random, items: readonly T[]): T =>
  items[random.integer(0, items.length - 1)]!;
export const chance = (random: Random, share: number): boolean => random.uniform() < share;

/** Integers at and beyond the ends of axes and of 64 bits. */
const farIntegers = [
  int64Least,
  int64Least + 1n,
  -(2n ** 31n),
  2n ** 31n - 1n,
  int64Greatest - 1n,
  int64Greatest,
];
const nearIntegers = [-5n, -4n, -3n, -2n, -1n, 0n, 1n, 2n, 3n, 4n, 5n, 7n];

/** An integer for an axis, a flag, a place: near, or far if `isFar` allows it. */
export const drawInteger = (random: Random, isFar: boolean): bigint =>
  oneOf(random, isFar && chance(random, 0.3) ? farIntegers : nearIntegers);

export const drawNumber = (random: Random): number =>
  chance(random, 0.3)
    ? oneOf(random, [0, -1, 1, 0.5, -0.5, 2, -2, 1e-3, 30, -30, 0.1])
    : Math.round((random.uniform() * 8 - 4) * 256) / 256;

const integerRanges: Partial<Record<DataType, readonly [number, number]>> = {
  uint8: [0, 12],
  uint16: [0, 12],
  uint32: [0, 12],
  uint64: [0, 12],
  bool: [0, 1],
};

/** A tensor of numbers of a type: small, of both signs, with zeros, ones and halves among them. */
export function drawTensor(random: Random, type: NumericType, dims: readonly number[]): Tensor {
  const [least, greatest] = integerRanges[type] ?? [-6, 6];
  const isReal = isFloat(type) || type === "bfloat16";
  const values = Array.from({ length: elementCount(dims) }, () =>
    isReal ? drawNumber(random) : random.integer(least, greatest),
  );
  return tensor(values, { type, dims });
}

/** The same integers without zeros: by zero the runtime divides, and its process ends. */
export function withoutZeros(t: Tensor): Tensor {
  if (isFloat(t.type) || t.type === "bfloat16" || t.type === "bool") return t;
  return tensor(
    Array.from(numbers(t), (v) => v || 1),
    { type: t.type as NumericType, dims: t.dims },
  );
}
