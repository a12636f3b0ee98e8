// |y - A x|^2 / 2 + sum_k lambda_k |M_k x|_1 by alternating directions (ADMM), with a point of the dual problem: basis pursuit,
// its multilayer kin and co-sparse denoising are cases of it.
import { cholesky } from "../../linear-algebra/cholesky.ts";
import { SparseError } from "../error.ts";
import { analyze, correlation, type Dictionary, residualOf, synthesize } from "../pursuit/dictionary.ts";
import { rectifiedThreshold, softThreshold } from "../pursuit/thresholds.ts";

export interface Penalty {
  readonly weight: number;
  /** M, as the atoms that it multiplies; left out: x itself. */
  readonly of?: Dictionary;
}

export interface GeneralizedLassoOptions {
  readonly iterations?: number;
  /** The duality gap that is good enough, as a part of |y|^2 / 2; default 1e-10. */
  readonly gap?: number;
  /** Only x >= 0; there is then a penalty of x itself. */
  readonly nonnegative?: boolean;
}

export interface GeneralizedLasso {
  readonly x: Float64Array;
  readonly objective: number;
  /** No x has an objective less than this. */
  readonly dual: number;
  readonly dualityGap: number;
  readonly iterations: number;
}

/** Iterations between two looks at the gap. */
const atOnce = 25;

/** |y - A x|^2 / 2 + sum_k lambda_k |M_k x|_1; A left out: the identity. */
export function generalizedObjective(
  fit: Dictionary | undefined,
  y: Float64Array,
  penalties: readonly Penalty[],
  x: Float64Array,
): number {
  const rest = fit ? residualOf(fit, y, x) : y.map((v, i) => v - x[i]!);
  return (
    squareOf(rest) / 2 +
    penalties.reduce(
      (sum, { weight, of }) =>
        sum + weight * (of ? synthesize(of, x) : x).reduce((total, v) => total + Math.abs(v), 0),
      0,
    )
  );
}

/** The x that minimizes |y - A x|^2 / 2 + sum_k lambda_k |M_k x|_1, with what it can be above the least value at most. */
export async function generalizedLasso(
  fit: Dictionary | undefined,
  y: Float64Array,
  penalties: readonly Penalty[],
  { iterations = 20_000, gap = 1e-10, nonnegative = false }: GeneralizedLassoOptions = {},
): Promise<GeneralizedLasso> {
  const count = fit?.count ?? y.length;
  requireProblem(fit, y, penalties, nonnegative);
  const terms = penalties.filter(({ weight, of }) => weight > 0 || (!of && nonnegative));
  const allowed = (gap * squareOf(y)) / 2;
  const right = fit ? analyze(fit, y) : y;
  const curvature = gramOf(fit, count);
  const grams = terms.map(({ of }) => gramOf(of, count));
  // A step that weighs both parts alike: the mean curvature of the fit over that of the penalties.
  const trace = (gram: Float64Array): number => {
    let sum = 0;
    for (let i = 0; i < count; i++) sum += gram[i * (count + 1)]!;
    return sum;
  };
  let rho =
    Math.max(trace(curvature), 1e-300) /
    Math.max(
      1e-300,
      grams.reduce((s, g) => s + trace(g), 0),
    );
  let factor = await factorOf(curvature, grams, rho, count);
  const forward = (x: Float64Array): Float64Array[] => terms.map(({ of }) => (of ? synthesize(of, x) : x));
  let x: Float64Array = new Float64Array(count);
  let z = forward(x).map((v) => v.slice());
  // u are the scaled multipliers: rho u_k is a point of the dual problem's cube.
  let u = z.map((v) => new Float64Array(v.length));
  let best: GeneralizedLasso | undefined;
  for (let k = 1; ; k++) {
    const wanted = right.slice();
    terms.forEach(({ of }, t) => {
      const pull = z[t]!.map((v, i) => v - u[t]![i]!);
      const back = of ? analyze(of, pull) : pull;
      for (let i = 0; i < count; i++) wanted[i]! += rho * back[i]!;
    });
    x = solved(factor, wanted, count);
    const images = forward(x);
    const before = z;
    z = images.map((image, t) => {
      const { weight, of } = terms[t]!;
      const cut = !of && nonnegative ? rectifiedThreshold : softThreshold;
      return image.map((v, i) => cut(v + u[t]![i]!, weight / rho));
    });
    u = u.map((old, t) => old.map((v, i) => v + images[t]![i]! - z[t]![i]!));
    if (k % atOnce !== 0 && k < iterations) continue;
    const multipliers = u.map((v) => v.map((e) => rho * e));
    // Codes with zeros that are exact: those of the identity's own part, where there is one.
    const own = terms.findIndex(({ of }) => !of);
    const candidate = own >= 0 ? z[own]! : x;
    const objective = generalizedObjective(fit, y, penalties, candidate);
    const dual = Math.max(
      best?.dual ?? Number.NEGATIVE_INFINITY,
      dualValue(fit, y, terms, multipliers, candidate, nonnegative),
    );
    if (!best || objective <= best.objective)
      best = { x: candidate, objective, dual, dualityGap: 0, iterations: k };
    best = { ...best, dual, dualityGap: Math.max(0, best.objective - dual), iterations: k };
    if (best.dualityGap <= allowed || k >= iterations) return best;
    if (k % (4 * atOnce) !== 0 || k > iterations / 2) continue;
    const [primal, moved] = [
      Math.hypot(...images.map((v, t) => lengthOf(v.map((e, i) => e - z[t]![i]!)))),
      rho * Math.hypot(...z.map((v, t) => lengthOf(v.map((e, i) => e - before[t]![i]!)))),
    ];
    const scale = primal > 10 * moved ? 2 : moved > 10 * primal ? 0.5 : 1;
    if (scale === 1) continue;
    rho *= scale;
    u = u.map((v) => v.map((e) => e / scale));
    factor = await factorOf(curvature, grams, rho, count);
  }
}

