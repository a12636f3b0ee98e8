// The error budget: local errors delta_i that need the fewest units, subject to sum_i L_i delta_i <= eps, where L_i
// bounds how much the output moves with node i. Estimates only: what is certified is computed afterwards.

import { univariateFunction } from "../functions/univariate.ts";
import { type Slope, sensitivities } from "../numbers/dataflow.ts";
import { magnitude } from "../numbers/interval/index.ts";
import { type ExpandedGraph, sourcesOf } from "./expanded-graph.ts";
import { splineCost } from "./plan/spline.ts";
import { slopesOf } from "./slopes.ts";

/** How a node's units grow: c delta^(-1/2) for a spline, k log_4(size / delta) for squares and products. */
export type Cost =
  | { readonly kind: "root"; readonly factor: number }
  | { readonly kind: "log"; readonly factor: number };

export interface Share {
  readonly id: number;
  readonly cost: Cost;
  readonly lipschitz: number;
}

/** Bounds on |d output / d node|, in reverse order. */
export function nodeSensitivities(program: ExpandedGraph, eps: number): readonly number[] {
  const { nodes, ranges, order, output, polynomials, serves } = program;
  const own = nodes.map((_, id) => (id === output ? 1 : 0));
  return sensitivities(order, own, (id, L) => {
    const [node, polynomial] = [nodes[id]!, polynomials.get(id)];
    const tolerance = eps / Math.max(L, 1e-300) / 2;
    const slopes = polynomial?.coefficients.map(magnitude) ?? slopesOf(node, ranges, tolerance);
    const read = sourcesOf(program, id).map((source, k): Slope => [source, slopes[k]!]);
    // Servants are counted from the computed argument: their errors do not come from it.
    if (serves.has(id)) return read.filter(([source]) => serves.has(source));
    return polynomial?.on ? [...read, [node.args[0]!, slopesOf(node, ranges, tolerance)[0]!]] : read;
  });
}

/** The nodes that need units for their accuracy. */
export function sharesOf(program: ExpandedGraph, eps: number): readonly Share[] {
  const L = nodeSensitivities(program, eps);
  return program.order.flatMap((id): Share[] => {
    const node = program.nodes[id]!;
    const lipschitz = Math.max(L[id]!, 1e-300);
    if (program.polynomials.has(id)) return [];
    switch (node.op) {
      case "variable":
      case "affine":
      case "abs":
      case "max":
      case "min":
        return [];
      case "square":
        return [{ id, lipschitz, cost: { kind: "log", factor: 1 } }];
      case "product":
        return [{ id, lipschitz, cost: { kind: "log", factor: 2 } }];
      default: {
        const f = univariateFunction(node.op, node.exponent);
        const factor = Math.max(1e-6, splineCost(f, program.ranges[node.args[0]!]!));
        return [{ id, lipschitz, cost: { kind: "root", factor } }];
      }
    }
  });
}

/**
 * In shares s = L delta / eps of the whole, units are C s^(-1/2) with C = c sqrt(L / eps) for splines, and k log_4(1 / s) +
 * const for squares. Lagrange: s = (C / (2 lambda))^(2/3) and s = k / (ln 4 lambda) at the optimum; lambda by bisection.
 * @example [...budgetOf([{ id: 0, lipschitz: 2, cost: { kind: "log", factor: 1 } }], 1).values()] // [0.5]
 */
export function budgetOf(shares: readonly Share[], eps: number): ReadonlyMap<number, number> {
  const part = ({ cost, lipschitz }: Share, lambda: number): number =>
    cost.kind === "root"
      ? ((cost.factor * Math.sqrt(lipschitz / eps)) / (2 * lambda)) ** (2 / 3)
      : cost.factor / (Math.log(4) * lambda);
  const spent = (lambda: number): number => shares.reduce((sum, s) => sum + part(s, lambda), 0);
  let [low, high] = [1e-300, 1e300];
  for (let step = 0; step < 200 && high / low > 1 + 1e-14; step++) {
    const middle = Math.sqrt(low) * Math.sqrt(high);
    if (spent(middle) > 1) low = middle;
    else high = middle;
  }
  return new Map(shares.map((s) => [s.id, (part(s, high) * eps) / s.lipschitz]));
}
