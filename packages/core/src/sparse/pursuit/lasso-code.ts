// Basis pursuit: |y - D x|^2 / 2 + lambda |x|_1 by coordinate descent on a working set of atoms, until a point of the dual
// problem proves that the objective is near its least value.
import { SparseError } from "../error.ts";
import { analyze, correlation, type Dictionary, requireSignal, residualOf } from "./dictionary.ts";
import { movedToSolution, SupportFactor } from "./support-equations.ts";
import { rectifiedThreshold, softThreshold } from "./thresholds.ts";
import { sweep, WorkingAtoms, type WorkingCode } from "./working-atoms.ts";

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

/** Sweeps between two looks at the gap of the working set, at most. */
const sweepsAtOnce = 8;
/** Working sets have room for so many atoms at first. */
const firstAtoms = 30;

/** What a path of lambdas has in common. */
interface Problem {
  readonly dictionary: Dictionary;
  readonly y: Float64Array;
  readonly squares: Float64Array;
  readonly start: Point;
  work: WorkingAtoms;
  factor: SupportFactor;
}

/** All atoms are read once, for their lengths and their correlations at the start. */
function problemOf(dictionary: Dictionary, y: Float64Array, start?: Float64Array): Problem {
  const { size, count, atoms } = dictionary;
  const x = start?.slice() ?? new Float64Array(count);
  const residual = start ? residualOf(dictionary, y, x) : y;
  const [g, squares] = [new Float64Array(count), new Float64Array(count)];
  for (let j = 0; j < count; j++) {
    g[j] = correlation(atoms, j * size, residual);
    squares[j] = squareOf(atoms, j * size, (j + 1) * size);
  }
  return {
    ...{ dictionary, y, squares, start: { x, residual, g } },
    ...{ work: new WorkingAtoms(dictionary), factor: new SupportFactor() },
  };
}

/** A code with its residual y - D x and the correlations D^T (y - D x). */
interface Point {
  readonly x: Float64Array;
  readonly residual: Float64Array;
  readonly g: Float64Array;
  /** All of them, where g is not up to date for atoms that are known not to be used. */
  readonly whole?: () => Float64Array;
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
  const problem = problemOf(dictionary, y, start);
  return pursuedFrom(problem, lambda, problem.start, options).code;
}

/** Coordinate descent on working sets, and the equations of the support where sweeps are slow. */
function pursuedFrom(
  problem: Problem,
  lambda: number,
  start: Point,
  { gap = 1e-12, sweeps: most = 100_000, nonnegative = false }: LassoOptions,
): { readonly code: LassoCode; readonly point: Point } {
  if (!(lambda > 0 && lambda < Number.POSITIVE_INFINITY))
    throw new SparseError(`lambda is a positive number, not ${lambda}`);
  const { dictionary, y, squares } = problem;
  const [x, g] = [start.x, start.g];
  const allowed = (gap * squareOf(y)) / 2;
  let residual: Float64Array = start.residual;
  let [sweeps, room] = [0, Math.max(firstAtoms, 2 * nonzerosOf(x))];
  let alive: readonly number[] = Array.from(g.keys());
  for (;;) {
    const state = judged(y, x, residual, greatestOf(g, alive, nonnegative), lambda);
    if (state.dualityGap <= allowed || sweeps >= most) {
      // The next lambda asks for all correlations, those that nobody looked at lately, too.
      const whole = (): Float64Array => (alive.length < g.length ? analyze(dictionary, residual) : g);
      const { objective, dualityGap } = state;
      return { code: { x, residual, sweeps, objective, dualityGap }, point: { x, residual, g, whole } };
    }
    alive = possible({ g, x, squares, lambda, nonnegative }, alive, state);
    const set = workingSet({ g, x, squares, lambda, nonnegative }, alive, room);
    // A hundredth of the gap, or what is asked for: a tighter solution of a part is of no use.
    const inner = Math.max(allowed / 2, 0.01 * state.dualityGap);
    sweeps += solvedOnSet(problem, { x, g, residual }, set, {
      lambda,
      nonnegative,
      inner,
      most: most - sweeps,
    });
    room = Math.min(dictionary.count, 2 * Math.max(room, nonzerosOf(x)));
    residual = residualOf(dictionary, y, x);
    correlate(dictionary, alive, residual, g);
  }
}

