// Logistic regression with affine functions f(x) = w x + b of one variable, against the least number of mistakes.

export interface LabelledPoint {
  readonly x: number;
  /** -1 or 1. */
  readonly y: number;
  /** How many examples are like this. */
  readonly count: number;
}

export interface AffineFunction {
  readonly w: number;
  readonly b: number;
}

const total = (points: readonly LabelledPoint[]): number => points.reduce((sum, p) => sum + p.count, 0);

/** Value, gradient and Hessian of the mean logistic loss. */
function logisticRisk(points: readonly LabelledPoint[], { w, b }: AffineFunction) {
  let [value, gw, gb, hww, hwb, hbb] = [0, 0, 0, 0, 0, 0];
  for (const { x, y, count } of points) {
    const m = y * (w * x + b);
    const share = count / total(points);
    const p = 1 / (1 + Math.exp(m));
    value += share * (Math.max(0, -m) + Math.log1p(Math.exp(-Math.abs(m))));
    gw -= share * p * y * x;
    gb -= share * p * y;
    const curve = share * p * (1 - p);
    hww += curve * x * x;
    hwb += curve * x;
    hbb += curve;
  }
  return { value, gw, gb, hww, hwb, hbb };
}

/**
 * The minimizer of the mean logistic loss, by Newton's method with halved steps where a whole one does not descend.
 * The points must not be separable, or there is none.
 * @example logisticMinimizer([{ x: 0, y: 1, count: 3 }, { x: 0, y: -1, count: 1 }, { x: 1, y: 1, count: 1 }, { x: 1, y: -1, count: 1 }]).b.toFixed(6) // "1.098612"
 */
export function logisticMinimizer(points: readonly LabelledPoint[]): AffineFunction {
  let at: AffineFunction = { w: 0, b: 0 };
  for (let [k, final] = [0, 0]; k < 200 && final < 3; k++) {
    const { value, gw, gb, hww, hwb, hbb } = logisticRisk(points, at);
    const determinant = hww * hbb - hwb * hwb;
    const [dw, db] = [(hbb * gw - hwb * gb) / determinant, (hww * gb - hwb * gw) / determinant];
    const moved = (s: number): AffineFunction => ({ w: at.w - s * dw, b: at.b - s * db });
    let s = 1;
    // Steps this small converge quadratically, and change the value less than it is rounded.
    if (Math.hypot(dw, db) < 1e-5 * Math.hypot(at.w, at.b)) final++;
    else while (s > 1e-12 && !(logisticRisk(points, moved(s)).value <= value)) s /= 2;
    at = moved(s);
  }
  return at;
}

/**
 * Examples that sgn(f) gets wrong, sgn(0) = 1.
 * @example mistakes([{ x: 0, y: -1, count: 3 }], { w: 1, b: 0 }) // 3
 */
export const mistakes = (points: readonly LabelledPoint[], { w, b }: AffineFunction): number =>
  points.reduce((sum, { x, y, count }) => sum + ((w * x + b >= 0 ? 1 : -1) === y ? 0 : count), 0);

/**
 * The fewest mistakes of the sign of an affine function: all thresholds between neighbours, both signs.
 * @example fewestMistakes([{ x: 0, y: 1, count: 2 }, { x: 1, y: -1, count: 2 }, { x: 2, y: 1, count: 1 }]) // 1
 */
export function fewestMistakes(points: readonly LabelledPoint[]): number {
  const xs = [...new Set(points.map((p) => p.x))].sort((s, t) => s - t);
  const thresholds = [xs[0]! - 1, ...xs.map((x, k) => (x + (xs[k + 1] ?? x + 2)) / 2)];
  return Math.min(...thresholds.flatMap((t) => [1, -1].map((w) => mistakes(points, { w, b: -w * t }))));
}
