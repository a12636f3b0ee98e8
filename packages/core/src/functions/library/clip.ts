// min(high, max(low, x)), for low <= high.
import type { Curve } from "../curves.ts";

export const clip = (low: number, high: number): Curve => ({
  name: `Clip ${low} ${high}`,
  isExact: true,
  inflection: Number.isFinite(low)
    ? Number.isFinite(high)
      ? low / 2 + high / 2
      : Number.POSITIVE_INFINITY
    : Number.NEGATIVE_INFINITY,
  value: (z) => Math.min(high, Math.max(low, z)),
  slope: (z) => (z > low && z < high ? 1 : 0),
  stationary: () => [low, high].filter(Number.isFinite),
});
