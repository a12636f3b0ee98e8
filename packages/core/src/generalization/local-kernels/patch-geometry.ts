// Windows of a convolution along one axis: how many there are, and how often they meet.

export interface PatchGeometry {
  /** Windows. */
  readonly patches: number;
  /** How many windows each tap of the kernel falls inside the input in: it meets padding in the others. */
  readonly tapCounts: readonly number[];
  /** In how many windows each input position is. */
  readonly coverage: readonly number[];
  /** The greatest of these. */
  readonly multiplicity: number;
}

export interface AxisWindows {
  readonly size: number;
  readonly kernel: number;
  readonly stride: number;
  readonly dilation?: number;
  readonly before?: number;
  readonly after?: number;
}

/**
 * Counts windows, taps and overlaps along an axis.
 * @example patchGeometry({ size: 5, kernel: 3, stride: 2 }).coverage // [1, 1, 2, 1, 1]
 */
export function patchGeometry({
  size,
  kernel,
  stride,
  dilation = 1,
  before = 0,
  after = 0,
}: AxisWindows): PatchGeometry {
  const extent = (kernel - 1) * dilation + 1;
  const patches = Math.max(0, Math.floor((size + before + after - extent) / stride) + 1);
  const tapCounts = new Array<number>(kernel).fill(0);
  const coverage = new Array<number>(size).fill(0);
  for (let p = 0; p < patches; p++)
    for (let tap = 0; tap < kernel; tap++) {
      const at = p * stride + tap * dilation - before;
      if (at < 0 || at >= size) continue;
      tapCounts[tap]!++;
      coverage[at]!++;
    }
  return { patches, tapCounts, coverage, multiplicity: Math.max(0, ...coverage) };
}

/**
 * P = (D - O) / (K - O) patches of size K with overlap O in D coordinates, where that is a whole number.
 * @example patchCount(10, 4, 2) // 4
 */
export const patchCount = (D: number, K: number, O: number): number => (D - O) / (K - O);

/**
 * Conjectured factor on the squared input norm, K / (K - O), and the proved one: no coordinate is in more patches.
 * @example overlapFactors(3, 1) // { conjectured: 1.5, proved: 2 }
 */
export const overlapFactors = (
  K: number,
  O: number,
): { readonly conjectured: number; readonly proved: number } => ({
  conjectured: K / (K - O),
  proved: Math.ceil(K / (K - O)),
});
