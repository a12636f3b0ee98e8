// The shortest vector above given heights at the rays of a cone: min |y| with <y, r_k> >= h_k for all k.

type Vector = Float64Array;
const dot = (a: Vector, b: Vector): number => {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k]! * b[k]!;
  return sum;
};

/**
 * Candidates for it, none of them sure to be above: nothing; the height of one ray alone; all heights at once; and
 * y = sum_k mu_k r_k, mu >= 0, by coordinates.
 * @example [...shortestAbove(Float64Array.of(1, 1), [Float64Array.of(1, 0), Float64Array.of(0, 1)])].length // 4
 */
export function* shortestAbove(heights: Vector, rays: readonly Vector[]): Generator<Vector> {
  const d = rays.length;
  if (heights.every((h) => h <= 0)) {
    yield new Float64Array(d);
    return;
  }
  const squares = rays.map((ray) => dot(ray, ray));
  yield new Float64Array(d);
  for (let k = 0; k < d; k++) if (heights[k]! > 0) yield rays[k]!.map((v) => (v * heights[k]!) / squares[k]!);
  const whole = through(heights, rays);
  if (whole) yield whole;
  if (d > 2 || !whole) yield byCoordinates(heights, rays, squares);
}

/** Dual ascent: each step puts one ray's height right, if with a multiple that is not below 0. */
function byCoordinates(heights: Vector, rays: readonly Vector[], squares: readonly number[]): Vector {
  const d = rays.length;
  const y = new Float64Array(d);
  const multiples = new Float64Array(d);
  const scale = Math.max(...heights);
  for (let sweep = 0; sweep < 60; sweep++) {
    let moved = 0;
    for (let k = 0; k < d; k++) {
      const next = Math.max(0, multiples[k]! + (heights[k]! - dot(y, rays[k]!)) / squares[k]!);
      const change = next - multiples[k]!;
      if (change === 0) continue;
      multiples[k] = next;
      moved = Math.max(moved, Math.abs(change) * Math.sqrt(squares[k]!));
      for (let c = 0; c < d; c++) y[c]! += change * rays[k]![c]!;
    }
    if (moved < 1e-12 * scale) break;
  }
  return y;
}

/** y with <y, r_k> = h_k, by elimination; undefined where rays are dependent for doubles. */
function through(heights: Vector, rays: readonly Vector[]): Vector | undefined {
  const d = rays.length;
  const a = rays.map((ray, k) => Float64Array.of(...ray, heights[k]!));
  for (let c = 0; c < d; c++) {
    let best = c;
    for (let r = c + 1; r < d; r++) if (Math.abs(a[r]![c]!) > Math.abs(a[best]![c]!)) best = r;
    [a[c], a[best]] = [a[best]!, a[c]!];
    const pivot = a[c]![c]!;
    if (pivot === 0) return undefined;
    for (let r = c + 1; r < d; r++) {
      const factor = a[r]![c]! / pivot;
      if (factor !== 0) for (let k = c; k <= d; k++) a[r]![k]! -= factor * a[c]![k]!;
    }
  }
  const y = new Float64Array(d);
  for (let c = d - 1; c >= 0; c--) {
    let rest = a[c]![d]!;
    for (let k = c + 1; k < d; k++) rest -= a[c]![k]! * y[k]!;
    y[c] = rest / a[c]![c]!;
  }
  return y.every(Number.isFinite) ? y : undefined;
}
