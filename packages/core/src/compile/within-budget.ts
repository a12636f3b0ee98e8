// Methods for all nodes and a scale of the budget with which the certified error is at most eps, or which node is in the way.

import { CompileError } from "../formula/error.ts";
import type { FunctionGraph } from "../formula/nodes.ts";
import { expressionOf } from "../formula/range.ts";
import type { Interval } from "../numbers/interval/index.ts";
import { budgetOf, nodeSensitivities, sharesOf } from "./budget.ts";
import { type ExpandedGraph, expandedGraph } from "./expanded-graph.ts";
import { type MadeNode, makeNodes } from "./made-nodes.ts";
import { methodChooser, roomsFor } from "./methods.ts";
import type { Arithmetic } from "./precision.ts";

/** Inner errors that have no bound at this scale of the budget come from rounding. */
const leastScale = 2 ** -12;

/**
 * The largest scale of the budget for which the certified error is at most eps, nearly. Rounding does not shrink with
 * the budget: where a smaller one brings nothing more, eps cannot be met.
 */
function fitted(
  program: ExpandedGraph,
  L: readonly number[],
  eps: number,
  arithmetic: Arithmetic,
): readonly MadeNode[] {
  const attempt = attempts(program, L, eps, arithmetic);
  // An inner value without bound could be infinite in a run, whatever comes after it.
  const errorOf = (found: readonly MadeNode[]): number =>
    found.every((r) => Number.isFinite(r.runError) && !r.isOutOfRoom)
      ? found[program.output]!.runError
      : Number.POSITIVE_INFINITY;
  let scale = 1;
  let best = attempt(scale);
  while (errorOf(best) > eps) {
    scale /= 2;
    const next = attempt(scale);
    const isBetter = errorOf(next) < errorOf(best) && errorOf(next) <= 0.95 * errorOf(best);
    // Without any bound yet, a smaller budget may still keep the arguments where their functions are approximated.
    const least = errorOf(next) < Number.POSITIVE_INFINITY ? 1 / 8 : leastScale;
    if (errorOf(next) > eps && !isBetter && scale < least)
      throw new CompileError(hindrance(program, best, L, eps));
    if (errorOf(next) <= eps || isBetter) best = next;
  }
  let [low, high] = [scale, scale === 1 ? 4 : 2 * scale];
  for (let step = 0; step < 6; step++) {
    const middle = Math.sqrt(low * high);
    const found = attempt(middle);
    if (errorOf(found) <= eps) [low, best] = [middle, found];
    else high = middle;
  }
  return best;
}

/** The program with its local errors as the budget has them, times a scale. */
function attempts(
  program: ExpandedGraph,
  L: readonly number[],
  eps: number,
  arithmetic: Arithmetic,
): (scale: number) => readonly MadeNode[] {
  const truncated = [...program.polynomials].reduce((sum, [id, p]) => sum + L[id]! * p.truncation, 0);
  const deltas = budgetOf(sharesOf(program, eps), Math.max(eps - truncated, eps / 8));
  return (scale) =>
    makeNodes(program, new Map([...deltas].map(([id, delta]) => [id, delta * scale])), arithmetic);
}

const mostRounds = 4;

/**
 * The program with the cheapest methods. Polynomials hold on a range with some room around it; where the computed argument
 * needs more, exactly those nodes get it, and in the end a spline.
 */
function programFor(
  graph: FunctionGraph,
  ranges: readonly Interval[],
  eps: number,
  arithmetic: Arithmetic,
): ExpandedGraph {
  const plain = expandedGraph(graph, ranges, { monomials: new Set(), expansions: new Map() });
  const choose = methodChooser(plain, budgetOf(sharesOf(plain, eps), eps), arithmetic);
  const rooms = roomsFor(plain, nodeSensitivities(plain, eps), eps);
  for (let round = 0; ; round++) {
    const program = expandedGraph(graph, ranges, choose(rooms));
    const found = attempts(program, nodeSensitivities(program, eps), eps, arithmetic)(1);
    const outside = graph.nodes.flatMap((node, id) =>
      found[id]!.isOutOfRoom ? [[id, node.args[0]!] as const] : [],
    );
    if (outside.length === 0) return program;
    for (const [id, argument] of outside) {
      const { runError } = found[argument]!;
      const { lower, upper } = ranges[argument]!;
      if (round < mostRounds && runError < upper - lower) rooms.set(id, 1.25 * runError);
      else rooms.delete(id);
    }
  }
}

/** Which node keeps the error above eps, and what of the error is rounding if that is the larger part. */
function hindrance(
  program: ExpandedGraph,
  found: readonly MadeNode[],
  L: readonly number[],
  eps: number,
): string {
  const refused = `eps ${eps} cannot be met: `;
  const unbounded = program.order.find((id) => !Number.isFinite(found[id]!.runError));
  if (unbounded !== undefined)
    return `${refused}no bound is known for the error of a run at the node ${expressionOf(program, unbounded)}`;
  const cost = (id: number): number => L[id]! * (found[id]!.plan.localError + found[id]!.plan.rounding);
  const worst = program.order.reduce((most, id) => (cost(id) > cost(most) ? id : most), program.output);
  const { localError, rounding } = found[worst]!.plan;
  const isRounding = rounding > localError;
  const total = found[program.output]!.runError;
  const share = Math.min(total, L[worst]! * (isRounding ? rounding : localError)).toExponential(1);
  const part = isRounding ? `rounding may cost ${share} at` : `${share} may come from`;
  return `${refused}the error stays at ${total.toExponential(1)}; ${part} the node ${expressionOf(program, worst)}`;
}

/** A program whose error is at most eps, and how its output moves with its nodes. */
export interface WithinBudget {
  readonly program: ExpandedGraph;
  readonly L: readonly number[];
  readonly realized: readonly MadeNode[];
}

/** With the methods that seem cheapest; polynomials round more than splines, so where they fail, splines are tried alone. */
export function withinBudget(
  graph: FunctionGraph,
  ranges: readonly Interval[],
  eps: number,
  arithmetic: Arithmetic,
): WithinBudget {
  const attempt = (program: ExpandedGraph): WithinBudget => {
    const L = nodeSensitivities(program, eps);
    return { program, L, realized: fitted(program, L, eps, arithmetic) };
  };
  try {
    return attempt(programFor(graph, ranges, eps, arithmetic));
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    try {
      return attempt(expandedGraph(graph, ranges, { monomials: new Set(), expansions: new Map() }));
    } catch {
      throw error;
    }
  }
}
