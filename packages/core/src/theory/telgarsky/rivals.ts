// Networks with few layers that come as near to a sawtooth as they can: they fold with their first layers, and follow
// what is left from the left with the last one.

import type { Series } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { compose } from "../../networks/calculus/calculus.ts";
import { sawtooth, sawtoothSpline, zigzag } from "../../networks/triangle/triangle.ts";
import { type Exact, toNumber } from "../../numbers/exact/rational.ts";
import { l1Distance } from "../../passes/distance.ts";
import { pieceLimit, sawtoothDistanceBound } from "../../passes/piece-bounds.ts";
import { linearPieces, type PiecewiseLinear } from "../../passes/pieces.ts";
import { grid } from "../line.ts";

interface Plan {
  /** Zigzags with 2^a teeth, a unit each, in the first layers. */
  readonly folds: readonly number[];
  /** Pieces of the last layer, which has one unit less, or as many when it finishes the sawtooth. */
  readonly pieces: number;
  readonly isComplete: boolean;
  readonly error: number;
}

/** All ways to give at most `layers` layers folds of at least one level, with at most `levels` in all. */
function foldings(layers: number, levels: number): number[][] {
  if (layers === 0) return [[]];
  const first = Array.from({ length: Math.max(0, levels) }, (_, k) => k + 1);
  return [[], ...first.flatMap((a) => foldings(layers - 1, levels - a).map((rest) => [a, ...rest]))];
}

function plan(levels: number, folds: readonly number[], units: number): Plan | undefined {
  const spare = units - folds.reduce((all, a) => all + 2 ** a, 0);
  const left = levels - folds.reduce((all, a) => all + a, 0);
  if (spare < 0) return undefined;
  if (spare >= 2 ** left) return { folds, pieces: 2 ** left, isComplete: true, error: 0 };
  const pieces = Math.min(spare + 1, 2 ** left);
  return {
    folds,
    pieces,
    isComplete: false,
    error: pieces === 1 ? 1 / 4 : (1 - (pieces - 1.5) / 2 ** left) / 4,
  };
}

/** The best of them for the sawtooth with 2^levels pieces: at most `depth` hidden layers and `units` units. */
export function sawtoothRival(levels: number, depth: number, units: number): Graph {
  const plans = foldings(depth - 1, levels - 1).flatMap((folds) => plan(levels, folds, units) ?? []);
  const best = plans.reduce((a, b) => (b.error < a.error ? b : a));
  const left = levels - best.folds.reduce((all, a) => all + a, 0);
  const last = best.isComplete ? zigzag(2 ** left) : sawtoothSpline(left, best.pieces);
  return best.folds.length === 0 ? last : compose(last, sawtooth(best.folds.map((a) => 2 ** a)));
}

/** The sawtooth with 2^levels pieces by its values k mod 2 at k / 2^levels. */
const sawtoothPieces = (levels: number): PiecewiseLinear => {
  const knots = grid(2 ** levels);
  return { knots, values: knots.map((_, k) => k % 2) };
};

/** The L1 distance of a network from the sawtooth with 2^levels pieces, rounded up. */
export const distanceToSawtooth = (levels: number, network: Graph): Exact =>
  l1Distance(sawtoothPieces(levels), linearPieces(network, 0, 1)).upper;

/** The units with which this many layers of zigzags make the whole sawtooth: the levels shared out evenly. */
export function leastComplete(levels: number, depth: number): number {
  const layers = Math.min(depth, levels);
  return Array.from({ length: layers }, (_, l) => 2 ** Math.floor((levels + l) / layers)).reduce(
    (a, b) => a + b,
    0,
  );
}

/** L1 errors built with so many hidden layers against their units, and the bound below them. */
export function separationSeries(levels: number, depth: number): Series[] {
  const complete = leastComplete(levels, depth);
  const spaced = Array.from({ length: 4 * levels + 1 }, (_, k) => Math.round(2 ** (k / 4)));
  const units = [...new Set([...spaced.filter((u) => u < complete), complete - 1, complete])].sort(
    (a, b) => a - b,
  );
  const layers = `${depth} hidden layer${depth === 1 ? "" : "s"}`;
  return [
    {
      name: `${layers}, built: exact with ${complete} units`,
      mark: "line",
      points: units.map((u) => [u, toNumber(distanceToSawtooth(levels, sawtoothRival(levels, depth, u)))]),
    },
    {
      name: `${layers}, lower bound`,
      mark: "line",
      role: "theory",
      points: grid(200).map((t) => {
        const u = 2 ** (levels * t);
        return [u, Math.max(0, toNumber(sawtoothDistanceBound(levels, pieceLimit(u, depth))))];
      }),
    },
  ];
}
