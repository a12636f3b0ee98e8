// The error between a network and a formula, enclosed by what can be computed without a certificate: a grid of values and
// two Lipschitz constants.

import { run } from "../engine/run.ts";
import { evaluateFormula } from "../formula/evaluate.ts";
import { parseFormula } from "../formula/formula.ts";
import { functionGraph } from "../formula/function-graph.ts";
import { rangesOf } from "../formula/range.ts";
import type { Graph } from "../graph/graph.ts";
import { numbers, tensor } from "../graph/tensor.ts";
import type { Interval } from "../numbers/interval/index.ts";
import { localLipschitzBound } from "../passes/lipschitz.ts";
import { nodeSensitivities } from "./budget.ts";
import type { BoxSide } from "./compile.ts";
import { expandedGraph } from "./expanded-graph.ts";

export interface ErrorEnclosure {
  /** The greatest error at a point of the grid. */
  readonly lower: number;
  /** No error on the box is greater, up to the rounding of the values. */
  readonly upper: number;
}

/** sup |grad f| in the Euclidean norm, at most: from bounds on the partial derivatives. */
function formulaLipschitz(formula: string, box: readonly BoxSide[]): number {
  const names = box.map((side) => side.name);
  const graph = functionGraph(formula, names);
  const sides: readonly Interval[] = box.map(({ lower, upper }) => ({ lower, upper }));
  const program = expandedGraph(graph, rangesOf(graph, sides), {
    monomials: new Set(),
    expansions: new Map(),
  });
  return Math.hypot(...nodeSensitivities(program, 1e-300).slice(0, names.length));
}

/**
 * max over the centres of cells^d cells, and that + (Lip f + Lip network) times half the diagonal of a cell.
 * @example (await gridEnclosure(net, "x^2", [{ name: "x", lower: 0, upper: 1 }], 64)).lower > 0.0038 // true
 */
export async function gridEnclosure(
  network: Graph,
  formula: string,
  box: readonly BoxSide[],
  cells: number,
): Promise<ErrorEnclosure> {
  const d = box.length;
  const count = cells ** d;
  const columns = box.map(({ lower, upper }, k) =>
    Float64Array.from(
      { length: count },
      (_, i) => lower + ((upper - lower) * ((Math.floor(i / cells ** k) % cells) + 0.5)) / cells,
    ),
  );
  const exact = evaluateFormula(
    parseFormula(formula),
    new Map(box.map((side, k) => [side.name, columns[k]!])),
  );
  const points = new Float64Array(count * d);
  columns.forEach((column, k) => {
    for (let i = 0; i < count; i++) points[i * d + k] = column[i]!;
  });
  const { y } = await run(network, { x: tensor(points, { dims: [count, d] }) });
  const gaps = Array.from(numbers(y!), (v, i) => Math.abs(v - exact[i]!));
  const lower = gaps.reduce((most, gap) => Math.max(most, gap), 0);
  const inside = { lower: box.map((side) => side.lower), upper: box.map((side) => side.upper) };
  const halfDiagonal = Math.hypot(...box.map((side) => (side.upper - side.lower) / cells)) / 2;
  const steepness = formulaLipschitz(formula, box) + localLipschitzBound(network, { x: inside });
  return { lower, upper: lower + steepness * halfDiagonal };
}
