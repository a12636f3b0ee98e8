// A point of the plane on the line through (x, 1), near the unit circle: nothing overflows.
import type { Value } from "../graph/value.ts";

/** (x, 1) divided by max(1, |x|), and the length of (sqrt(a) x, 1) divided by it. */
export function scaledPoint(
  x: Value,
  a: number,
): { readonly sine: Value; readonly cosine: Value; readonly length: Value } {
  const m = x.abs().max(1);
  const [sine, cosine] = [x.div(m), m.op("Reciprocal")];
  return { sine, cosine, length: cosine.mul(cosine).add(sine.mul(sine).mul(a)).sqrt() };
}
