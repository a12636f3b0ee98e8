// What is seen when the network runs: the greatest difference to the formula at many points of the box.

import { run } from "../engine/run.ts";
import { evaluateFormula } from "../formula/evaluate.ts";
import { parseFormula } from "../formula/formula.ts";
import type { Graph } from "../graph/graph.ts";
import { numbers, type Tensor } from "../graph/tensor.ts";
import { createRandom } from "../numbers/random.ts";
import type { BoxSide } from "./compile.ts";
import type { Dtype } from "./precision.ts";

export interface SampleOptions {
  readonly points?: number;
  readonly seed?: number | string;
  readonly dtype?: Dtype;
  readonly onProgress?: (fraction: number) => void;
}

/** Numbers in one value of the network, at most, while it runs. */
const largestBatch = 4_000_000;

/** Points to look at: 10^5, fewer where all units at all of them, or all nodes of the formula, would take long. */
export const pointsFor = (units: number, nodes: number): number =>
  Math.max(500, Math.min(100_000, Math.floor(mostWork / (units + 8 * nodes + 1))));
/** Units times points that run in less than a second. */
const mostWork = 1e8;

/** The widest value per example decides how many examples run at once. */
export const batchFor = (units: number, variables: number): number =>
  Math.max(16, Math.min(8192, Math.floor(largestBatch / Math.max(units, variables, 1))));

/** Points of the box: its corners as far as there are few, then uniformly drawn ones, in the network's type. */
function pointsOf(
  box: readonly BoxSide[],
  count: number,
  seed: number | string,
  dtype: Dtype,
): Float64Array[] {
  const random = createRandom(`compile/${seed}`);
  const corners = box.length <= 10 ? 2 ** box.length : 0;
  return box.map(({ lower, upper }, k) => {
    const column = random.uniform(count);
    for (let i = 0; i < count; i++) {
      const share = i < corners ? (i >> k) & 1 : column[i]!;
      const x = share === 1 ? upper : lower + (upper - lower) * share;
      column[i] = dtype === "f32" ? insideF32(x, lower, upper) : x;
    }
    return Float64Array.from(column);
  });
}

/** The nearest number of f32, or its neighbour inside the interval. */
function insideF32(x: number, lower: number, upper: number): number {
  const y = Math.fround(x);
  if (y > upper) return Math.fround(y - Math.abs(y) * 2 ** -23);
  return y < lower ? Math.fround(y + Math.abs(y) * 2 ** -23) : y;
}

/** The greatest |network - formula| over points of the box, by a run in ONNX Runtime: sampled, no proof. */
export async function sampledError(
  network: Graph,
  formula: string,
  box: readonly BoxSide[],
  units: number,
  { points = 100_000, seed = 1, dtype = "f64", onProgress }: SampleOptions = {},
): Promise<number> {
  const expression = parseFormula(formula);
  const free = box.some((side) => side.upper > side.lower);
  const count = free ? points : 1;
  const columns = pointsOf(box, count, seed, dtype);
  const batch = batchFor(units, box.length);
  let most = 0;
  for (let start = 0; start < count; start += batch) {
    const size = Math.min(batch, count - start);
    const parts = columns.map((column) => column.subarray(start, start + size));
    const exact = evaluateFormula(expression, new Map(box.map((side, k) => [side.name, parts[k]!])));
    const { y } = await run(network, { x: rows(parts, size, dtype) });
    numbers(y!).forEach((value, i) => {
      const gap = Math.abs(value - (exact[box.length === 0 ? 0 : i] ?? Number.NaN));
      most = gap > most || Number.isNaN(gap) ? gap : most;
    });
    onProgress?.((start + size) / count);
  }
  return most;
}

/** Points as the rows of an input. */
export function rows(columns: readonly Float64Array[], size: number, dtype: Dtype): Tensor {
  const data =
    dtype === "f32" ? new Float32Array(size * columns.length) : new Float64Array(size * columns.length);
  columns.forEach((column, k) => {
    for (let i = 0; i < size; i++) data[i * columns.length + k] = column[i]!;
  });
  return { type: dtype === "f32" ? "float32" : "float64", dims: [size, columns.length], data };
}
