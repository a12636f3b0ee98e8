// Small systems that need not be definite.

/**
 * x with A x = b by elimination with the greatest pivot, rows of A with b at their end, which are used up; undefined where a
 * pivot is 0.
 * @example eliminated([Float64Array.of(0, 2, 4), Float64Array.of(1, 0, 3)]) // Float64Array [3, 2]
 */
export function eliminated(rows: Float64Array[]): Float64Array | undefined {
  const n = rows.length;
  for (let c = 0; c < n; c++) {
    let best = c;
    for (let r = c + 1; r < n; r++) if (Math.abs(rows[r]![c]!) > Math.abs(rows[best]![c]!)) best = r;
    [rows[c], rows[best]] = [rows[best]!, rows[c]!];
    const pivot = rows[c]![c]!;
    if (pivot === 0 || !Number.isFinite(pivot)) return undefined;
    for (let r = c + 1; r < n; r++) {
      const factor = rows[r]![c]! / pivot;
      if (factor !== 0) for (let k = c; k <= n; k++) rows[r]![k]! -= factor * rows[c]![k]!;
    }
  }
  const x = new Float64Array(n);
  for (let c = n - 1; c >= 0; c--) {
    let rest = rows[c]![n]!;
    for (let k = c + 1; k < n; k++) rest -= rows[c]![k]! * x[k]!;
    x[c] = rest / rows[c]![c]!;
  }
  return x;
}
