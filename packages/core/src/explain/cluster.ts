// Clusters in a set of explanations: neighbours are joined, and the eigenvectors of their graph's Laplacian tell its parts.
import { type Rows, symmetricEigen } from "../linear-algebra/symmetric-eigen.ts";
import type { Random } from "../numbers/random.ts";
import type { Plane } from "./heatmap.ts";

type Vector = readonly number[];

/**
 * A plane in squares of `size`, each the sum of what lies in it.
 * @example sumPooled({ rows: 2, columns: 2, values: Float64Array.of(1, 2, 3, 4) }, 2).values // Float64Array [10]
 */
export function sumPooled({ rows, columns, values }: Plane, size: number): Plane {
  const [h, w] = [Math.ceil(rows / size), Math.ceil(columns / size)];
  const pooled = new Float64Array(h * w);
  values.forEach((v, k) => {
    const at = Math.floor(k / columns / size) * w + Math.floor((k % columns) / size);
    pooled[at] = pooled[at]! + v;
  });
  return { rows: h, columns: w, values: pooled };
}

/** Of length 1; nothing stays nothing. */
export function normalized(values: ArrayLike<number>): Vector {
  const all = Array.from(values);
  const length = Math.hypot(...all);
  return length > 0 ? all.map((v) => v / length) : all;
}

const squaredDistance = (a: Vector, b: Vector): number => a.reduce((sum, v, k) => sum + (v - b[k]!) ** 2, 0);

/** 1 where one of two points is among the k nearest of the other, else 0. */
export function neighbourGraph(points: readonly Vector[], k: number): Rows {
  const A = points.map(() => new Array<number>(points.length).fill(0));
  points.forEach((p, i) => {
    const nearest = points
      .map((q, j) => ({ j, distance: squaredDistance(p, q) }))
      .filter(({ j }) => j !== i)
      .sort((a, b) => a.distance - b.distance || a.j - b.j);
    for (const { j } of nearest.slice(0, k)) A[i]![j] = A[j]![i] = 1;
  });
  return A;
}

/** I - D^{-1/2} A D^{-1/2}; a vertex without neighbours is a part of its own. */
export function normalizedLaplacian(A: Rows): Rows {
  const root = A.map((row) => Math.sqrt(row.reduce((s, v) => s + v, 0)));
  return A.map((row, i) =>
    row.map((v, j) => {
      const joined = v === 0 ? 0 : v / (root[i]! * root[j]!);
      return i === j ? (root[i]! > 0 ? 1 - joined : 0) : -joined;
    }),
  );
}

/** How many eigenvalues lie before the widest gap, of at most this many. */
export function widestGap(values: Vector, most: number): number {
  let [best, found] = [Number.NEGATIVE_INFINITY, 1];
  for (let k = 1; k <= Math.min(most, values.length - 1); k++) {
    const gap = values[k]! - values[k - 1]!;
    if (gap > best) [best, found] = [gap, k];
  }
  return found;
}

/** Lloyd's iteration from centres that are drawn far apart (k-means++), the best of several starts. */
export function kMeans(points: readonly Vector[], k: number, random: Random, starts = 10): readonly number[] {
  let best: { readonly cost: number; readonly labels: readonly number[] } | undefined;
  for (let start = 0; start < starts; start++) {
    const found = lloyd(points, farApart(points, k, random));
    if (!best || found.cost < best.cost) best = found;
  }
  return best!.labels;
}

function farApart(points: readonly Vector[], k: number, random: Random): readonly Vector[] {
  const centres = [points[random.integer(0, points.length - 1)]!];
  while (centres.length < k) {
    const far = points.map((p) => Math.min(...centres.map((c) => squaredDistance(p, c))));
    let left = random.uniform() * far.reduce((s, v) => s + v, 0);
    const chosen = far.findIndex((v) => {
      left -= v;
      return left < 0;
    });
    centres.push(points[Math.max(0, chosen)]!);
  }
  return centres;
}

function lloyd(points: readonly Vector[], first: readonly Vector[]) {
  let centres = first;
  let labels: readonly number[] = [];
  for (let round = 0; round < 100; round++) {
    const next = points.map((p) => {
      const far = centres.map((c) => squaredDistance(p, c));
      return far.indexOf(Math.min(...far));
    });
    if (next.every((label, i) => label === labels[i])) break;
    labels = next;
    centres = centres.map((c, label) => {
      const own = points.filter((_, i) => next[i] === label);
      return own.length === 0 ? c : c.map((_, d) => own.reduce((s, p) => s + p[d]!, 0) / own.length);
    });
  }
  const cost = points.reduce((sum, p, i) => sum + squaredDistance(p, centres[labels[i]!]!), 0);
  return { labels, cost };
}

export interface ClusterOptions {
  /** Neighbours that each explanation is joined to. */
  readonly neighbours: number;
  readonly random: Random;
  /** How many clusters; default: as many as lie before the widest gap of the spectrum. */
  readonly clusters?: number;
  readonly most?: number;
}

export interface Clusters {
  readonly labels: readonly number[];
  readonly count: number;
  /** Of the normalized Laplacian, ascending: as many zeros as parts that nothing joins. */
  readonly eigenvalues: Vector;
  /** Each explanation by its entries of the first eigenvectors, made unit length. */
  readonly embedding: readonly Vector[];
}

/**
 * Explanations of many examples in clusters of those that say the same: pooled, normalized maps go in.
 * @example cluster([[1, 0], [0.9, 0], [0, 1], [0, 0.9]], { neighbours: 1, random: createRandom(1) }).count // 2
 */
export function cluster(
  maps: readonly Vector[],
  { neighbours, random, clusters, most = 8 }: ClusterOptions,
): Clusters {
  const { values, vectors } = symmetricEigen(normalizedLaplacian(neighbourGraph(maps, neighbours)));
  const count = clusters ?? widestGap(values, most);
  const embedding = maps.map((_, i) => normalized(vectors.slice(0, count).map((v) => v[i]!)));
  return { labels: kMeans(embedding, count, random), count, eigenvalues: values, embedding };
}
