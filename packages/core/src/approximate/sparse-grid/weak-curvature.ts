// A function whose second derivative is only in L_p: f'' = |x - 1/3|^-a is in L_p for a < 1/p.

/**
 * sup |f - f_n| of the dyadic interpolant with mesh 2^-n. The sup lies in the cell of 1/3, which sits a third of the
 * cell from one end at every level, and lines are interpolated exactly: it is c(a) 2^-n(2-a).
 * @example weakCurvatureError(0, 1) / weakCurvatureError(0, 2) // 4
 */
export function weakCurvatureError(a: number, level: number): number {
  const f = (t: number): number => Math.abs(t - 1 / 3) ** (2 - a) / ((1 - a) * (2 - a));
  const below = (t: number): number => (1 - t) * f(0) + t * f(1) - f(t);
  let [low, high] = [0, 1]; // in the cell's own coordinate; f is convex, so a ternary search finds the greatest gap
  for (let step = 0; step < 100; step++) {
    const [s, t] = [low + (high - low) / 3, high - (high - low) / 3];
    if (below(s) < below(t)) low = s;
    else high = t;
  }
  return below((low + high) / 2) * 2 ** (-level * (2 - a));
}
