// Which functions are evaluated by a polynomial rather than by a spline: those for which it takes fewer units.

import { isUnivariate, type UnivariateNode } from "../formula/nodes.ts";
import { type Univariate, univariateFunction } from "../functions/univariate.ts";
import { type Interval, magnitude } from "../numbers/interval/index.ts";
import { type ExpandedGraph, type Methods, operationsFor } from "./expanded-graph.ts";
import { candidates, type Expansion, proved } from "./expansion.ts";
import { type Folding, foldings } from "./fold.ts";
import { splineCost } from "./plan/spline.ts";
import { levelsFor } from "./plan/square.ts";
import type { Arithmetic } from "./precision.ts";
import { circuitUnits } from "./servant-circuit.ts";

/** About how many units the squares and products of x^n take, for |x| up to `size`. */
function monomialUnits(n: number, size: number, delta: number): number {
  const { squares, products } = operationsFor(n);
  const levels = levelsFor(delta / ((squares + products) * Math.max(n * size ** n, 1e-300)));
  return (squares + 2 * products) * Math.max(1, levels);
}

/** Splines with fewer units are not worth the depth of a polynomial. */
const fewUnits = 20;
/** A polynomial's own error, as a part of the node's share. */
const truncationShare = 1 / 8;
/** A circuit whose proof fails makes room for the next one. */
const mostProofs = 3;

/** With more functions than these, similar ones share an expansion. */
const fewFunctions = 32;

class Chooser {
  readonly #arithmetic: Arithmetic;
  readonly #isShared: boolean;
  readonly #known = new Map<string, Expansion | undefined>();

  constructor(arithmetic: Arithmetic, isShared: boolean) {
    [this.#arithmetic, this.#isShared] = [arithmetic, isShared];
  }

  splineUnits(f: Univariate, range: Interval, delta: number): number {
    const units = ({ shifts, curve, range: on }: Folding): number =>
      shifts.length + splineCost(curve, on) / Math.sqrt(delta);
    return Math.min(...foldings(f, range, this.#arithmetic).map(units));
  }

  /** Polynomials with a proof that take less than `most` units, for arguments up to `room` outside the range. */
  expansion(
    f: Univariate,
    range: Interval,
    room: number,
    delta: number,
    most: number,
  ): Expansion | undefined {
    const exact = { lower: range.lower - room, upper: range.upper + room };
    const around = this.#isShared ? snapped(exact) : exact;
    const on = isSmooth(f, around) ? around : exact;
    const share = this.#isShared ? 2 ** Math.floor(Math.log2(delta)) : delta;
    const key = [f.name, f.exponent, on.lower, on.upper, share].join(" ");
    if (!this.#known.has(key)) this.#known.set(key, this.#expansion(f, on, share, most));
    return this.#known.get(key);
  }

  #expansion(f: Univariate, on: Interval, delta: number, most: number): Expansion | undefined {
    if (!isSmooth(f, on)) return undefined;
    const target = delta * truncationShare;
    const found = foldings(f, on, this.#arithmetic)
      .filter(({ defect }) => defect < target / 2)
      .flatMap((folding) =>
        candidates(folding, target, this.#arithmetic).map((circuit) => ({
          folding,
          circuit,
          units: folding.shifts.length + circuitUnits(circuit, folding.range, delta, this.#arithmetic),
        })),
      )
      .filter(({ units }) => units < most)
      .sort((a, b) => a.units - b.units);
    for (const { circuit, folding } of found.slice(0, mostProofs)) {
      const expansion = proved(circuit, folding, on, target);
      if (expansion) return expansion;
    }
    return undefined;
  }
}

/** A slightly wider interval with ends on a grid. */
function snapped({ lower, upper }: Interval): Interval {
  const grid = 2 ** (Math.ceil(Math.log2(upper - lower)) - 6);
  return { lower: Math.floor(lower / grid) * grid, upper: Math.ceil(upper / grid) * grid };
}

/** Defined with all derivatives on the interval. */
function isSmooth(f: Univariate, on: Interval): boolean {
  try {
    return f.taylor(on, 2).every(({ lower, upper }) => Number.isFinite(lower) && Number.isFinite(upper));
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const highestMonomial = 64;
const isMonomial = ({ op, exponent = 0 }: UnivariateNode): boolean =>
  op === "power" && Number.isInteger(exponent) && exponent > 2 && exponent <= highestMonomial;

/** How far computed arguments may lie outside of their ranges, by the node that reads them; without an entry, by a spline. */
export type Rooms = ReadonlyMap<number, number>;

/**
 * First guesses: a variable has no error; that of another argument, times the output's sensitivity to it, is at most eps.
 * Wide rooms are expensive, so they are left to those who know the errors.
 */
export function roomsFor(
  { nodes, ranges }: ExpandedGraph,
  L: readonly number[],
  eps: number,
): Map<number, number> {
  const rooms = new Map<number, number>();
  nodes.forEach((node, id) => {
    if (!isUnivariate(node)) return;
    const [argument] = node.args;
    const { lower, upper } = ranges[argument]!;
    const allowed = Math.min((upper - lower) / 16, (1.5 * eps) / Math.max(L[argument]!, 1e-300));
    rooms.set(id, nodes[argument]!.op === "variable" ? 0 : allowed);
  });
  return rooms;
}

/** The cheapest ways to evaluate the nodes of a program at these local errors; one call for a program knows the last one's work. */
export function methodChooser(
  { nodes, ranges }: ExpandedGraph,
  deltas: ReadonlyMap<number, number>,
  arithmetic: Arithmetic,
): (rooms: Rooms) => Methods {
  const chooser = new Chooser(arithmetic, nodes.filter(isUnivariate).length > fewFunctions);
  return (rooms) => {
    const monomials = new Set<number>();
    const expansions = new Map<number, Expansion>();
    for (const [id, delta] of deltas) {
      const node = nodes[id]!;
      if (!isUnivariate(node)) continue;
      const range = ranges[node.args[0]]!;
      const f = univariateFunction(node.op, node.exponent);
      const units = chooser.splineUnits(f, range, delta);
      const size = magnitude(range);
      if (isMonomial(node) && monomialUnits(node.exponent!, size, delta) < units) monomials.add(id);
      else if (units >= fewUnits && rooms.has(id)) {
        const expansion = chooser.expansion(f, range, rooms.get(id)!, delta, units);
        if (expansion) expansions.set(id, expansion);
      }
    }
    return { monomials, expansions };
  };
}
