// Algorithmic robustness (Xu and Mannor 2012): losses that hardly change inside the cells of a fixed partition.

export interface RobustnessFacts {
  /** The greatest difference of the losses of an example and of a point of its cell. */
  readonly zeta: number;
  /** ln of the number of cells. */
  readonly logCells: number;
  readonly m: number;
  /** Losses lie in [0, M]. */
  readonly M: number;
  readonly delta: number;
}

/**
 * |R - R_S| <= zeta + M sqrt((2 K ln 2 + 2 ln(1/delta)) / m); infinite where K overflows.
 * @example robustnessGap({ zeta: 0, logCells: Math.log(100), m: 1000, M: 1, delta: 0.05 }) // 0.3802...
 */
export const robustnessGap = ({ zeta, logCells, m, M, delta }: RobustnessFacts): number =>
  zeta + M * Math.sqrt((2 * Math.exp(logCells) * Math.LN2 + 2 * Math.log(1 / delta)) / m);

/**
 * ln of the number of cells of side g on [0, 1]^d, for each class.
 * @example logGridCells({ d: 784, side: 0.5, classes: 10 }) / Math.LN10 // 237.0...
 */
export const logGridCells = ({
  d,
  side,
  classes,
}: {
  readonly d: number;
  readonly side: number;
  readonly classes: number;
}): number => Math.log(classes) + d * Math.log(Math.ceil(1 / side));

/**
 * zeta(S): over the examples of the sample and the points of the population in the same cell.
 * @example seenRobustness([0, 1, 5], [0, 0, 1], [0]) // 1
 */
export function seenRobustness(
  losses: ArrayLike<number>,
  cells: ArrayLike<number>,
  sample: ArrayLike<number>,
): number {
  const ends = new Map<number, { least: number; most: number }>();
  for (let j = 0; j < losses.length; j++) {
    const [cell, loss] = [cells[j]!, losses[j]!];
    const { least, most } = ends.get(cell) ?? { least: loss, most: loss };
    ends.set(cell, { least: Math.min(least, loss), most: Math.max(most, loss) });
  }
  let zeta = 0;
  for (let i = 0; i < sample.length; i++) {
    const { least, most } = ends.get(cells[sample[i]!]!)!;
    const loss = losses[sample[i]!]!;
    zeta = Math.max(zeta, most - loss, loss - least);
  }
  return zeta;
}
