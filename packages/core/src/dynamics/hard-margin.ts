// The hard-margin support vector machine through the origin: the unit vector whose least <u, z_i> is greatest.

import { dot } from "../linear-algebra/dot.ts";
import type { Rows } from "../linear-algebra/symmetric-eigen.ts";
import { TrainError } from "../train/error.ts";

export interface HardMargin {
  /** The greatest margin of a unit vector. */
  readonly margin: number;
  readonly direction: readonly number[];
  /** Convex weights of the points; positive at the support vectors. margin * direction = sum_i weights_i z_i. */
  readonly weights: readonly number[];
}

/** The affine combination of least norm: (G, 1; 1^T, 0)(a; c) = (0; 1) with the Gram matrix G, by elimination. */
function affineMinimizer(points: Rows): readonly number[] | undefined {
  const n = points.length;
  const A = [...points.map((p) => [...points.map((q) => dot(p, q)), 1, 0]), [...points.map(() => 1), 0, 1]];
  for (let c = 0; c <= n; c++) {
    let pivot = c;
    for (let r = c; r <= n; r++) if (Math.abs(A[r]![c]!) > Math.abs(A[pivot]![c]!)) pivot = r;
    [A[c], A[pivot]] = [A[pivot]!, A[c]!];
    if (Math.abs(A[c]![c]!) < 1e-14) return undefined;
    for (let r = 0; r <= n; r++) {
      if (r === c) continue;
      const factor = A[r]![c]! / A[c]![c]!;
      for (let k = c; k <= n + 1; k++) A[r]![k]! -= factor * A[c]![k]!;
    }
  }
  return points.map((_, k) => A[k]![n + 1]! / A[k]![k]!);
}

const combination = (points: Rows, weights: readonly number[]): number[] =>
  points[0]!.map((_, j) => points.reduce((sum, p, i) => sum + weights[i]! * p[j]!, 0));

/**
 * By duality the margin is the distance of 0 from the convex hull of the points z_i = y_i x_i; its nearest point by
 * Wolfe's active-set method, which ends after finitely many steps.
 * @example hardMargin([[3, 1], [3, -1]]).margin // 3
 */
export function hardMargin(points: Rows): HardMargin {
  const scale = Math.max(...points.map((p) => dot(p, p)));
  const shortest = points.reduce(
    (best, p, i) => (dot(p, p) < dot(points[best]!, points[best]!) ? i : best),
    0,
  );
  let active = new Map([[shortest, 1]]);
  for (let round = 0; round < 50 * points.length + 50; round++) {
    const support = [...active.keys()].map((i) => points[i]!);
    const nearest = combination(support, [...active.values()]);
    const ahead = points.map((p) => dot(nearest, p));
    const entering = ahead.reduce((best, v, i) => (v < ahead[best]! ? i : best), 0);
    const size = dot(nearest, nearest);
    if (size <= 1e-20 * scale) break;
    if (ahead[entering]! >= size - 1e-14 * scale || active.has(entering)) {
      const margin = Math.sqrt(size);
      return {
        margin,
        direction: nearest.map((v) => v / margin),
        weights: points.map((_, i) => active.get(i) ?? 0),
      };
    }
    active = reduced(points, new Map([...active, [entering, 0]]));
  }
  throw new TrainError("no direction has a positive margin: the points cannot be separated");
}

/** Moves towards the affine minimizer, leaving out points whose weight gets to zero, until it is inside the hull. */
function reduced(points: Rows, given: Map<number, number>): Map<number, number> {
  let active = given;
  for (;;) {
    const keys = [...active.keys()];
    const target = affineMinimizer(keys.map((i) => points[i]!));
    if (!target) return new Map([...active].slice(1)); // a point of the hull of the others
    if (target.every((w) => w > 0)) return new Map(keys.map((i, k) => [i, target[k]!]));
    const old = [...active.values()];
    const steps = old.map((w, k) => (target[k]! < w && target[k]! <= 0 ? w / (w - target[k]!) : 1));
    const step = Math.min(...steps);
    active = new Map(
      keys.flatMap((i, k) => {
        const w = old[k]! + step * (target[k]! - old[k]!);
        return steps[k] === step && target[k]! <= 0 ? [] : [[i, w] as const];
      }),
    );
  }
}
