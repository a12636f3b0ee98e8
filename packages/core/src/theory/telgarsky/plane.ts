// What the lemmata on products measure and draw: networks of several variables on lines and at points.

import { run } from "../../engine/run.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { affine, compose } from "../../networks/calculus/calculus.ts";
import { abs, type Exact, max, mul, sub, toNumber } from "../../numbers/exact/rational.ts";
import { linearPieces, type PiecewiseLinear } from "../../passes/pieces.ts";

export type Point = readonly number[];

/** t -> network(t * direction + base) on [from, to], exactly. */
export function slice(
  network: Graph,
  direction: Point,
  base: Point,
  from: number,
  to: number,
): PiecewiseLinear {
  const line = affine(
    direction.map((d) => [d]),
    base,
  );
  return linearPieces(compose(network, line), from, to);
}

/** sup |f|, exactly. */
export const supOf = ({ values }: PiecewiseLinear): Exact =>
  values.reduce<Exact>((most, value) => max(most, abs(value)), 0);

/** f - g at some points in every piece, to draw. */
export function gapCurve(
  f: PiecewiseLinear,
  g: (t: number) => number,
  inside = 8,
): (readonly [number, number])[] {
  const [knots, values] = [f.knots.map(toNumber), f.values.map(toNumber)];
  return knots.slice(1).flatMap((end, k) =>
    Array.from({ length: inside + 1 }, (_, j) => {
      const share = j / inside;
      const t = knots[k]! + share * (end - knots[k]!);
      return [t, values[k]! + share * (values[k + 1]! - values[k]!) - g(t)] as const;
    }),
  );
}

/** The outputs of a network at points, on ONNX Runtime. */
export async function valuesAt(network: Graph, points: readonly Point[]): Promise<Float64Array> {
  const dims = [points.length, points[0]!.length];
  const { y } = await run(network, { x: tensor(Float64Array.from(points.flat()), { dims }) });
  return numbers(y!) as Float64Array;
}

/** The greatest |network - f| at points, on ONNX Runtime. */
export async function greatestError(
  network: Graph,
  points: readonly Point[],
  f: (x: Point) => number,
): Promise<number> {
  const values = await valuesAt(network, points);
  return points.reduce((worst, x, k) => Math.max(worst, Math.abs(values[k]! - f(x))), 0);
}

/** The greatest |network - f| at points, on ONNX Runtime, against exact values: f is not rounded. */
export async function greatestErrorExactly(
  network: Graph,
  points: readonly Point[],
  f: (x: Point) => Exact,
): Promise<Exact> {
  const values = await valuesAt(network, points);
  return points.map((x, k) => abs(sub(values[k]!, f(x)))).reduce(max, 0);
}

/** All points of a square whose coordinates are from + k step. */
export function lattice(from: number, to: number, count: number): Point[] {
  const side = Array.from({ length: count + 1 }, (_, k) => from + ((to - from) * k) / count);
  return side.flatMap((x) => side.map((y) => [x, y]));
}

export const productOfPoint = (x: Point): number => x.reduce((p, c) => p * c, 1);
export const exactProductOfPoint = (x: Point): Exact => x.reduce<Exact>(mul, 1);
