// Pruning of networks with one hidden layer, with certificates: exact on data by Caratheodory, and to any number of
// units by averages of few (Proposition 1.29). Inner weights stay as they are.
import { ConstructError } from "../../functions/error.ts";
import type { Graph } from "../../graph/graph.ts";
import { type Matrix, pivotedQr, qrSolve } from "../../linear-algebra/index.ts";
import { createRandom } from "../../numbers/random.ts";
import { greatestSize, missesOf } from "../interpolation/misses.ts";
import { reduceCombination } from "./caratheodory.ts";
import { combinationSizes, greedyAverage, sampleAverage } from "./combination.ts";
import { type TwoLayer, twoLayerOf, unitValues, unitVectors, withUnits } from "./units.ts";

export interface ExactlyPruned {
  readonly network: Graph;
  /** Units of the given network that are left. */
  readonly kept: Int32Array;
  /** The rank of the units on the data: never more units than this. */
  readonly rank: number;
  /** sum_i |v_i| (1-norms, over the outputs), before and after: no greater after. */
  readonly mass: { readonly before: number; readonly after: number };
  /** The greatest |pruned(x) - network(x)| on the data, on ONNX Runtime. */
  readonly residual: number;
}

/**
 * A network with the same values on the data (rows) and at most as many units as there are numbers to keep.
 * @example (await pruneOnData(randomNetwork(createRandom(1), [2, 60, 1]), matrixOfRows([[0, 1], [1, 0]]))).kept.length <= 2 // true
 */
export async function pruneOnData(source: Graph, points: Matrix): Promise<ExactlyPruned> {
  const units = twoLayerOf(source);
  const { columns: k, entries } = units.outer;
  const sizes = outerSizes(units);
  const vectors = unitVectors(units, await unitValues(units, points), sizes);
  const { weights, rank } = await reduceCombination(vectors, sizes);
  const kept = Int32Array.from([...weights.keys()].filter((i) => weights[i]! > 0));
  const outer = new Float64Array(kept.length * k);
  kept.forEach((i, j) => {
    for (let c = 0; c < k; c++) outer[j * k + c] = entries[i * k + c]! * (weights[i]! / sizes[i]!);
  });
  const pruned = withUnits(units, kept, outer);
  const total = (of: Float64Array): number => of.reduce((sum, v) => sum + Math.abs(v), 0);
  return {
    network: pruned,
    kept,
    rank,
    mass: { before: total(entries), after: total(outer) },
    residual: greatestSize((await missesOf(pruned, points, await outputsOf(source, points, k))).entries),
  };
}

/** |v_i|_1. */
function outerSizes({ outer: { rows, columns, entries } }: TwoLayer): Float64Array {
  return Float64Array.from({ length: rows }, (_, i) => {
    let sum = 0;
    for (let c = 0; c < columns; c++) sum += Math.abs(entries[i * columns + c]!);
    return sum;
  });
}

/** The network's values, a row a point. */
async function outputsOf(source: Graph, points: Matrix, k: number): Promise<Matrix> {
  const zero: Matrix = { rows: points.rows, columns: k, entries: new Float64Array(points.rows * k) };
  const misses = await missesOf(source, points, zero);
  return { ...misses, entries: misses.entries.map((v) => -v) };
}

export interface PruneOptions {
  /** Averages of so many units; default: a hundredth of them. */
  readonly units?: number;
  /** Greedy, or drawn by weight; default greedy. */
  readonly method?: "greedy" | "sample";
  /**
   * How atoms are scaled. "balanced": all have the same norm on the data, which gives the least bound; "output": as in
   * the proposition, by the output weights alone.
   */
  readonly atoms?: "balanced" | "output";
  readonly seed?: number | string;
}

/** A network with few units, and how far it is from the given one in the mean square over the data. */
export interface FewUnits {
  readonly network: Graph;
  /** Units of the given network that are left; at most as many as asked for, since some count several times. */
  readonly kept: Int32Array;
  /** The root mean square of pruned - network over the data. */
  readonly error: number;
  /** ((max |f_i|^2 - |g|^2) / k)^(1/2): no greedy average has a greater error; for a drawn one, the root of the mean square. */
  readonly bound: number;
  /** The root mean square of the network itself, less its output bias: a bound above it says nothing. */
  readonly size: number;
  /** The same units with output weights by least squares: not worse on the data. */
  readonly refit: { readonly network: Graph; readonly error: number };
}

