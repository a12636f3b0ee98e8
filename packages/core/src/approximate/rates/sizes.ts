// The sizes at which a rate is measured.

/**
 * Whole numbers from `least` to `most`, about equally far apart in logarithms. A rate takes many of them: the
 * interval that decides reaches 1000 standard errors to each side for 4 points, 20 for 8, and 7 for 20.
 * @example geometricSizes(4, 32, 4) // [4, 8, 16, 32]
 */
export const geometricSizes = (least: number, most: number, count: number): readonly number[] => [
  ...new Set(
    Array.from({ length: count }, (_, k) => Math.round(least * (most / least) ** (k / (count - 1)))),
  ),
];
