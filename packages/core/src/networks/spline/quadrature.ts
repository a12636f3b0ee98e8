// Gauss quadrature for smooth functions of one variable.

/** Nodes and weights of Gauss and Legendre on [-1, 1], eight points: exact to degree 15. */
const gauss = [
  [0.1834346424956498, 0.362683783378362],
  [0.525532409916329, 0.3137066458778873],
  [0.7966664774136267, 0.2223810344533745],
  [0.9602898564975363, 0.1012285362903763],
].flatMap(([x, w]) => [
  [-x!, w!],
  [x!, w!],
]) as readonly (readonly [number, number])[];

/**
 * The integral of a function that is smooth on [from, to]: one panel, exact for polynomials of degree 15.
 * @example integral((x) => x ** 3, 0, 2) // 4
 */
export function integral(g: (x: number) => number, from: number, to: number): number {
  const [centre, radius] = [(from + to) / 2, (to - from) / 2];
  return radius * gauss.reduce((sum, [x, w]) => sum + w * g(centre + radius * x), 0);
}

/** The integral from the first to the last of these points, with so many panels between neighbours. */
export function integralBetween(g: (x: number) => number, points: readonly number[], panels = 1): number {
  let sum = 0;
  for (let k = 0; k + 1 < points.length; k++) {
    const [from, step] = [points[k]!, (points[k + 1]! - points[k]!) / panels];
    for (let p = 0; p < panels; p++) sum += integral(g, from + p * step, from + (p + 1) * step);
  }
  return sum;
}
