// Basis pursuit: |y - D x|^2 / 2 + lambda |x|_1 by coordinate descent on a working set of atoms, until a point of the dual
// problem proves that the objective is near its least value.
import { SparseError } from "../error.ts";
import {
  addAtom,
  analyze,
  correlation,
  type Dictionary,
  requireSignal,
  residualOf,
  squaresOf,
} from "./dictionary.ts";
import { GramCache, movedToSolution, sweptOnSupport } from "./support-equations.ts";
import { rectifiedThreshold, softThreshold } from "./thresholds.ts";

export interface LassoOptions {
  /** Where to begin, as on a path of lambdas. */
  readonly start?: Float64Array;
  /** The duality gap that is good enough, as a part of |y|^2 / 2; default 1e-12. */
  readonly gap?: number;
  /** Sweeps over working sets at most; default 100,000. */
  readonly sweeps?: number;
  /** Only x >= 0. */
  readonly nonnegative?: boolean;
}

export interface LassoCode {
  readonly x: Float64Array;
  readonly objective: number;
  /** No x has an objective that is less than this one's by more. */
  readonly dualityGap: number;
  /** y - D x. */
  readonly residual: Float64Array;
  /** Sweeps over the working set. */
  readonly sweeps: number;
}

/** Sweeps between two looks at the gap of the working set. */
const sweepsAtOnce = 10;

/** What a path of lambdas has in common. */
interface Problem {
  readonly dictionary: Dictionary;
  readonly y: Float64Array;
  readonly squares: Float64Array;
  readonly gram: GramCache;
}

const problemOf = (dictionary: Dictionary, y: Float64Array): Problem => ({
  ...{ dictionary, y, squares: squaresOf(dictionary) },
  gram: new GramCache(dictionary),
});

/** A code with its residual y - D x and the correlations D^T (y - D x). */
interface Point {
  readonly x: Float64Array;
  readonly residual: Float64Array;
  readonly g: Float64Array;
}

/**
 * The x that minimizes |y - D x|^2 / 2 + lambda |x|_1, within the gap that is said.
 * @example lassoCode(dictionaryOf(matrixOfRows([[1, 0], [0, 1]])), Float64Array.of(4, 1), 2).x // Float64Array [2, 0]
 */
export function lassoCode(
  dictionary: Dictionary,
  y: Float64Array,
  lambda: number,
  options: LassoOptions = {},
): LassoCode {
  requireSignal(dictionary, y);
  const { start } = options;
  if (start && start.length !== dictionary.count)
    throw new SparseError(`a start of ${start.length} numbers for ${dictionary.count} atoms`);
  const x = start?.slice() ?? new Float64Array(dictionary.count);
  return pursuedFrom(problemOf(dictionary, y), lambda, x, options).code;
}

/** Coordinate descent on working sets, and the equations of the support where sweeps are slow. */
function pursuedFrom(
  { dictionary, y, squares, gram }: Problem,
  lambda: number,
  start: Float64Array,
  { gap = 1e-12, sweeps: most = 100_000, nonnegative = false }: LassoOptions,
  known?: Point,
): { readonly code: LassoCode; readonly point: Point } {
  if (!(lambda > 0 && lambda < Number.POSITIVE_INFINITY))
    throw new SparseError(`lambda is a positive number, not ${lambda}`);
  const { size, count, atoms } = dictionary;
  const threshold = nonnegative ? rectifiedThreshold : softThreshold;
  const x = start;
  const allowed = (gap * squareOf(y)) / 2;
  let residual = known?.residual.slice() ?? residualOf(dictionary, y, x);
  let [g, sweeps, working] = [known?.g ?? analyze(dictionary, residual), 0, 50];
  for (;;) {
    const state = judged(y, x, residual, greatestOf(g, nonnegative), lambda);
    if (state.dualityGap <= allowed || sweeps >= most)
      return { code: { x, residual, sweeps, ...state }, point: { x, residual, g } };
    const set = workingSet(g, x, squares, working, nonnegative);
    working = Math.min(
      count,
      2 *
        Math.max(
          working,
          x.reduce((n, v) => n + Number(v !== 0), 0),
        ),
    );
    // A tenth of the gap, or what is asked for: a tighter solution of a part is of no use.
    const inner = Math.max(allowed / 2, 0.1 * state.dualityGap);
    for (let round = 0; sweeps < most; round++) {
      // The whole set once, then the atoms that are used alone.
      for (const j of set) {
        const square = squares[j]!;
        if (square === 0) continue;
        const before = x[j]!;
        const next = threshold(before + correlation(atoms, j * size, residual) / square, lambda / square);
        if (next === before) continue;
        addAtom(residual, atoms, j * size, before - next);
        x[j] = next;
      }
      const more = Math.min(sweepsAtOnce, most - sweeps) - 1;
      sweptOnSupport(dictionary, gram, x, residual, more, (v, square) => threshold(v, lambda / square));
      sweeps += more + 1;
      const greatest = set.reduce((m, j) => {
        const c = correlation(atoms, j * size, residual);
        return Math.max(m, nonnegative ? c : Math.abs(c));
      }, 0);
      if (judged(y, x, residual, greatest, lambda).dualityGap <= inner) break;
      // Rounding adds up in the residual: it is made anew now and then, and a gap that rounding keeps is not waited for.
      if (round % 100 === 99) residual = residualOf(dictionary, y, x);
      if (round >= 2000) break;
      // Sweeps are slow where atoms are alike: after 1, 2, 4, ... rounds the equations of the support are asked.
      if ((round & (round + 1)) === 0) movedToSolution(dictionary, gram, lambda, x, residual);
    }
    residual = residualOf(dictionary, y, x);
    g = analyze(dictionary, residual);
  }
}

