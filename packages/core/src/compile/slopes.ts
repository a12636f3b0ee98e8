// How steep a node is in what it reads.

import type { FunctionNode } from "../formula/nodes.ts";
import { univariateFunction } from "../functions/univariate.ts";
import { type Interval, magnitude } from "../numbers/interval/index.ts";

/** |d node / d arg_k| on the ranges; a steep function has the slope over the distance that `tolerance` allows (0: its own). */
export function slopesOf(
  node: FunctionNode,
  ranges: readonly Interval[],
  tolerance: number,
): readonly number[] {
  const [a, b] = node.args.map((k) => ranges[k]!);
  switch (node.op) {
    case "variable":
      return [];
    case "affine":
      return node.coefficients.map(magnitude);
    case "product":
      return [magnitude(b!), magnitude(a!)];
    case "square":
      return [2 * magnitude(a!)];
    case "abs":
    case "max":
    case "min":
      return node.args.map(() => 1);
    default: {
      const f = univariateFunction(node.op, node.exponent);
      const slope = magnitude(f.taylor(a!, 1)[1]!);
      const isEased = f.isSteep && tolerance > 0;
      return [isEased ? Math.min(slope, tolerance / distanceFor(f.value, a!, tolerance)) : slope];
    }
  }
}

/** The distance over which a steep function changes by `tolerance` at an end of its range. */
function distanceFor(f: (x: number) => number, { lower, upper }: Interval, tolerance: number): number {
  const most = (e: number): number =>
    Math.max(
      Math.abs(f(Math.min(upper, lower + e)) - f(lower)),
      Math.abs(f(upper) - f(Math.max(lower, upper - e))),
    );
  let distance = upper - lower;
  while (most(distance) > tolerance && distance > 1e-300) distance /= 2;
  return distance;
}