/**
 * The atoms that a best code may use (Fercoq, Gramfort and Salmon 2015): the residual u* of best codes is within sqrt(2 gap) of
 * the point u of the dual problem, so that |d u*| < lambda where |d u| + |d| sqrt(2 gap) < lambda, and those atoms are not used.
 */
function possible(
  { g, x, squares, lambda, nonnegative }: Candidates,
  alive: readonly number[],
  { dualityGap, factor }: { readonly dualityGap: number; readonly factor: number },
): readonly number[] {
  const radius = Math.sqrt(2 * dualityGap) * (1 + 2 ** -20);
  return alive.filter((j) => {
    if (x[j] !== 0) return true;
    const along = factor * (nonnegative ? g[j]! : Math.abs(g[j]!));
    return along + radius * Math.sqrt(squares[j]!) >= lambda * (1 - 2 ** -20);
  });
}

/** <d_j, residual> of these atoms; a function by itself, which an engine translates well. */
function correlate(
  { size, atoms }: Dictionary,
  alive: readonly number[],
  residual: Float64Array,
  g: Float64Array,
): void {
  for (let k = 0; k < alive.length; k++) {
    const j = alive[k]!;
    g[j] = correlation(atoms, j * size, residual);
  }
}

interface Inner {
  readonly lambda: number;
  readonly nonnegative: boolean;
  /** The gap of the set that is good enough. */
  readonly inner: number;
  /** Sweeps at most. */
  readonly most: number;
}

/** Rounds on one working set after which rounding is taken to keep its gap. */
const mostRounds = 2000;

/** Moves a code towards the solution among the atoms of a set; how many sweeps were made. */
function solvedOnSet(
  problem: Problem,
  { x, g, residual }: Point,
  set: readonly number[],
  { lambda, nonnegative, inner, most }: Inner,
): number {
  const threshold = nonnegative ? rectifiedThreshold : softThreshold;
  const proximal = (v: number, square: number): number => threshold(v, lambda / square);
  const work = withRoom(problem, set.length);
  const places = set.map((j) => work.placeOf(j));
  const code: WorkingCode = {
    x: Float64Array.from(work.atoms, (j) => x[j]!),
    left: Float64Array.from(work.atoms, (j) => g[j]!),
    rest: squareOf(residual),
  };
  let sweeps = 0;
  for (let round = 0; sweeps < most && round < mostRounds; round++) {
    // The whole set once, then the atoms that are used alone, while it helps.
    sweep(work, code, places, proximal);
    const used = places.filter((i) => code.x[i] !== 0);
    sweeps++;
    for (let k = 1; k < sweepsAtOnce && sweeps < most; k++, sweeps++)
      if (sweep(work, code, used, proximal) <= inner / 100) break;
    if (gapOfSet(code, places, lambda, nonnegative) <= inner) break;
    // Rounding adds up in what is carried along: it is made anew now and then.
    if (round % 100 === 99) refreshed(problem, work, code, x);
    // Sweeps are slow where atoms are alike: after 1, 2, 4, ... rounds the equations of the support are asked.
    if ((round & (round + 1)) === 0) movedToSolution(work, problem.factor, lambda, code, places);
  }
  for (const i of places) x[work.atoms[i]!] = code.x[i]!;
  return sweeps;
}

/** Inner products of atoms that nobody asks for any more are forgotten when they are as many as a signal has numbers, and more. */
function withRoom(problem: Problem, wanted: number): WorkingAtoms {
  const { dictionary, work } = problem;
  if (work.count > 4 * wanted + 2 * dictionary.size + 500)
    [problem.work, problem.factor] = [new WorkingAtoms(dictionary), new SupportFactor()];
  return problem.work;
}

function refreshed({ dictionary, y }: Problem, work: WorkingAtoms, code: WorkingCode, x: Float64Array): void {
  const now = x.slice();
  work.atoms.forEach((j, i) => {
    now[j] = code.x[i]!;
  });
  const residual = residualOf(dictionary, y, now);
  work.atoms.forEach((j, i) => {
    code.left[i] = correlation(dictionary.atoms, j * dictionary.size, residual);
  });
  code.rest = squareOf(residual);
}

