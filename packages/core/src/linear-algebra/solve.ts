// Solutions of linear systems, with what can be said about their quality.
import { EngineError } from "../engine/error.ts";
import { wholeBlock } from "./block.ts";
import { conditionNumber } from "./condition.ts";
import { type LuFactors, luFactor, luSolve } from "./lu.ts";
import type { Matrix } from "./matrix-norm.ts";
import { subtractProduct } from "./product.ts";

export interface LinearSolution {
  readonly solution: Matrix;
  /** max |B - A X|. */
  readonly residual: number;
  /** Estimate of the condition number of A in the maximum norm. */
  readonly condition: number;
  readonly lu: LuFactors;
}

/** max |x|. */
export const greatestEntry = (entries: Float64Array): number => {
  let most = 0;
  for (let k = 0; k < entries.length; k++) {
    const size = Math.abs(entries[k]!);
    if (!(size <= most)) most = size; // NaN stays
  }
  return most;
};

/** B - A X. */
export async function residualOf(a: Matrix, x: Matrix, b: Matrix): Promise<Matrix> {
  const rest = { ...b, entries: b.entries.slice() };
  await subtractProduct(wholeBlock(rest), wholeBlock(a), wholeBlock(x));
  return rest;
}

/**
 * X with A X = B, refined as long as that lowers the residual (twice at most).
 * @example (await solveLinear({ rows: 1, columns: 1, entries: Float64Array.of(4) }, { rows: 1, columns: 1, entries: Float64Array.of(2) })).solution.entries // Float64Array [0.5]
 */
export async function solveLinear(a: Matrix, b: Matrix): Promise<LinearSolution> {
  if (a.rows !== b.rows)
    throw new EngineError(`the matrix has ${a.rows} rows, the right-hand side ${b.rows}`);
  const lu = await luFactor(a);
  let solution = await luSolve(lu, b);
  let rest = await residualOf(a, solution, b);
  let residual = greatestEntry(rest.entries);
  for (let step = 0; step < 2 && residual > 0; step++) {
    const correction = await luSolve(lu, rest);
    const refined = { ...solution, entries: solution.entries.map((v, k) => v + correction.entries[k]!) };
    const next = await residualOf(a, refined, b);
    const size = greatestEntry(next.entries);
    if (!(size < residual)) break;
    [solution, rest, residual] = [refined, next, size];
  }
  return { solution, residual, condition: await conditionNumber(lu), lu };
}
