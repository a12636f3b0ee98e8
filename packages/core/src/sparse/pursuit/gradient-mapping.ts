// What a proximal step moves a point by: 0 at the minimizers of f + g alone, and the gradient where g = 0.

/** G(x) = L (x - prox_(g / L)(x - grad f(x) / L)), (7.25). */
export function gradientMapping(
  x: Float64Array,
  slope: (x: Float64Array) => Float64Array,
  proximal: (v: Float64Array, step: number) => Float64Array,
  L: number,
): Float64Array {
  const g = slope(x);
  const next = proximal(
    x.map((v, j) => v - g[j]! / L),
    1 / L,
  );
  return x.map((v, j) => L * (v - next[j]!));
}
