// The course of both bounds as a picture: seconds across, powers of ten upward.
import type { CompareBounds } from "../worker/jobs/compare.ts";

export interface BoundsCurve {
  readonly seen: string;
  readonly proved: string;
  readonly tolerance: number | undefined;
  /** Powers of ten, with their heights. */
  readonly ticks: readonly { readonly label: string; readonly y: number }[];
}

export const [width, height] = [560, 150];

/** Paths in a box of `width` by `height`; undefined while there is nothing to draw. */
export function boundsCurve(
  course: readonly CompareBounds[],
  tolerance: number | undefined,
): BoundsCurve | undefined {
  const values = course.flatMap(({ lower, upper }) => [lower, upper]);
  const drawn = [...values, tolerance ?? 0].filter((v) => v > 0 && Number.isFinite(v)).map(Math.log10);
  if (drawn.length === 0 || course.length === 0) return undefined;
  const greatest = Math.max(...drawn);
  // Far below, nothing is to be seen of what matters.
  const least = Math.max(Math.min(...drawn), greatest - 6);
  const [top, bottom] = [Math.ceil(greatest + 0.1), Math.floor(least - 0.1)];
  const time = Math.max(course.at(-1)!.seconds, 0.05);
  const x = (seconds: number): number => (seconds / time) * width;
  const y = (value: number): number => {
    const power = value > 0 ? Math.log10(value) : bottom;
    return height * (1 - (Math.min(top, Math.max(bottom, power)) - bottom) / (top - bottom));
  };
  const path = (of: (b: CompareBounds) => number): string =>
    course
      .map((b, k) => {
        const [right, at] = [x(b.seconds).toFixed(1), y(of(b)).toFixed(1)];
        return k === 0 ? `M0,${at}L${right},${at}` : `H${right}V${at}`;
      })
      .join("");
  const powers = Array.from({ length: top - bottom + 1 }, (_, k) => bottom + k);
  const every = Math.ceil(powers.length / 5);
  return {
    seen: path(({ lower }) => lower),
    proved: path(({ upper }) => upper),
    tolerance: tolerance !== undefined && tolerance > 0 ? y(tolerance) : undefined,
    ticks: powers.filter((p) => (p - bottom) % every === 0).map((p) => ({ label: `1e${p}`, y: y(10 ** p) })),
  };
}
