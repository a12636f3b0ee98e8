// Random tensors of the types that all formats share.
import fc from "fast-check";
import { arrayFor, byteLength, type NumericType, type Tensor } from "../../src/graph/tensor.ts";

const types: readonly NumericType[] = [
  "float16",
  "float32",
  "float64",
  "int8",
  "int16",
  "int32",
  "int64",
  "uint8",
  "uint16",
  "uint32",
  "uint64",
  "bool",
];

const shape = fc.record({
  type: fc.constantFrom(...types),
  dims: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 4 }),
});

/** Any bits, but for booleans. */
export const anyTensor: fc.Arbitrary<Tensor> = shape.chain(({ type, dims }) => {
  const length = byteLength(type, dims);
  return fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => {
    const bits = type === "bool" ? bytes.map((byte) => byte & 1) : bytes.slice();
    return { type, dims, data: new (arrayFor(type))(bits.buffer) };
  });
});

/** Small hostile changes: a cut, and some bytes that are changed. */
export const damage = fc.record({
  keep: fc.double({ min: 0, max: 1, noNaN: true }),
  cut: fc.boolean(),
  flips: fc.array(
    fc.record({
      at: fc.double({ min: 0, max: 0.999999, noNaN: true }),
      bits: fc.integer({ min: 1, max: 255 }),
    }),
    {
      maxLength: 4,
    },
  ),
});

export function damaged(
  bytes: Uint8Array,
  { keep, cut, flips }: typeof damage extends fc.Arbitrary<infer T> ? T : never,
) {
  const copy = bytes.slice(0, cut ? Math.floor(keep * bytes.length) : bytes.length);
  for (const { at, bits } of flips) {
    const position = Math.floor(at * copy.length);
    if (position < copy.length) copy[position]! ^= bits;
  }
  return copy;
}

/** Runs it; an error that is not a DataError fails the test. */
export function onlyDataError(action: () => unknown): Error | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    if (error instanceof Error && error.name === "DataError" && !/[\n\r]/.test(error.message)) return error;
    throw error;
  }
}
