// What the grid knows of the function: Taylor polynomials at its nodes, and how far they are off on each support.
import type { FunctionGraph } from "../../formula/nodes.ts";
import type { Interval } from "../../numbers/interval/index.ts";
import * as I from "../../numbers/interval/index.ts";
import { axisOf, type GridAxis, type GridSide } from "./axis.ts";
import { jetOnBox } from "./jet.ts";
import { type MultiIndex, multiIndices } from "./multi-index.ts";

export interface TaylorData {
  readonly axes: readonly GridAxis[];
  /** The polynomials have degree order - 1. */
  readonly order: number;
  readonly indices: readonly MultiIndex[];
  readonly nodes: number;
  /** By node, then by multi-index: coefficients in the local coordinates y = scale (x - node). */
  readonly coefficients: Float64Array;
  /** |f - sum_m phi_m P_m| is at most this on the box, rounded coefficients included. */
  readonly error: number;
}

/** The nodes of a grid as tuples, the last axis first to change. */
export function* nodeTuples(axes: readonly GridAxis[]): Iterable<readonly number[]> {
  const tuple = axes.map(() => 0);
  for (;;) {
    yield [...tuple];
    let k = axes.length - 1;
    while (k >= 0 && tuple[k] === axes[k]!.cells) tuple[k--] = 0;
    if (k < 0) return;
    tuple[k]!++;
  }
}

const powerOf = (x: Interval, n: number): Interval => (n === 0 ? I.point(1) : I.pow(x, I.point(n)));

/** Slices of a ramp on which the mean of the distances is bounded. */
const slices = 256;

/**
 * rho with sum_m psi_m(x) |x - v_m|^n <= rho^n: on a ramp, where the bumps are 1 - t and t, the distances are at most
 * p + t L and p + (1 - t) L, for the half plateau p and the ramp's length L. About h/2, not the support's radius 2h/3.
 */
export function meanRadius({ nodes, supports, slope }: GridAxis, n: number): number {
  const length = I.divUp(1, slope);
  const plateau = supports.reduce((most, { lower, upper }, m) => {
    const right = m + 1 < nodes.length ? I.addUp(I.addUp(upper, -nodes[m]!), -I.divDown(1, slope)) : 0;
    const left = m > 0 ? I.addUp(I.addUp(nodes[m]!, -lower), -I.divDown(1, slope)) : 0;
    return Math.max(most, right, left);
  }, 0);
  const power = (t: number): number => (plateau + t * length) ** n;
  let most = 0;
  for (let k = 0; k < slices; k++) {
    const [a, b] = [k / slices, (k + 1) / slices];
    most = Math.max(most, (1 - a) * power(b) + b * power(1 - a));
  }
  return most ** (1 / n) * (1 + 2 ** -40);
}

/**
 * |f - sum_m phi_m P_m| on a cell is at most sum_{|alpha|=n} sup |D^alpha f / alpha!| rho^alpha, by Lagrange's rest at each
 * corner and Hoelder's inequality: the weights phi_m of the corners have the bumps as their marginals.
 */
function restOnCell(
  graph: FunctionGraph,
  cell: readonly Interval[],
  order: number,
  radii: readonly number[],
): number {
  const { all, degrees } = multiIndices(cell.length, order);
  const jet = jetOnBox(graph, cell, order);
  let rest = 0;
  for (const [place, alpha] of all.entries()) {
    if (degrees[place] !== order) continue;
    let term = I.magnitude(jet[place]!);
    for (const [k, n] of alpha.entries()) for (let i = 0; i < n; i++) term = I.mulUp(term, radii[k]!);
    rest = I.addUp(rest, term);
  }
  return rest;
}

/** Coefficients on a grid fine enough for the error, coarse enough that their sums are exact. */
function localCoefficients(
  jet: readonly Interval[],
  indices: readonly MultiIndex[],
  axes: readonly GridAxis[],
): { readonly values: readonly number[]; readonly error: number } {
  const exact = indices.map((alpha, k) =>
    alpha.reduce((c, n, j) => I.div(c, powerOf(I.point(axes[j]!.scale), n)), jet[k]!),
  );
  const size = exact.reduce((sum, c) => sum + I.magnitude(c), 0);
  const unit = size > 0 ? 2 ** (Math.ceil(Math.log2(size)) - 46) : 1;
  let error = 0;
  const values = exact.map((c) => {
    const near = Math.round((c.lower / 2 + c.upper / 2) / unit) * unit || 0;
    error = I.addUp(error, I.magnitude(I.sub(c, I.point(near))));
    return near;
  });
  return { values, error };
}

/** The greatest rest of all cells of a grid. */
export function greatestRest(graph: FunctionGraph, axes: readonly GridAxis[], order: number): number {
  const radii = axes.map((axis) => meanRadius(axis, order));
  let most = 0;
  for (const tuple of nodeTuples(axes)) {
    if (tuple.some((m, k) => m === axes[k]!.cells)) continue;
    const cell = tuple.map((m, k): Interval => {
      const { nodes, cells, lower, upper } = axes[k]!;
      return { lower: m === 0 ? lower : nodes[m]!, upper: m + 1 === cells ? upper : nodes[m + 1]! };
    });
    most = Math.max(most, restOnCell(graph, cell, order, radii));
  }
  return most;
}

/** Taylor polynomials of degree order - 1 at all nodes of a grid of `cells` cells a side. */
export function taylorData(
  graph: FunctionGraph,
  box: readonly GridSide[],
  order: number,
  cells: number,
): TaylorData {
  const axes = box.map((side) => axisOf(side, cells));
  const rest = greatestRest(graph, axes, order);
  const { all: indices } = multiIndices(box.length, order - 1);
  const nodes = (cells + 1) ** box.length;
  const coefficients = new Float64Array(nodes * indices.length);
  let [place, rounding] = [0, 0];
  for (const tuple of nodeTuples(axes)) {
    const node = tuple.map((m, k) => I.point(axes[k]!.nodes[m]!));
    const { values, error } = localCoefficients(jetOnBox(graph, node, order - 1), indices, axes);
    coefficients.set(values, place++ * indices.length);
    rounding = Math.max(rounding, error);
  }
  return { axes, order, indices, nodes, coefficients, error: I.addUp(rest, rounding) };
}