const squareOf = (v: Float64Array): number => v.reduce((sum, e) => sum + e * e, 0);
const greatestOf = (g: Float64Array, nonnegative: boolean): number =>
  g.reduce((m, v) => Math.max(m, nonnegative ? v : Math.abs(v)), 0);

/** Objective and gap: the residual, shrunk until no atom correlates by more than lambda, is a point of the dual problem. */
function judged(
  y: Float64Array,
  x: Float64Array,
  residual: Float64Array,
  greatest: number,
  lambda: number,
): { readonly objective: number; readonly dualityGap: number } {
  const size = x.reduce((sum, v) => sum + Math.abs(v), 0);
  const objective = squareOf(residual) / 2 + lambda * size;
  const factor = greatest > lambda ? lambda / greatest : 1;
  // |y|^2 / 2 - |y - u|^2 / 2 with u = factor r, as sums of what is small.
  let dual = 0;
  for (let i = 0; i < y.length; i++) {
    const u = factor * residual[i]!;
    dual += u * (y[i]! - u / 2);
  }
  return { objective, dualityGap: Math.max(0, objective - dual) };
}

/** The atoms that are used, and those that are nearest to being used: their correlation as a part of their length. */
function workingSet(
  g: Float64Array,
  x: Float64Array,
  squares: Float64Array,
  size: number,
  nonnegative: boolean,
): readonly number[] {
  const rank = (j: number): number =>
    x[j] !== 0
      ? Number.POSITIVE_INFINITY
      : squares[j] === 0
        ? -1
        : (nonnegative ? g[j]! : Math.abs(g[j]!)) / Math.sqrt(squares[j]!);
  if (size >= g.length) return Array.from(g.keys());
  const ranks = Float64Array.from(g, (_, j) => rank(j));
  const bound = ranks.toSorted()[g.length - size]!;
  return Array.from(g.keys()).filter((j) => ranks[j]! >= bound);
}

/**
 * Codes for lambdas from the greatest that has any code but 0 down, each begun at the one before.
 * @example lassoPath(dictionaryOf(matrixOfRows([[1]])), Float64Array.of(2), { count: 2, least: 0.5 }).map((p) => p.lambda) // [2, 1]
 */
export function lassoPath(
  dictionary: Dictionary,
  y: Float64Array,
  { count = 50, least = 1e-3, ...options }: LassoOptions & { count?: number; least?: number } = {},
): readonly (LassoCode & { readonly lambda: number })[] {
  requireSignal(dictionary, y);
  const greatest = greatestOf(analyze(dictionary, y), options.nonnegative ?? false);
  if (greatest === 0) throw new SparseError("no atom correlates with the signal: every code is 0");
  const codes: (LassoCode & { lambda: number })[] = [];
  const problem = problemOf(dictionary, y);
  let known: Point | undefined;
  for (let k = 0; k < count; k++) {
    const lambda = greatest * least ** (count > 1 ? k / (count - 1) : 0);
    const from = known?.x.slice() ?? options.start?.slice() ?? new Float64Array(dictionary.count);
    const { code, point } = pursuedFrom(problem, lambda, from, options, known);
    codes.push({ lambda, ...code });
    known = point;
  }
  return codes;
}

/** By how much x violates |d_j^T (y - D x)| <= lambda, with equality and the sign of x_j where it is not 0. */
export function optimalityViolation(
  dictionary: Dictionary,
  y: Float64Array,
  lambda: number,
  x: Float64Array,
): number {
  const g = analyze(dictionary, residualOf(dictionary, y, x));
  return g.reduce(
    (worst, c, j) =>
      Math.max(worst, x[j] === 0 ? Math.abs(c) - lambda : Math.abs(c - lambda * Math.sign(x[j]!))),
    0,
  );
}
