// How many patterns a class has on m points, by enumeration where that is exact, and Sauer's bound.

type Point = readonly number[];

const binomial = (n: number, k: number): number => {
  let c = 1;
  for (let j = 1; j <= k; j++) c = (c * (n - k + j)) / j;
  return Math.round(c);
};

/**
 * sum_{i <= D} C(m, i): the most patterns that a class of VC dimension D has on m points.
 * @example sauerCount(5, 2) // 16
 */
export function sauerCount(m: number, dimension: number): number {
  let sum = 0;
  for (let i = 0; i <= Math.min(m, dimension); i++) sum += binomial(m, i);
  return sum;
}

/** ln of Sauer's bound on the patterns of m points: the sum itself where m is small, (e m / D)^D where it is not. */
export function logSauer(m: number, dimension: number): number {
  if (m <= dimension) return m * Math.LN2;
  if (m <= 50) return Math.log(sauerCount(m, dimension));
  const power = dimension === 0 ? 0 : dimension * Math.log((Math.E * m) / dimension);
  return Math.min(m * Math.LN2, power);
}

/**
 * Patterns that affine classifiers have on m points of R^d in general position (Cover): 2 sum_{k <= d} C(m - 1, k).
 * @example coverCount(4, 2) // 14
 */
export const coverCount = (m: number, d: number): number => (m === 0 ? 1 : 2 * sauerCount(m - 1, d));

/** Patterns as bit masks; a class is a function from points to these. */
export type Patterns = (points: readonly Point[]) => ReadonlySet<number>;

const maskOf = (points: readonly Point[], contains: (x: Point) => boolean): number =>
  points.reduce((mask, x, i) => (contains(x) ? mask | (1 << i) : mask), 0);

/** x >= t on the line, t any number. */
export const thresholdPatterns: Patterns = (points) =>
  new Set([...points.map(([t]) => maskOf(points, ([x]) => x! >= t!)), 0]);

/** s <= x <= t on the line; ends at points are enough. */
export const intervalPatterns: Patterns = (points) =>
  new Set([
    ...points.flatMap(([s]) => points.map(([t]) => maskOf(points, ([x]) => x! >= s! && x! <= t!))),
    0,
  ]);

/** Boxes with sides along the axes, of the plane: bounding boxes of at most four points are enough. */
export function rectanglePatterns(points: readonly Point[]): ReadonlySet<number> {
  const found = new Set([0]);
  const [xs, ys] = [points.map((p) => p[0]!), points.map((p) => p[1]!)];
  for (const left of xs)
    for (const right of xs)
      for (const low of ys)
        for (const high of ys)
          found.add(maskOf(points, ([x, y]) => x! >= left && x! <= right && y! >= low && y! <= high));
  return found;
}

/**
 * Affine classifiers on points of R^d in general position: every pattern is that of a hyperplane through d of them,
 * moved a little, so that these d come out on either side as one likes.
 */
export function affinePatterns(points: readonly Point[]): ReadonlySet<number> {
  const m = points.length;
  const d = points[0]!.length;
  const found = new Set<number>();
  if (m <= d) return new Set(Array.from({ length: 2 ** m }, (_, k) => k));
  for (const chosen of subsetsOf(m, d)) {
    const plane = hyperplaneThrough(chosen.map((i) => points[i]!));
    const side = maskOf(points, (x) => x.reduce((sum, v, k) => sum + v * plane[k]!, plane[d]!) > 0);
    const rest = chosen.reduce((mask, i) => mask & ~(1 << i), side);
    const restOpposite = chosen.reduce((mask, i) => mask & ~(1 << i), ~side & (2 ** m - 1));
    for (let bits = 0; bits < 2 ** d; bits++) {
      const free = chosen.reduce((mask, i, k) => (bits & (1 << k) ? mask | (1 << i) : mask), 0);
      found.add(rest | free);
      found.add(restOpposite | free);
    }
  }
  return found;
}

function* subsetsOf(m: number, size: number, from = 0): Generator<readonly number[]> {
  if (size === 0) {
    yield [];
    return;
  }
  for (let i = from; i <= m - size; i++) for (const rest of subsetsOf(m, size - 1, i + 1)) yield [i, ...rest];
}

/** Normal vector and offset: the minors of the rows (x, 1). */
function hyperplaneThrough(points: readonly Point[]): readonly number[] {
  const rows = points.map((x) => [...x, 1]);
  return rows[0]!.map((_, column) => {
    const minor = rows.map((row) => row.filter((__, k) => k !== column));
    return (column % 2 === 0 ? 1 : -1) * determinant(minor);
  });
}

function determinant(A: readonly (readonly number[])[]): number {
  if (A.length === 1) return A[0]![0]!;
  return A[0]!.reduce((sum, v, k) => {
    const minor = A.slice(1).map((row) => row.filter((_, j) => j !== k));
    return sum + (k % 2 === 0 ? 1 : -1) * v * determinant(minor);
  }, 0);
}

/** The size of the greatest subset of the points that a set of patterns shatters. */
export function shatteredSize(patterns: ReadonlySet<number>, m: number): number {
  for (let size = m; size > 0; size--)
    for (const chosen of subsetsOf(m, size)) {
      const seen = new Set(
        [...patterns].map((mask) => chosen.reduce((p, i, k) => p | (((mask >> i) & 1) << k), 0)),
      );
      if (seen.size === 2 ** size) return size;
    }
  return 0;
}
