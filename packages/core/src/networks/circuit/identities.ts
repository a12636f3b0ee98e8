// The two facts that squares by folds and products by squares rest on, whoever writes their units.

/**
 * The interpolant of t^2 on [0, 1] at k / 2^levels lies above it by at most 4^-(levels+1) (Yarotsky 2017).
 * @example squareGap(3) // 0.00390625
 */
export const squareGap = (levels: number): number => 4 ** -(levels + 1);

/** x y = gain (p^2 - q^2) with p, q = scales[0] x +- scales[1] y. */
export interface Polarization {
  readonly gain: number;
  readonly scales: readonly [number, number];
}

/**
 * x y = A B (p^2 - q^2), p, q = x / 2A +- y / 2B: p and q lie in [-1, 1] where |x| <= A and |y| <= B.
 * @example polarization(2, 1) // { gain: 2, scales: [0.25, 0.5] }
 */
export const polarization = (A: number, B: number): Polarization => ({
  gain: A * B,
  scales: [0.5 / A, 0.5 / B],
});
