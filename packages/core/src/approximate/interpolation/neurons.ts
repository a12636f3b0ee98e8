// Random neurons x -> rho(<w, x> + b) whose bends lie among the data, and their values there.

import { run } from "../../engine/run.ts";
import type { Activation } from "../../functions/activation.ts";
import { float64, graph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { tensor } from "../../graph/tensor.ts";
import type { Matrix } from "../../linear-algebra/index.ts";
import type { Random } from "../../numbers/random.ts";

/** Neuron j is x -> rho(<w_j, x> + b_j). */
export interface Neurons {
  /** A row each. */
  readonly weights: Matrix;
  readonly biases: Float64Array;
}

/**
 * Neurons in random directions. <w, x> has about the standard deviation `scale` over the data, and <w, x> + b is zero
 * somewhere between a data point, each in its turn, and another: on a line the next one, elsewhere by turns any and the
 * nearest in this direction (which tells the points of a cluster apart), at a random part of the way, often small.
 */
export function neuronsAmong(points: Matrix, count: number, scale: number, random: Random): Neurons {
  const { rows, columns, entries } = points;
  const spread = deviations(points);
  const weights = new Float64Array(count * columns);
  const biases = new Float64Array(count);
  const next = columns === 1 ? nextOnLine(entries) : undefined;
  const order = random.permutation(rows);
  for (let j = 0; j < count; j++) {
    const w = random.normal(columns).map((g, c) => (scale * g) / (spread[c]! * Math.sqrt(columns)));
    // On a line all directions are one: slopes of both signs, and not all alike, or sines would repeat themselves.
    if (next) w[0] = ((j % (2 * rows) < rows ? 2 : -2) * scale * (1 - random.uniform())) / spread[0]!;
    weights.set(w, j * columns);
    const p = order[j % rows]!;
    const q = next ? next[p]! : j % 2 === 0 ? random.integer(0, rows - 1) : nearestAlong(points, w, p);
    const part = next ? random.uniform() : 2 ** -(1 + random.uniform() * Math.log2(4 * rows));
    let zero = 0;
    for (let c = 0; c < columns; c++) {
      const [from, to] = [entries[p * columns + c]!, entries[q * columns + c]!];
      zero += w[c]! * (from + part * (to - from));
    }
    biases[j] = rows === 1 ? scale - zero : -zero; // a single point has no other: it must not be the zero itself
  }
  return { weights: { rows: count, columns, entries: weights }, biases };
}

/** The point other than p whose projection is nearest to that of p; p itself if there is none. */
function nearestAlong({ rows, columns, entries }: Matrix, w: Float64Array, p: number): number {
  let [nearest, least] = [p, Number.POSITIVE_INFINITY];
  for (let i = 0; i < rows; i++) {
    let gap = 0;
    for (let c = 0; c < columns; c++) gap += w[c]! * (entries[i * columns + c]! - entries[p * columns + c]!);
    if (i !== p && Math.abs(gap) < least) [nearest, least] = [i, Math.abs(gap)];
  }
  return nearest;
}

/** Standard deviations of the coordinates; 1 for one that is constant. */
function deviations({ rows, columns, entries }: Matrix): Float64Array {
  return Float64Array.from({ length: columns }, (_, c) => {
    let [mean, square] = [0, 0];
    for (let i = 0; i < rows; i++) mean += entries[i * columns + c]! / rows;
    for (let i = 0; i < rows; i++) square += (entries[i * columns + c]! - mean) ** 2 / rows;
    return Math.sqrt(square) || 1;
  });
}

/** The next point to the left on a line, where a bend separates a point from those before it; the first has the second. */
function nextOnLine(entries: Float64Array): Int32Array {
  const sorted = Int32Array.from(entries, (_, i) => i).sort((i, j) => entries[i]! - entries[j]!);
  const next = new Int32Array(entries.length);
  sorted.forEach((i, k) => {
    next[i] = sorted[k > 0 ? k - 1 : Math.min(1, sorted.length - 1)]!;
  });
  return next;
}

const graphs = new Map<string, Graph>();

/** (w, b, x^T) -> rho(w x^T + b). */
function featureGraph(rho: Activation): Graph {
  const made =
    graphs.get(rho.name) ??
    graph({ w: float64("M", "D"), b: float64("M", 1), x: float64("D", "N") }, ({ w, b, x }) => ({
      a: rho.apply(w.matmul(x).add(b)),
    }));
  graphs.set(rho.name, made);
  return made;
}

/** Entries that are made at once: 32 MB. */
const entriesAtOnce = 2 ** 22;

/** Row j has the values of neuron j at the points. */
export async function neuronValues(
  { weights, biases }: Neurons,
  points: Matrix,
  rho: Activation,
): Promise<Matrix> {
  const [count, dimension] = [weights.rows, weights.columns];
  const entries = new Float64Array(count * points.rows);
  const columnsOfPoints = new Float64Array(points.entries.length);
  for (let i = 0; i < points.rows; i++)
    for (let c = 0; c < dimension; c++)
      columnsOfPoints[c * points.rows + i] = points.entries[i * dimension + c]!;
  const x = tensor(columnsOfPoints, { dims: [dimension, points.rows] });
  const step = Math.max(1, Math.floor(entriesAtOnce / points.rows));
  for (let from = 0; from < count; from += step) {
    const to = Math.min(count, from + step);
    const w = tensor(weights.entries.subarray(from * dimension, to * dimension), {
      dims: [to - from, dimension],
    });
    const b = tensor(biases.subarray(from, to), { dims: [to - from, 1] });
    const { a } = await run(featureGraph(rho), { w, b, x });
    entries.set(a!.data as Float64Array, from * points.rows);
  }
  return { rows: count, columns: points.rows, entries };
}
