// Points and the values wanted there, checked: the same point twice is one condition, or a contradiction.
import { ConstructError } from "../../functions/error.ts";
import type { Matrix } from "../../linear-algebra/index.ts";

/** Points, a row each; values, a row each. */
export interface PointValues {
  readonly points: Matrix;
  readonly values: Matrix;
}

/** Distinct points, and where the given ones went. */
export interface DistinctPoints {
  readonly points: Matrix;
  /** Row rowOf[i] here is row i of what was given. */
  readonly rowOf: Int32Array;
  /** A given row for each row here. */
  readonly given: Int32Array;
}

/** The points without repetitions. */
export function distinctPoints(points: Matrix): DistinctPoints {
  const { rows, columns, entries } = points;
  if (rows === 0 || columns === 0)
    throw new ConstructError(`${rows} points of dimension ${columns}: nothing to fit`);
  const bad = entries.findIndex((x) => !Number.isFinite(x));
  if (bad >= 0)
    throw new ConstructError(
      `row ${Math.floor(bad / columns)} of the points has the coordinate ${entries[bad]}`,
    );
  const difference = (i: number, j: number): number => {
    for (let c = 0; c < columns; c++) {
      const gap = entries[i * columns + c]! - entries[j * columns + c]!;
      if (gap !== 0) return gap;
    }
    return 0;
  };
  const sorted = Int32Array.from({ length: rows }, (_, i) => i).sort((i, j) => difference(i, j) || i - j);
  const first = new Int32Array(rows);
  sorted.forEach((i, k) => {
    first[i] = k > 0 && difference(i, sorted[k - 1]!) === 0 ? first[sorted[k - 1]!]! : i;
  });
  const given = Int32Array.from([...first.keys()].filter((i) => first[i] === i));
  const place = new Int32Array(rows);
  given.forEach((i, k) => {
    place[i] = k;
  });
  return { points: chosenRows(points, given), given, rowOf: first.map((i) => place[i]!) };
}

/** The values at the distinct points; a point with two values is refused. */
export function distinctValues({ rowOf, given }: DistinctPoints, values: Matrix): Matrix {
  const { rows, columns, entries } = values;
  if (rows !== rowOf.length) throw new ConstructError(`${rowOf.length} points have ${rows} rows of values`);
  if (columns === 0) throw new ConstructError("the values have no columns: nothing to fit");
  const bad = entries.findIndex((y) => !Number.isFinite(y));
  if (bad >= 0)
    throw new ConstructError(`row ${Math.floor(bad / columns)} of the values has the number ${entries[bad]}`);
  rowOf.forEach((k, i) => {
    const first = given[k]!;
    for (let c = 0; c < columns; c++) {
      const [a, b] = [entries[first * columns + c]!, entries[i * columns + c]!];
      if (a !== b)
        throw new ConstructError(
          `rows ${first} and ${i} are the same point with different values, ${a} and ${b}: no function has both`,
        );
    }
  });
  return chosenRows(values, given);
}

/** These rows of a matrix. */
export function chosenRows({ columns, entries }: Matrix, chosen: Int32Array): Matrix {
  const taken = new Float64Array(chosen.length * columns);
  chosen.forEach((i, k) => {
    taken.set(entries.subarray(i * columns, (i + 1) * columns), k * columns);
  });
  return { rows: chosen.length, columns, entries: taken };
}

/** The two nearest of some points, by search along the coordinate that spreads most. */
export function nearestPair({ rows, columns, entries }: Matrix): {
  readonly pair: readonly [number, number];
  readonly distance: number;
} {
  const at = (i: number, c: number): number => entries[i * columns + c]!;
  const spread = (c: number): number => {
    let [low, high] = [at(0, c), at(0, c)];
    for (let i = 1; i < rows; i++) [low, high] = [Math.min(low, at(i, c)), Math.max(high, at(i, c))];
    return high - low;
  };
  const spreads = Array.from({ length: columns }, (_, c) => spread(c));
  const axis = spreads.indexOf(Math.max(...spreads));
  const order = Int32Array.from({ length: rows }, (_, i) => i).sort((i, j) => at(i, axis) - at(j, axis));
  let [pair, best]: [readonly [number, number], number] = [[0, 0], Number.POSITIVE_INFINITY];
  for (let a = 0; a < rows; a++)
    for (let b = a + 1; b < rows && (at(order[b]!, axis) - at(order[a]!, axis)) ** 2 < best; b++) {
      let square = 0;
      for (let c = 0; c < columns; c++) square += (at(order[a]!, c) - at(order[b]!, c)) ** 2;
      if (square < best) [pair, best] = [[order[a]!, order[b]!], square];
    }
  return { pair: [Math.min(...pair), Math.max(...pair)], distance: Math.sqrt(best) };
}