/** The duality gap among the atoms of a set: |y|^2 is not needed, as <r, y> = |r|^2 + <x, D^T r>. */
function gapOfSet(
  { x, left, rest }: WorkingCode,
  places: readonly number[],
  lambda: number,
  nonnegative: boolean,
): number {
  let [size, fit, greatest] = [0, 0, 0];
  for (const i of places) {
    const [v, c] = [x[i]!, left[i]!];
    size += Math.abs(v);
    fit += v * c;
    greatest = Math.max(greatest, nonnegative ? c : Math.abs(c));
  }
  const factor = greatest > lambda ? lambda / greatest : 1;
  return rest / 2 + lambda * size - factor * (rest + fit) + (factor ** 2 * rest) / 2;
}

function squareOf(v: Float64Array, from = 0, to = v.length): number {
  let [a, b] = [0, 0];
  let i = from;
  for (; i + 1 < to; i += 2) {
    a += v[i]! * v[i]!;
    b += v[i + 1]! * v[i + 1]!;
  }
  return i < to ? a + b + v[i]! * v[i]! : a + b;
}

function greatestOf(g: Float64Array, alive: readonly number[], nonnegative: boolean): number {
  let greatest = 0;
  for (const j of alive) greatest = Math.max(greatest, nonnegative ? g[j]! : Math.abs(g[j]!));
  return greatest;
}

/** Objective and gap: the residual, shrunk until no atom correlates by more than lambda, is a point of the dual problem. */
function judged(
  y: Float64Array,
  x: Float64Array,
  residual: Float64Array,
  greatest: number,
  lambda: number,
): { readonly objective: number; readonly dualityGap: number; readonly factor: number } {
  const size = x.reduce((sum, v) => sum + Math.abs(v), 0);
  const objective = squareOf(residual) / 2 + lambda * size;
  const factor = greatest > lambda ? lambda / greatest : 1;
  // |y|^2 / 2 - |y - u|^2 / 2 with u = factor r, as sums of what is small.
  let dual = 0;
  for (let i = 0; i < y.length; i++) {
    const u = factor * residual[i]!;
    dual += u * (y[i]! - u / 2);
  }
  return { objective, dualityGap: Math.max(0, objective - dual), factor };
}

interface Candidates {
  readonly g: Float64Array;
  readonly x: Float64Array;
  readonly squares: Float64Array;
  readonly lambda: number;
  readonly nonnegative: boolean;
}

/** The atoms that are used, and those that break the conditions most: by their correlation as a part of their length. */
function workingSet(
  { g, x, squares, lambda, nonnegative }: Candidates,
  alive: readonly number[],
  room: number,
): readonly number[] {
  const size = (j: number): number => (nonnegative ? g[j]! : Math.abs(g[j]!));
  const wanted = alive.filter((j) => x[j] !== 0 || (size(j) > lambda && squares[j]! > 0));
  if (wanted.length <= room) return wanted;
  const rank = (j: number): number =>
    x[j] !== 0 ? Number.POSITIVE_INFINITY : size(j) / Math.sqrt(squares[j]!);
  const bound = Float64Array.from(wanted, rank).sort()[wanted.length - room]!;
  return wanted.filter((j) => rank(j) >= bound);
}

const nonzerosOf = (x: Float64Array): number => x.reduce((n, v) => n + Number(v !== 0), 0);

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
  const { start: first, ...rest } = options;
  const problem = problemOf(dictionary, y);
  const greatest = greatestOf(problem.start.g, Array.from(problem.start.g.keys()), rest.nonnegative ?? false);
  if (greatest === 0) throw new SparseError("no atom correlates with the signal: every code is 0");
  const codes: (LassoCode & { lambda: number })[] = [];
  let from: Point = first ? problemOf(dictionary, y, first).start : problem.start;
  for (let k = 0; k < count; k++) {
    const lambda = greatest * least ** (count > 1 ? k / (count - 1) : 0);
    const { code, point } = pursuedFrom(problem, lambda, from, rest);
    codes.push({ lambda, ...code });
    if (k + 1 < count) from = { x: point.x.slice(), residual: point.residual, g: point.whole?.() ?? point.g };
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
