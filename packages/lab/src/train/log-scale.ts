// Axes and lines of the small charts.

export interface Scale {
  readonly from: number;
  readonly to: number;
  /** Powers of ten between them, not too many. */
  readonly ticks: readonly number[];
  /** 0 at `from`, 1 at `to`. */
  readonly place: (value: number) => number;
}

/** A logarithmic axis of whole decades around all values above 0. */
export function decades(values: Iterable<number>, mostTicks = 6): Scale {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const value of values) {
    if (!(value > 0 && Number.isFinite(value))) continue;
    [least, most] = [Math.min(least, value), Math.max(most, value)];
  }
  if (most === 0) [least, most] = [0.1, 1];
  const low = Math.floor(Math.log10(least) + 1e-9);
  const high = Math.max(low + 1, Math.ceil(Math.log10(most) - 1e-9));
  const every = Math.ceil((high - low) / (mostTicks - 1));
  const ticks = Array.from(
    { length: Math.floor((high - low) / every) + 1 },
    (_, k) => 10 ** (low + k * every),
  );
  const place = (value: number): number =>
    value > 0 ? Math.max(0, Math.min(1, (Math.log10(value) - low) / (high - low))) : 0;
  return { from: 10 ** low, to: 10 ** high, ticks, place };
}

/** An SVG path through points, without those that are no numbers. */
export function linePath(points: Iterable<readonly [number, number]>): string {
  let path = "";
  for (const [x, y] of points)
    if (Number.isFinite(x) && Number.isFinite(y))
      path += `${path ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`;
  return path;
}
