// The constituents of a function graph one by one: of how many variables each is, how smooth and how steep where it is used.

import type { FunctionGraph, FunctionNode } from "../formula/nodes.ts";
import { expressionOf, rangesOf } from "../formula/range.ts";
import type { Interval } from "../numbers/interval/index.ts";
import { slopesOf } from "./slopes.ts";

export interface ConstituentReport {
  readonly expression: string;
  readonly arity: number;
  /** Bounded derivatives, Hölder exponents included: Infinity for analytic ones, 1/2 for a root at 0. */
  readonly smoothness: number;
  /** Bounds sum_k |d_k g| on the ranges of its arguments; Infinity where it is steep. */
  readonly lipschitz: number;
}

function smoothnessOf(node: FunctionNode, ranges: readonly Interval[]): number {
  const [a, b] = node.args.map((k) => ranges[k]!);
  switch (node.op) {
    case "abs":
      return a!.lower >= 0 || a!.upper <= 0 ? Number.POSITIVE_INFINITY : 1;
    case "max":
    case "min":
      return a!.lower >= b!.upper || b!.lower >= a!.upper ? Number.POSITIVE_INFINITY : 1;
    case "sqrt":
      return a!.lower > 0 ? Number.POSITIVE_INFINITY : 1 / 2;
    case "asin":
    case "acos":
      return a!.lower > -1 && a!.upper < 1 ? Number.POSITIVE_INFINITY : 1 / 2;
    case "power":
      return a!.lower > 0 || Number.isInteger(node.exponent) ? Number.POSITIVE_INFINITY : node.exponent!;
    default:
      return Number.POSITIVE_INFINITY;
  }
}

/**
 * All constituents of a function graph on a box, variables left out.
 * @example describeConstituents(functionGraph("sqrt(x) + max(x, y)", ["x", "y"]), [{ lower: 0, upper: 1 }, { lower: 0, upper: 1 }]).map((c) => c.smoothness) // [0.5, 1, Infinity]
 */
export function describeConstituents(
  graph: FunctionGraph,
  box: readonly Interval[],
): readonly ConstituentReport[] {
  const ranges = rangesOf(graph, box);
  return graph.nodes.flatMap((node, id) =>
    node.op === "variable"
      ? []
      : [
          {
            expression: expressionOf(graph, id),
            arity: node.args.length,
            smoothness: smoothnessOf(node, ranges),
            lipschitz: slopesOf(node, ranges, 0).reduce((a, b) => a + b, 0),
          },
        ],
  );
}
