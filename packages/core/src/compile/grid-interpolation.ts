// Multilinear interpolation on a full grid: what a method does that knows nothing of the function graph.
import { evaluateFormula } from "../formula/evaluate.ts";
import { parseFormula } from "../formula/formula.ts";

/** All points of {0, ..., count - 1}^n, one array for each coordinate. */
function gridIndices(count: number, variables: number): Int32Array[] {
  const total = count ** variables;
  return Array.from({ length: variables }, (_, k) =>
    Int32Array.from({ length: total }, (_, i) => Math.floor(i / count ** k) % count),
  );
}

/**
 * The greatest error of multilinear interpolation on a grid of spacing h = (upper - lower) / cells, seen at the centres of
 * its cells, where the interpolant is the mean of the corners. The grid lies so that every corner of the box is the centre
 * of a cell: what is greatest at a corner is greatest there for every h.
 * @example gridError("x^2", ["x"], [0, 1], 4) // 0.015625
 */
export function gridError(
  formula: string,
  names: readonly string[],
  [lower, upper]: readonly [number, number],
  cells: number,
): number {
  const expression = parseFormula(formula);
  const n = names.length;
  const valuesAt = (count: number, offset: number): Float64Array => {
    const columns = gridIndices(count, n).map((index) =>
      Float64Array.from(index, (i) => lower + ((upper - lower) * (i + offset)) / cells),
    );
    return evaluateFormula(expression, new Map(names.map((name, k) => [name, columns[k]!])));
  };
  const [corners, centres] = [valuesAt(cells + 2, -0.5), valuesAt(cells + 1, 0)];
  const index = gridIndices(cells + 1, n);
  let most = 0;
  for (let i = 0; i < centres.length; i++) {
    let first = 0;
    for (let k = 0; k < n; k++) first += index[k]![i]! * (cells + 2) ** k;
    most = Math.max(most, Math.abs(centres[i]! - meanOfCorners(corners, first, cells + 2, n)));
  }
  return most;
}

function meanOfCorners(values: Float64Array, first: number, stride: number, n: number): number {
  let sum = 0;
  for (let corner = 0; corner < 2 ** n; corner++) {
    let at = first;
    for (let k = 0; k < n; k++) if ((corner >> k) & 1) at += stride ** k;
    sum += values[at]!;
  }
  return sum / 2 ** n;
}
