// Realizes every node in order, and carries ranges and errors forward: what comes out is certified, whatever the budget
// estimated.

import { CompileError } from "../formula/error.ts";
import { type FunctionNode, isUnivariate } from "../formula/nodes.ts";
import { expressionOf } from "../formula/range.ts";
import { type Univariate, univariateFunction } from "../functions/univariate.ts";
import { perturbed, productChange, squareChange, sumChange } from "../numbers/error-propagation.ts";
import { type Interval, magnitude } from "../numbers/interval/index.ts";
import { productUp, sumUp } from "../numbers/rounding.ts";
import { type ExpandedGraph, sourcesOf } from "./expanded-graph.ts";
import { splinePlan } from "./plan/spline.ts";
import { productPlan, squarePlan } from "./plan/square.ts";
import { affinePlan, exactPlan, type Plan, widened } from "./plan.ts";
import type { Arithmetic } from "./precision.ts";

export interface MadeNode {
  readonly plan: Plan;
  /** Bounds |network - exact|, as a real function and in a run. */
  readonly error: number;
  readonly runError: number;
  /** Set where the computed argument may lie outside of what the polynomials are made for: then nothing is proved. */
  readonly isOutOfRoom?: boolean;
}

/** How the errors of the arguments come through a node. */
function carried(
  node: FunctionNode,
  plan: Plan,
  ranges: readonly Interval[],
  errors: readonly number[],
): number {
  const [a, b] = ranges.map((range, k) => perturbed(magnitude(range), errors[k]!));
  const [e, d] = errors;
  switch (plan.kind) {
    case "variable":
      return 0;
    case "affine":
    case "polynomial":
      return sumChange(plan.weights.map((w, k) => [w, errors[k]!]));
    case "exact":
      return node.op === "abs" ? e! : Math.max(e!, d!);
    case "square":
      return squareChange(a!);
    case "product":
      return productChange(a!, b!);
    case "spline":
      return plan.growth(e!);
  }
}

/** The argument of the function that a servant serves: from its computed value on, errors are counted anew. */
const isOutside = ({ serves }: ExpandedGraph, id: number, source: number): boolean =>
  serves.has(id) && !serves.has(source);

/** Ranges of the nodes that a node is computed from; for a servant also those of the computed argument. */
const rangesFor = (program: ExpandedGraph, id: number): readonly Interval[] =>
  sourcesOf(program, id).map((s) =>
    isOutside(program, id, s) ? program.polynomials.get(program.serves.get(id)!)!.on! : program.ranges[s]!,
  );

/** |f(computed argument) - f(exact argument)| for a function by a polynomial; the argument must stay where it holds. */
function growthOf(
  { nodes, ranges, polynomials }: ExpandedGraph,
  id: number,
  found: readonly MadeNode[],
): { readonly error: number; readonly runError: number; readonly isOutOfRoom?: boolean } {
  const node = nodes[id]!;
  const on = polynomials.get(id)?.on;
  if (!on || !isUnivariate(node)) return { error: 0, runError: 0 };
  const { error, runError } = found[node.args[0]]!;
  const computed = widened(ranges[node.args[0]]!, runError);
  const isInside = computed.lower >= on.lower && computed.upper <= on.upper;
  const steepest = steepestOn(univariateFunction(node.op, node.exponent), computed);
  const times = (e: number): number => (e === 0 ? 0 : productUp(steepest, e));
  return { error: times(error), runError: times(runError), ...(isInside ? {} : { isOutOfRoom: true }) };
}

function steepestOn(f: Univariate, on: Interval): number {
  try {
    return magnitude(f.taylor(on, 1)[1]!);
  } catch (error) {
    if (error instanceof RangeError) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

function planOf(
  program: ExpandedGraph,
  id: number,
  runErrors: readonly number[],
  delta: number,
  arithmetic: Arithmetic,
): Plan {
  const node = program.nodes[id]!;
  const exact = rangesFor(program, id);
  const computed = exact.map((range, k) => widened(range, runErrors[k]!));
  const polynomial = program.polynomials.get(id);
  if (polynomial) return affinePlan(polynomial, computed, arithmetic, polynomial.truncation);
  const [a, b] = computed as [Interval, Interval];
  switch (node.op) {
    case "variable":
      return { kind: "variable", units: 0, localError: 0, rounding: 0 };
    case "affine":
      return affinePlan(node, computed, arithmetic);
    case "product":
      return productPlan(a, b, delta, arithmetic);
    case "square":
      return squarePlan(a, delta, arithmetic);
    case "abs":
    case "max":
    case "min":
      return exactPlan(node.op, computed, arithmetic);
    default:
      try {
        return splinePlan(univariateFunction(node.op, node.exponent), exact[0]!, a, delta, arithmetic);
      } catch (error) {
        if (!(error instanceof CompileError)) throw error;
        throw new CompileError(
          `the node ${expressionOf(program, id)} cannot be met to an error of ${delta.toExponential(1)}: ${error.message}`,
        );
      }
  }
}

/** No local error need be greater than what a constant has; where that is 0, than a small part of the value. */
const enoughFor = (range: Interval): number =>
  Math.max((range.upper - range.lower) / 2, magnitude(range) * 2 ** -20, 2 ** -100);

/** Plans and errors of all nodes, for these local errors. */
export function makeNodes(
  program: ExpandedGraph,
  deltas: ReadonlyMap<number, number>,
  arithmetic: Arithmetic,
): readonly MadeNode[] {
  const found: MadeNode[] = [];
  for (const id of program.order) {
    const sources = sourcesOf(program, id);
    const ranges = rangesFor(program, id);
    const errors = sources.map((s) => (isOutside(program, id, s) ? 0 : found[s]!.error));
    const runErrors = sources.map((s) => (isOutside(program, id, s) ? 0 : found[s]!.runError));
    const delta = Math.min(deltas.get(id) ?? 0, enoughFor(program.ranges[id]!));
    const plan = planOf(program, id, runErrors, delta, arithmetic);
    const node = program.nodes[id]!;
    const moved = growthOf(program, id, found);
    found[id] = {
      plan,
      error: sumUp(plan.localError, carried(node, plan, ranges, errors), moved.error),
      runError: sumUp(plan.localError, plan.rounding, carried(node, plan, ranges, runErrors), moved.runError),
      ...(moved.isOutOfRoom ? { isOutOfRoom: true } : {}),
    };
  }
  return found;
}
