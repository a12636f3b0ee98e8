// The sizes at which a rate is measured.

/**
 * Whole numbers from `least` to `most`, about equally far apart in logarithms. A rate takes many of them: with n points, the
 * interval that decides is 4000 standard errors wide for n = 3, 60 for n = 5, and 13 for n = 20.
 * @example geometricSizes(4, 32, 4) // [4, 8, 16, 32]
 */
export const geometricSizes = (least: number, most: number, count: number): readonly number[] => [
  ...new Set(
    Array.from({ length: count }, (_, k) => Math.round(least * (most / least) ** (k / (count - 1)))),
  ),
];