const squareOf = (v: Float64Array): number => v.reduce((sum, e) => sum + e * e, 0);
const lengthOf = (v: Float64Array): number => Math.sqrt(squareOf(v));

function requireProblem(
  fit: Dictionary | undefined,
  y: Float64Array,
  penalties: readonly Penalty[],
  nonnegative: boolean,
): void {
  if (fit && fit.size !== y.length)
    throw new SparseError(`a signal of ${y.length} numbers for atoms of ${fit.size}`);
  const count = fit?.count ?? y.length;
  for (const { weight, of } of penalties) {
    if (!(weight >= 0 && weight < Number.POSITIVE_INFINITY))
      throw new SparseError(`a weight is a number from 0 up, not ${weight}`);
    if (of && of.count !== count)
      throw new SparseError(`a penalty of codes with ${of.count} numbers, but there are ${count}`);
  }
  if (nonnegative && !penalties.some(({ of }) => !of))
    throw new SparseError("codes that are not negative need a penalty of the code itself");
}

/** M^T M, rows one after the other. */
function gramOf(matrix: Dictionary | undefined, count: number): Float64Array {
  const gram = new Float64Array(count * count);
  for (let i = 0; i < count; i++) {
    if (!matrix) gram[i * (count + 1)] = 1;
    else
      for (let j = i; j < count; j++)
        gram[i * count + j] = gram[j * count + i] = correlation(
          matrix.atoms,
          i * matrix.size,
          matrix.atoms.subarray(j * matrix.size, (j + 1) * matrix.size),
        );
  }
  return gram;
}

/** The upper factor R of A^T A + rho sum M^T M. */
async function factorOf(
  curvature: Float64Array,
  grams: readonly Float64Array[],
  rho: number,
  count: number,
): Promise<Float64Array> {
  const entries = curvature.slice();
  for (const gram of grams) for (let k = 0; k < entries.length; k++) entries[k]! += rho * gram[k]!;
  let greatest = 0;
  for (let i = 0; i < count; i++) greatest = Math.max(greatest, entries[i * (count + 1)]!);
  // Directions that nothing sees stay where they are.
  for (let i = 0; i < count; i++) entries[i * (count + 1)]! += 2 ** -44 * greatest;
  const { factor } = await cholesky({ rows: count, columns: count, entries });
  return factor.entries as Float64Array;
}

/** R^T R x = b. */
function solved(r: Float64Array, b: Float64Array, n: number): Float64Array {
  const x = b.slice();
  for (let i = 0; i < n; i++) {
    const value = x[i]! / r[i * (n + 1)]!;
    x[i] = value;
    for (let j = i + 1; j < n; j++) x[j]! -= r[i * n + j]! * value;
  }
  for (let i = n - 1; i >= 0; i--) {
    let sum = x[i]!;
    for (let j = i + 1; j < n; j++) sum -= r[i * n + j]! * x[j]!;
    x[i] = sum / r[i * (n + 1)]!;
  }
  return x;
}

/**
 * <theta, y> - |theta|^2 / 2 for a theta with A^T theta = sum_k M_k^T u_k, |u_k| <= lambda_k. With a penalty of x itself the
 * residual is such a theta, once it is shrunk; for A = 1 the sum is. Otherwise nothing is known but 0.
 */
function dualValue(
  fit: Dictionary | undefined,
  y: Float64Array,
  terms: readonly Penalty[],
  multipliers: readonly Float64Array[],
  x: Float64Array,
  nonnegative: boolean,
): number {
  const inCube = multipliers.map((u, t) => {
    const { weight } = terms[t]!;
    return u.map((v) => Math.max(-weight, Math.min(weight, v)));
  });
  const size = fit?.count ?? y.length;
  const pulled = (without: number): Float64Array => {
    const sum = new Float64Array(size);
    terms.forEach(({ of }, t) => {
      if (t === without) return;
      const back = of ? analyze(of, inCube[t]!) : inCube[t]!;
      for (let i = 0; i < size; i++) sum[i]! += back[i]!;
    });
    return sum;
  };
  const value = (theta: Float64Array): number => theta.reduce((sum, v, i) => sum + v * (y[i]! - v / 2), 0);
  const own = terms.findIndex(({ of }) => !of);
  if (own < 0) return fit ? 0 : value(pulled(-1));
  const residual = fit ? residualOf(fit, y, x) : y.map((v, i) => v - x[i]!);
  const seen = fit ? analyze(fit, residual) : residual;
  const others = pulled(own);
  let greatest = 0;
  for (let i = 0; i < size; i++) {
    const left = seen[i]! - others[i]!;
    greatest = Math.max(greatest, nonnegative ? left : Math.abs(left));
  }
  const { weight } = terms[own]!;
  const shrunk = greatest > weight ? weight / greatest : 1;
  return value(residual.map((v) => shrunk * v));
}

/** (7.23): |y - D_1 ... D_L x|^2 / 2 + sum_i lambda_i |D_(i+1) ... D_L x|_1, to within a gap. */
export function multilayerBasisPursuit(
  effective: readonly Dictionary[],
  y: Float64Array,
  lambdas: readonly number[],
  options: GeneralizedLassoOptions = {},
): Promise<GeneralizedLasso> {
  const [whole, ...inner] = effective;
  if (!whole || lambdas.length !== effective.length)
    throw new SparseError(`${lambdas.length} weights for ${effective.length} dictionaries`);
  return generalizedLasso(
    whole,
    y,
    [...inner.map((of, i) => ({ weight: lambdas[i]!, of })), { weight: lambdas.at(-1)! }],
    options,
  );
}
