// Lower bounds on a Lipschitz constant: norms of Jacobians at points, first at examples, then uphill from the best.

import { run } from "../engine/run.ts";
import type { Graph } from "../graph/graph.ts";
import { cast, elementCount, numbers, type Tensor, tensor } from "../graph/tensor.ts";
import { symmetricSpectrum } from "../linear-algebra/tridiagonal.ts";
import type { Random } from "../numbers/random.ts";
import { derivatives } from "../passes/gradient.ts";
import type { AuditedModel } from "./audited-model.ts";

export interface SteepestPoint {
  /** The greatest norm |J(x)|_2 that was found; a lower bound on the Lipschitz constant, but for rounding. */
  readonly value: number;
  /** The greatest among the given points, before the search went on from there. */
  readonly onData: number;
  /** How many points were given, or drawn. */
  readonly points: number;
  readonly point: Float64Array;
}

export interface SteepestOptions {
  readonly random: Random;
  /** Points to draw where none are given; default 128. */
  readonly points?: number;
  /** Power iterations for the norm of a Jacobian. */
  readonly iterations?: number;
  /** Rounds of random steps from the best point. */
  readonly rounds?: number;
  readonly signal?: AbortSignal;
}

/** Up to so many outputs Jacobians are written out, row by row, and their norms are those of all points. */
export const mostRows = 16;
/** Beyond: points that are looked at closely after a first look at all, and power iterations of a first look. */
const finalists = 8;
const glance = 2;
/** Points of a round of random steps. */
const neighbours = 16;

/** J^T u and J v, for each example of a batch by itself. */
interface JacobianGraphs {
  readonly back: Graph;
  readonly forth: Graph;
  readonly seed: string;
  readonly gradient: string;
}

/** J v as the gradient, in u, of <J^T u, v>: J^T u is linear in u. */
function jacobianGraphs({ graph, input, output }: AuditedModel): JacobianGraphs {
  const first = derivatives(graph, { wrt: [input], of: [output] });
  const gradient = first.names.get(input)!;
  const back = { ...first.graph, outputs: first.graph.outputs.filter((o) => o.name === gradient) };
  const seed = first.graph.inputs.find((i) => i.name !== input)!.name;
  const second = derivatives(back, { wrt: [seed], of: [gradient] });
  const name = second.names.get(seed)!;
  const outputs = second.graph.outputs.filter((o) => o.name === name);
  return { back, forth: { ...second.graph, outputs }, seed, gradient };
}

/** The greatest norm of a Jacobian among points of the data and near the best of them; without data, from normal points. */
export async function steepestPoint(
  model: AuditedModel,
  x: Tensor | undefined,
  { random, points = 128, iterations = 12, rounds = 6, signal }: SteepestOptions,
): Promise<SteepestPoint> {
  const graphs = jacobianGraphs(model);
  const size = elementCount(model.inputDims);
  const given = x ? Float64Array.from(numbers(x)) : random.normal(points * size);
  const pointOf = (all: Float64Array, k: number): Float64Array => all.subarray(k * size, (k + 1) * size);
  const normsAt = (at: Float64Array, times: number): Promise<Float64Array> => {
    signal?.throwIfAborted();
    return jacobianNorms(model, graphs, at, { random, iterations: times });
  };
  let best = { value: 0, point: given.slice(0, size) };
  const keepBest = (at: Float64Array, norms: Float64Array): boolean => {
    const k = norms.reduce((most, v, i) => (v > norms[most]! ? i : most), 0);
    if (!(norms[k]! > best.value)) return false;
    best = { value: norms[k]!, point: pointOf(at, k).slice() };
    return true;
  };
  /** A first look at all the points, then a closer one at the best. */
  const look = async (at: Float64Array, closer: number): Promise<boolean> => {
    if (model.outputs <= mostRows) return keepBest(at, await rowNorms(model, graphs, at, signal));
    const first = await normsAt(at, glance);
    const top = Array.from(first.keys())
      .sort((a, b) => first[b]! - first[a]!)
      .slice(0, closer);
    const chosen = new Float64Array(top.length * size);
    top.forEach((k, place) => {
      chosen.set(pointOf(at, k), place * size);
    });
    return keepBest(chosen, await normsAt(chosen, iterations));
  };
  await look(given, finalists);
  const onData = best.value;
  let step = 0.3 * spread(given);
  for (let round = 0; round < rounds; round++) {
    const noise = random.normal(neighbours * size);
    if (
      !(await look(
        noise.map((z, k) => best.point[k % size]! + step * z),
        2,
      ))
    )
      step /= 2;
  }
  return { ...best, onData, points: given.length / size };
}

