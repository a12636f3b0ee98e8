// Smooth functions that the lemmata on local polynomials try, with values in [0, 1], and what they need to know of them.
import { geometricSizes } from "../../approximate/rates/sizes.ts";
import { axisOf } from "../../approximate/sobolev/axis.ts";
import { jetOnBox } from "../../approximate/sobolev/jet.ts";
import { multiIndices } from "../../approximate/sobolev/multi-index.ts";
import { greatestRest } from "../../approximate/sobolev/taylor-data.ts";
import { evaluateFormula } from "../../formula/evaluate.ts";
import { parseFormula } from "../../formula/formula.ts";
import { functionGraph } from "../../formula/function-graph.ts";
import type { FunctionGraph } from "../../formula/nodes.ts";
import type { Graph } from "../../graph/graph.ts";
import { factorial } from "../../numbers/factorial.ts";
import * as I from "../../numbers/interval/index.ts";
import type { Random } from "../../numbers/random.ts";
import { type Point, valuesAt } from "./plane.ts";

export const smoothNames = ["wave", "bell", "logistic", "quotient"] as const;
export type SmoothName = (typeof smoothNames)[number];

const join = (d: number, of: (x: string, k: number) => string): string =>
  Array.from({ length: d }, (_, k) => of(`x${k + 1}`, k)).join(" + ");

/** Formulas in x1, ..., xd with values in [0, 1] on the unit cube; `a` makes them steeper. */
export const smoothFormula: Readonly<Record<SmoothName, (d: number, a: number) => string>> = {
  wave: (d, a) => `(sin(${a} * (${join(d, (x) => x)})) + 1) / 2`,
  bell: (d, a) => `exp(-${a} * (${join(d, (x, k) => `(${x} - ${(0.3 + 0.2 * k).toFixed(1)})^2`)}))`,
  logistic: (d, a) => `sigmoid(${a} * (${join(d, (x, k) => `${k % 2 ? "-" : ""}${x}`)}))`,
  quotient: (d, a) => `1 / (1 + ${a} * (${join(d, (x) => `${x}^2`)}))`,
};

export const unitSides = (d: number) =>
  Array.from({ length: d }, (_, k) => ({ name: `x${k + 1}`, lower: 0, upper: 1 }));

/** A bound of all derivatives of the orders from..to on the unit cube, by intervals on so many cells a side. */
export function derivativeBound(
  formula: string,
  d: number,
  [from, to]: readonly [number, number],
  cells: number,
): number {
  const graph = functionGraph(
    formula,
    unitSides(d).map((s) => s.name),
  );
  const { all, degrees } = multiIndices(d, to);
  let most = 0;
  for (let c = 0; c < cells ** d; c++) {
    const cell = Array.from({ length: d }, (_, k) => {
      const i = Math.floor(c / cells ** k) % cells;
      return { lower: i / cells, upper: (i + 1) / cells };
    });
    const jet = jetOnBox(graph, cell, to);
    for (const [k, alpha] of all.entries())
      if (degrees[k]! >= from) {
        const scale = alpha.reduce((p, n) => p * factorial(n), 1);
        most = Math.max(most, I.mulUp(I.magnitude(jet[k]!), scale));
      }
  }
  return most;
}

/** Cells a side for which the remainder is bounded: many, since intervals are wide on few of them. */
export const remainderSizes = (d: number): readonly number[] =>
  d === 1 ? geometricSizes(32, 512, 10) : [8, 10, 12, 14, 16, 18, 20, 24];

/** What Taylor polynomials of degree n - 1 on so many cells a side err by at most. */
export const remainderBound = (graph: FunctionGraph, d: number, n: number, cells: number): number =>
  greatestRest(
    graph,
    unitSides(d).map((side) => axisOf(side, cells)),
    n,
  );

/** Points of the unit cube: uniform ones, and ones near the edges of a grid's cells, of the ramps and of the box. */
export function gridPoints(d: number, cells: number, count: number, random: Random): Point[] {
  const near = (k: number): number => {
    const base = random.integer(0, 6 * cells) / (6 * cells);
    const off = k % 2 ? 0 : (random.uniform() - 0.5) * 10 ** -random.integer(2, 9);
    return Math.min(1, Math.max(0, base + off));
  };
  return Array.from({ length: count }, (_, k) =>
    Array.from({ length: d }, () => (k % 2 ? random.uniform() : near(k >> 1))),
  );
}

/** The greatest |network - formula| at points, on ONNX Runtime. */
export async function smoothErrorSeen(
  network: Graph,
  formula: string,
  points: readonly Point[],
): Promise<number> {
  const d = points[0]!.length;
  const columns = new Map(unitSides(d).map(({ name }, k) => [name, Float64Array.from(points, (x) => x[k]!)]));
  const exact = evaluateFormula(parseFormula(formula), columns);
  const values = await valuesAt(network, points);
  return values.reduce((most, v, i) => Math.max(most, Math.abs(v - exact[i]!)), 0);
}
