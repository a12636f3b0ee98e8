// Lower bounds on a Lipschitz constant: norms of Jacobians at points, first at examples, then uphill from the best.
import type { Random } from "../../engine/random.ts";
import { run } from "../../engine/run.ts";
import type { Graph } from "../../graph/graph.ts";
import { cast, elementCount, numbers, type Tensor, tensor } from "../../graph/tensor.ts";
import { derivatives } from "../../passes/gradient.ts";
import type { AuditedModel } from "./audited-model.ts";
import { batchRows } from "./predictions.ts";

export interface SteepestPoint {
  /** The greatest norm |J(x)|_2 that was found; a lower bound on the Lipschitz constant, but for rounding. */
  readonly value: number;
  /** The greatest among the given points, before the search went on from there. */
  readonly onData: number;
  readonly point: Float64Array;
}

export interface SteepestOptions {
  readonly random: Random;
  /** Points to look at. */
  readonly points?: number;
  /** Power iterations for the norm of a Jacobian. */
  readonly iterations?: number;
  /** Rounds of random steps from the best point. */
  readonly rounds?: number;
  readonly signal?: AbortSignal;
}

/** Points that are looked at closely after a first look at all, and power iterations of a first look. */
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
  const given = x
    ? rowsAsNumbers(batchRows(x, 0, Math.min(points, x.dims[0]!)))
    : random.normal(points * size);
  const pointOf = (all: Float64Array, k: number): Float64Array => all.subarray(k * size, (k + 1) * size);
  const normsAt = (at: Float64Array, times: number): Promise<Float64Array> => {
    signal?.throwIfAborted();
    return jacobianNorms(model, graphs, at, { random, iterations: times });
  };
  let best = { value: 0, point: given.slice(0, size) };
  /** A first look at all the points, then a closer one at the best. */
  const look = async (at: Float64Array, closer: number): Promise<boolean> => {
    const first = await normsAt(at, glance);
    const top = Array.from(first.keys())
      .sort((a, b) => first[b]! - first[a]!)
      .slice(0, closer);
    const chosen = new Float64Array(top.length * size);
    top.forEach((k, place) => {
      chosen.set(pointOf(at, k), place * size);
    });
    const norms = await normsAt(chosen, iterations);
    const k = norms.reduce((most, v, i) => (v > norms[most]! ? i : most), 0);
    if (!(norms[k]! > best.value)) return false;
    best = { value: norms[k]!, point: pointOf(chosen, k).slice() };
    return true;
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
  return { ...best, onData };
}

const rowsAsNumbers = (x: Tensor): Float64Array => Float64Array.from(numbers(x));

/** The standard deviation of all numbers, or 1 if they are all the same. */
function spread(values: Float64Array): number {
  const mean = values.reduce((s, v) => s + v, 0) / values.length;
  const variance = values.reduce((s, v) => s + (v - mean) ** 2, 0) / values.length;
  return Math.sqrt(variance) || 1;
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
    for (let k = 0; k < (model.outputs === 1 ? 1 : iterations); k++) {
      const seeded = { [model.input]: x, [seed]: as(u, [model.outputs]) };
      const pulled = unitRows(
        Float64Array.from(numbers((await run(back, seeded, model.running))[gradient]!)),
        n,
      );
      lengths = pulled.lengths; // |J^T u| with |u| = 1: never above the norm
      if (model.outputs === 1) break;
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