/** The standard deviation of all numbers, or 1 if they are all the same. */
function spread(values: Float64Array): number {
  const mean = values.reduce((s, v) => s + v, 0) / values.length;
  const variance = values.reduce((s, v) => s + (v - mean) ** 2, 0) / values.length;
  return Math.sqrt(variance) || 1;
}

/** Numbers of Jacobians that are held at once. */
const mostHeld = 4e6;

/** |J(x)|_2 at each point from all rows of J: the root of the greatest eigenvalue of J J^T. */
async function rowNorms(
  model: AuditedModel,
  { back, seed, gradient }: JacobianGraphs,
  points: Float64Array,
  signal: AbortSignal | undefined,
): Promise<Float64Array> {
  const [size, K] = [elementCount(model.inputDims), model.outputs];
  const count = points.length / size;
  const step = Math.max(1, Math.min(model.batch, Math.floor(mostHeld / (K * size))));
  const norms = new Float64Array(count);
  for (let from = 0; from < count; from += step) {
    signal?.throwIfAborted();
    const n = Math.min(step, count - from);
    const inner = points.subarray(from * size, (from + n) * size);
    const x = cast(tensor(inner, { dims: [n, ...model.inputDims] }), model.type);
    const rows: Float64Array[] = [];
    for (let k = 0; k < K; k++) {
      const unit = Float64Array.from({ length: n * K }, (_, i) => (i % K === k ? 1 : 0));
      const seeded = { [model.input]: x, [seed]: cast(tensor(unit, { dims: [n, K] }), model.type) };
      rows.push(Float64Array.from(numbers((await run(back, seeded, model.running))[gradient]!)));
    }
    for (let i = 0; i < n; i++) norms[from + i] = greatestSingular(rows, i * size, size);
  }
  return norms;
}

/** Of the matrix whose rows are pieces of these lists. */
function greatestSingular(rows: readonly Float64Array[], from: number, size: number): number {
  const K = rows.length;
  const gram = new Float64Array(K * K);
  for (let a = 0; a < K; a++)
    for (let b = 0; b <= a; b++) {
      let sum = 0;
      for (let j = from; j < from + size; j++) sum += rows[a]![j]! * rows[b]![j]!;
      gram[a * K + b] = sum;
      gram[b * K + a] = sum;
    }
  return Math.sqrt(Math.max(0, symmetricSpectrum(gram, K).at(-1)!));
}

/** |J(x)|_2 at each point, by power iteration at all of them at once. */
async function jacobianNorms(
  model: AuditedModel,
  { back, forth, seed, gradient }: JacobianGraphs,
  points: Float64Array,
  { random, iterations }: { readonly random: Random; readonly iterations: number },
): Promise<Float64Array> {
  const size = elementCount(model.inputDims);
  const count = points.length / size;
  const norms = new Float64Array(count);
  for (let from = 0; from < count; from += model.batch) {
    const n = Math.min(model.batch, count - from);
    const as = (values: Float64Array, dims: readonly number[]): Tensor =>
      cast(tensor(values, { dims: [n, ...dims] }), model.type);
    const x = as(points.subarray(from * size, (from + n) * size), model.inputDims);
    let u = unitRows(random.normal(n * model.outputs), n).rows;
    let lengths: Float64Array = new Float64Array(n);
    for (let k = 0; k < iterations; k++) {
      const seeded = { [model.input]: x, [seed]: as(u, [model.outputs]) };
      const pulled = unitRows(
        Float64Array.from(numbers((await run(back, seeded, model.running))[gradient]!)),
        n,
      );
      lengths = pulled.lengths; // |J^T u| with |u| = 1: never above the norm
      const pushed = await run(
        forth,
        { ...seeded, [`seed_${gradient}`]: as(pulled.rows, model.inputDims) },
        model.running,
      );
      u = unitRows(Float64Array.from(numbers(Object.values(pushed)[0]!)), n).rows;
    }
    norms.set(lengths, from);
  }
  return norms;
}

/** Each row divided by its length (a row of zeros stays), and the lengths. */
function unitRows(
  values: Float64Array,
  count: number,
): { readonly rows: Float64Array; readonly lengths: Float64Array } {
  const width = values.length / count;
  const lengths = Float64Array.from({ length: count }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < width; j++) sum += values[i * width + j]! ** 2;
    return Math.sqrt(sum);
  });
  return { rows: values.map((v, k) => v / (lengths[Math.floor(k / width)]! || 1)), lengths };
}