/**
 * An average of few of the units of a network: error at most C / k^(1/2) in the mean square over the data (rows).
 * @example (await pruneToFew(randomNetwork(createRandom(1), [2, 400, 1]), matrixOfRows([[0, 1], [1, 0]]))).kept.length <= 4 // true
 */
export async function pruneToFew(
  source: Graph,
  points: Matrix,
  { units: asked, method = "greedy", atoms: scaling = "balanced", seed = 0 }: PruneOptions = {},
): Promise<FewUnits> {
  const units = twoLayerOf(source);
  const n = units.biases.length;
  const count = asked ?? Math.floor(n / 100);
  if (!(Number.isSafeInteger(count) && count >= 1))
    throw new ConstructError(`${asked ?? "a hundredth of"} ${n} units: at least one unit must stay`);
  const values = await unitValues(units, points);
  const outer = outerSizes(units);
  const combination = convexCombination(
    units,
    values,
    scaling === "balanced" ? normsOf(values, outer) : outer,
  );
  if (!combination) throw new ConstructError("all units are zero on the data: there is nothing to prune");
  const sizes = combinationSizes(combination);
  const average =
    method === "greedy"
      ? greedyAverage(combination, count)
      : sampleAverage(combination, count, createRandom(seed));
  const kept = Int32Array.from([...average.counts.keys()].filter((i) => average.counts[i]! > 0));
  const k = units.bias.length;
  const weights = Float64Array.from({ length: kept.length * k }, (_, e) => {
    const i = kept[Math.floor(e / k)]!;
    // (times taken / count) f_i with f_i = v_i rho_i / p_i.
    return (
      (units.outer.entries[i * k + (e % k)]! * average.counts[i]!) / count / combination.probabilities[i]!
    );
  });
  const wanted = await outputsOf(source, points, k);
  const pruned = withUnits(units, kept, weights);
  const error = await rootMeanSquare(pruned, points, wanted);
  return {
    network: pruned,
    kept,
    error,
    bound: sizes.constant / Math.sqrt(count),
    size: Math.hypot(...sizes.target),
    refit: await refitted(units, { kept, values, points, wanted, otherwise: { network: pruned, error } }),
  };
}

/** |v_i|_1 times the root mean square of unit i on the data. */
function normsOf({ columns, entries }: Matrix, outer: Float64Array): Float64Array {
  return outer.map((v, i) => {
    let sum = 0;
    for (let p = 0; p < columns; p++) sum += entries[i * columns + p]! ** 2;
    return v * Math.sqrt(sum / columns);
  });
}

/** g = sum_i p_i f_i, p_i in proportion to these sizes, f_i = v_i rho_i / p_i in L^2 of the data. */
function convexCombination(units: TwoLayer, values: Matrix, sizes: Float64Array) {
  const total = sizes.reduce((sum, s) => sum + s, 0);
  if (total === 0) return undefined;
  const probabilities = sizes.map((s) => s / total);
  const root = Math.sqrt(values.columns);
  const atoms = unitVectors(
    units,
    values,
    probabilities.map((p) => p * root),
  );
  return { atoms, probabilities };
}

async function rootMeanSquare(pruned: Graph, points: Matrix, wanted: Matrix): Promise<number> {
  const { entries } = await missesOf(pruned, points, wanted);
  return Math.sqrt(entries.reduce((sum, v) => sum + v * v, 0) / points.rows);
}

interface Refit {
  readonly kept: Int32Array;
  readonly values: Matrix;
  readonly points: Matrix;
  readonly wanted: Matrix;
  readonly otherwise: { readonly network: Graph; readonly error: number };
}

/** Least squares in the kept units; where rounding spoils it, the average stays. */
async function refitted(
  units: TwoLayer,
  { kept, values, points, wanted, otherwise }: Refit,
): Promise<FewUnits["refit"]> {
  const [m, k] = [points.rows, units.bias.length];
  const design = Float64Array.from(
    { length: m * kept.length },
    (_, e) => values.entries[kept[e % kept.length]! * m + Math.floor(e / kept.length)]!,
  );
  const qr = pivotedQr({ rows: m, columns: kept.length, entries: design });
  const outer = new Float64Array(kept.length * k);
  for (let c = 0; c < k; c++) {
    const right = Float64Array.from({ length: m }, (_, p) => wanted.entries[p * k + c]! - units.bias[c]!);
    qrSolve(qr, right).forEach((v, j) => {
      outer[j * k + c] = v;
    });
  }
  const network = withUnits(units, kept, outer);
  const error = await rootMeanSquare(network, points, wanted);
  return error <= otherwise.error ? { network, error } : otherwise;
}
