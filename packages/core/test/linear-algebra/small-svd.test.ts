// Small matrices of any scale: what comes out is orthonormal, and is the matrix.
import { expect, it } from "vitest";
import { smallSvd } from "../../src/linear-algebra/small-svd.ts";
import { createRandom } from "../../src/numbers/random.ts";

const dot = (x: Float64Array, y: Float64Array): number => x.reduce((sum, v, k) => sum + v * y[k]!, 0);

it.each([2 ** -60, 1, 2 ** 60])("rows of length %d that are nearly orthogonal", (scale) => {
  const random = createRandom("small-svd");
  const [m, n] = [5, 7];
  // Unit rows, turned a little: their products are some 1e-7 of their lengths.
  const rows = Array.from({ length: m }, (_, i) =>
    Float64Array.from({ length: n }, (_, c) => scale * ((c === i ? 1 + i / 8 : 0) + 1e-7 * random.normal())),
  );
  const { values, left, right } = smallSvd(rows, n);
  for (let i = 0; i < m; i++)
    for (let j = 0; j < m; j++) {
      expect(Math.abs(dot(right[i]!, right[j]!) - (i === j ? 1 : 0))).toBeLessThan(1e-14);
      expect(Math.abs(dot(left[i]!, left[j]!) - (i === j ? 1 : 0))).toBeLessThan(1e-14);
    }
  for (let i = 0; i < m; i++)
    for (let c = 0; c < n; c++) {
      const entry = values.reduce((sum, value, k) => sum + left[k]![i]! * value * right[k]![c]!, 0);
      expect(Math.abs(entry - rows[i]![c]!)).toBeLessThan(1e-14 * scale);
    }
});
