// Gray codes, and the partial ones along which mass moves from many states at a time (Theorem 6.17).

/**
 * The reflected Gray code of n bits, the first bit the highest: from 0 to (1, 0, ..., 0).
 * @example grayCode(2) // [[0, 0], [0, 1], [1, 1], [1, 0]]
 */
export const grayCode = (n: number): readonly (readonly number[])[] =>
  Array.from({ length: 2 ** n }, (_, k) =>
    Array.from({ length: n }, (_, i) => ((k ^ (k >> 1)) >> (n - 1 - i)) & 1),
  );

/**
 * b with s = 2^(b-1) + b, undefined if there is none.
 * @example overlayBits(4) // 2
 */
export const overlayBits = (s: number): number | undefined =>
  [1, 2, 3, 4, 5].find((b) => 2 ** (b - 1) + b === s);

/**
 * 2^b sequences of 2^(m-b) states that partition {0,1}^m, m = 2^(b-1) + b: m - b path bits, then the b bits of the index.
 * All begin at (1, 0, ..., 0, index); at each step only sequences whose indices differ in the last bit flip the same bit.
 * @example partialGrayCodes(1) // [[[1, 0], [0, 0]], [[1, 1], [0, 1]]]
 */
export function partialGrayCodes(b: number): readonly (readonly (readonly number[])[])[] {
  const n = 2 ** (b - 1);
  const code = grayCode(n);
  return Array.from({ length: 2 ** b }, (_, index) => {
    const shift = index >> 1;
    const indexBits = Array.from({ length: b }, (_, k) => (index >> (b - 1 - k)) & 1);
    return code.map((word) => {
      const path = word.map((_, i) => word[(i - shift + n) % n]! ^ (i === 0 ? 1 : 0));
      return [...path, ...indexBits];
    });
  });
}
