// A second way to solve small linear equations, beside the factors that pursuits use.

/** G x = b by Gauss and Jordan, with the greatest pivots. */
export function solveSymmetric(
  matrix: readonly (readonly number[])[],
  right: readonly number[],
): readonly number[] {
  const rows = matrix.map((row, i) => [...row, right[i]!]);
  for (let k = 0; k < rows.length; k++) {
    let best = k;
    for (let i = k; i < rows.length; i++) if (Math.abs(rows[i]![k]!) > Math.abs(rows[best]![k]!)) best = i;
    [rows[k], rows[best]] = [rows[best]!, rows[k]!];
    const pivot = rows[k]!;
    for (let i = 0; i < rows.length; i++) {
      if (i === k) continue;
      const factor = rows[i]![k]! / pivot[k]!;
      rows[i] = rows[i]!.map((v, j) => v - factor * pivot[j]!);
    }
  }
  return rows.map((row, k) => row.at(-1)! / row[k]!);
}
