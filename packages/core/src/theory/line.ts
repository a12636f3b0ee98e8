// What lemmata on networks of one variable measure and draw.

import { run } from "../engine/run.ts";
import type { Graph } from "../graph/graph.ts";
import { numbers, tensor } from "../graph/tensor.ts";
import { type Exact, toNumber } from "../numbers/exact/rational.ts";
import { linearPieces, type PiecewiseLinear } from "../passes/pieces.ts";

/** The pieces of a function. */
export const pieceCount = (f: PiecewiseLinear): number => f.knots.length - 1;

/** A function as points to draw. */
export const curve = (f: PiecewiseLinear): (readonly [number, number])[] =>
  f.knots.map((t, k) => [toNumber(t), toNumber(f.values[k]!)] as const);

/** A network on [0, 1] as points to draw. */
export const unitCurve = (network: Graph): (readonly [number, number])[] =>
  curve(linearPieces(network, 0, 1));

/** k / count for k = 0, ..., count. */
export const grid = (count: number): number[] => Array.from({ length: count + 1 }, (_, k) => k / count);

/** The outputs of a network with one input, on ONNX Runtime. */
export async function valuesAt(network: Graph, points: readonly number[]): Promise<number[]> {
  const { y } = await run(network, { x: tensor(points, { dims: [points.length, 1] }) });
  return Array.from(numbers(y!));
}

/** The greatest |network(x) - f(x)| at these points, on ONNX Runtime. */
export async function greatestError(
  network: Graph,
  points: readonly number[],
  f: (x: number) => number,
): Promise<number> {
  const values = await valuesAt(network, points);
  return points.reduce((worst, x, k) => Math.max(worst, Math.abs(values[k]! - f(x))), 0);
}

/** The triangle map, and x -> x - floor(x). */
export const triangleOf = (x: number): number => (x < 0 || x > 1 ? 0 : x < 1 / 2 ? 2 * x : 2 - 2 * x);
export const fractionalPart = (x: number): number => x - Math.floor(x);

/** The greatest size of the slopes. */
export const steepest = (slopes: readonly Exact[]): number =>
  slopes.reduce<number>((worst, s) => Math.max(worst, Math.abs(toNumber(s))), 0);
