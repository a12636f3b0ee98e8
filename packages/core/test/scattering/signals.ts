// The signals that reference values are for.

/** cos(0.3 t) sin(0.02 t) + (7 t mod 11) / 11 */
export const line = (n: number): Float64Array =>
  Float64Array.from({ length: n }, (_, t) => Math.cos(0.3 * t) * Math.sin(0.02 * t) + ((7 * t) % 11) / 11);

/** cos(0.3 u) sin(0.2 v) + ((7 u + 3 v) mod 11) / 11 */
export const picture = (rows: number, columns: number): Float64Array =>
  Float64Array.from({ length: rows * columns }, (_, k) => {
    const [u, v] = [Math.floor(k / columns), k % columns];
    return Math.cos(0.3 * u) * Math.sin(0.2 * v) + ((7 * u + 3 * v) % 11) / 11;
  });
