// What a recovered picture is worth: errors, PSNR, SSIM, and means with intervals (book, chapter 9.3).
import { studentTQuantile } from "../numbers/statistics.ts";
import { InverseError } from "./error.ts";
import { pictureOf } from "./shape.ts";

/**
 * |x - truth|^2 / n.
 * @example meanSquaredError(Float64Array.of(1, 2), Float64Array.of(1, 4)) // 2
 */
export function meanSquaredError(x: Float64Array, truth: Float64Array): number {
  if (x.length !== truth.length) throw new InverseError(`${x.length} numbers and ${truth.length}`);
  return x.reduce((sum, v, k) => sum + (v - truth[k]!) ** 2, 0) / x.length;
}

/**
 * Peak signal-to-noise ratio in dB: 10 log10(peak^2 / mean squared error).
 * @example peakSignalToNoise(Float64Array.of(0.1, 0.1), Float64Array.of(0, 0), 1) // 20
 */
export const peakSignalToNoise = (x: Float64Array, truth: Float64Array, peak: number): number =>
  10 * Math.log10(peak ** 2 / meanSquaredError(x, truth));

/** The side of the windows of SSIM, and its constants (0.01 peak)^2 and (0.03 peak)^2 (Wang et al. 2004). */
const [side, stabilizers] = [7, [0.01, 0.03] as const];

/**
 * Structural similarity: over all windows of 7 x 7 pixels the mean of
 * (2 m m' + c1) (2 cov + c2) / ((m^2 + m'^2 + c1) (var + var' + c2)), with sample variances.
 * @example structuralSimilarity(new Float64Array(64).fill(1), new Float64Array(64).fill(1), [8, 8], 1) // 1
 */
export function structuralSimilarity(
  x: Float64Array,
  truth: Float64Array,
  shape: readonly number[],
  peak: number,
): number {
  const { channels, rows, columns } = pictureOf(shape);
  if (rows < side || columns < side)
    throw new InverseError(
      `SSIM looks at windows of ${side} x ${side} pixels, the picture has ${rows} x ${columns}`,
    );
  const [c1, c2] = stabilizers.map((c) => (c * peak) ** 2) as [number, number];
  const n = side * side;
  let [total, count] = [0, 0];
  for (let c = 0; c < channels; c++)
    for (let i = 0; i + side <= rows; i++)
      for (let j = 0; j + side <= columns; j++) {
        let [a, b, aa, bb, ab] = [0, 0, 0, 0, 0];
        for (let p = 0; p < n; p++) {
          const k = (c * rows + i + Math.floor(p / side)) * columns + j + (p % side);
          const [u, v] = [x[k]!, truth[k]!];
          a += u;
          b += v;
          aa += u * u;
          bb += v * v;
          ab += u * v;
        }
        const [ma, mb] = [a / n, b / n];
        const [va, vb, cov] = [aa - n * ma * ma, bb - n * mb * mb, ab - n * ma * mb].map(
          (v) => v / (n - 1),
        ) as [number, number, number];
        total += ((2 * ma * mb + c1) * (2 * cov + c2)) / ((ma ** 2 + mb ** 2 + c1) * (va + vb + c2));
        count++;
      }
  return total / count;
}

export interface MeanInterval {
  readonly mean: number;
  /** The mean lies in mean -+ halfWidth with this confidence, if the numbers are normal. */
  readonly halfWidth: number;
}

/**
 * The mean of numbers with Student's interval about it.
 * @example meanInterval([1, 2, 3]).mean // 2
 */
export function meanInterval(values: readonly number[], confidence = 0.95): MeanInterval {
  const n = values.length;
  const mean = values.reduce((a, b) => a + b, 0) / n;
  if (n < 2) return { mean, halfWidth: Number.POSITIVE_INFINITY };
  const variance = values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / (n - 1);
  return { mean, halfWidth: studentTQuantile(n - 1, (1 + confidence) / 2) * Math.sqrt(variance / n) };
}
