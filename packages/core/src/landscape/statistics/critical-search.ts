// Critical points of any kind, saddles too: Levenberg's method on half the square of the gradient.
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import { eliminated } from "./eliminate.ts";
import type { SmoothRisk } from "./small-network.ts";

export interface FoundPoint {
  readonly theta: Float64Array;
  readonly risk: number;
  readonly gradientNorm: number;
  /** Ascending. */
  readonly eigenvalues: Float64Array;
  /** Eigenvalues below minus 10^-6 of the greatest in size. */
  readonly index: number;
}

/** An eigenvalue no larger than this part of the greatest counts as 0. */
const flat = 1e-6;

/**
 * Steps s with (H^2 + mu) s = -H g, mu smaller after a step that helps and greater after one that does not; undefined where the
 * gradient is not 0 (up to 10^-8) in the end: it may rest where H g = 0.
 * @example criticalPointFrom({ size: 1, value: ([x]) => x ** 3 - 3 * x, gradient: ([x]) => Float64Array.of(3 * x * x - 3), hessian: ([x]) => [Float64Array.of(6 * x)] }, Float64Array.of(-0.7)).index // 1
 */
export function criticalPointFrom(
  risk: SmoothRisk,
  start: Float64Array,
  steps = 200,
): FoundPoint | undefined {
  let theta = start;
  let g = risk.gradient(theta);
  let damping = 1e-2;
  for (let step = 0; step < steps && norm(g) > 1e-13; step++) {
    const h = risk.hessian(theta);
    const rows = h.map((row, a) =>
      Float64Array.from({ length: risk.size + 1 }, (_, b) =>
        b < risk.size ? dot(row, h[b]!) + (a === b ? damping : 0) : -dot(row, g),
      ),
    );
    const change = eliminated(rows);
    const next = change && theta.map((w, k) => w + change[k]!);
    const slope = next && risk.gradient(next);
    if (slope && norm(slope) < norm(g)) {
      [theta, g] = [next, slope];
      damping = Math.max(1e-14, damping / 5);
    } else if (damping > 1e8) break;
    else damping *= 4;
  }
  const gradientNorm = norm(g);
  if (!(gradientNorm < 1e-8)) return undefined;
  const eigenvalues = Float64Array.from(
    symmetricEigen(risk.hessian(theta).map((row) => [...row])).values,
  ).sort();
  const most = Math.max(Math.abs(eigenvalues[0]!), Math.abs(eigenvalues.at(-1)!));
  const index = eigenvalues.filter((v) => v < -flat * most).length;
  return { theta, risk: risk.value(theta), gradientNorm, eigenvalues, index };
}

const dot = (a: Float64Array, b: Float64Array): number => {
  let sum = 0;
  for (let k = 0; k < b.length; k++) sum += a[k]! * b[k]!;
  return sum;
};
const norm = (a: Float64Array): number => Math.sqrt(dot(a, a));

/**
 * Spearman's rank correlation; places that tie share their mean; 0 where one of the two does not change.
 * @example rankCorrelation([1, 2, 3], [10, 20, 25]) // 1
 */
export function rankCorrelation(a: readonly number[], b: readonly number[]): number {
  const [p, q] = [a, b].map((values) =>
    values.map((v) => values.filter((w) => w < v).length + (values.filter((w) => w === v).length - 1) / 2),
  ) as [number[], number[]];
  const middle = (a.length - 1) / 2;
  const product = (x: number[], y: number[]): number =>
    x.reduce((sum, v, k) => sum + (v - middle) * (y[k]! - middle), 0);
  const scale = Math.sqrt(product(p, p) * product(q, q));
  return scale === 0 ? 0 : product(p, q) / scale;
}
