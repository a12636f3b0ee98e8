// Round numbers along an axis.

export interface Tick {
  readonly at: number;
  readonly label: string;
}

/** The least of 1, 2, 5, 10 ... times a power of ten that is not below x. */
export function roundUp(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x));
  const step = [1, 2, 5, 10].find((k) => k * power >= x * (1 - 1e-9)) ?? 10;
  return Number((step * power).toPrecision(1));
}

/** About `count` round numbers from lower to upper: 0, 0.5, 1. */
export function ticks(lower: number, upper: number, count: number): readonly Tick[] {
  if (!(upper > lower)) return [{ at: lower, label: label(lower, 0) }];
  const step = roundUp((upper - lower) / count);
  const first = Math.ceil(lower / step - 1e-9);
  const last = Math.floor(upper / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, k) => {
    const at = Number(((first + k) * step).toPrecision(12));
    return { at, label: label(at, step) };
  });
}

function label(at: number, step: number): string {
  if (at === 0) return "0";
  const size = Math.max(Math.abs(at), step);
  const text = size < 1e-3 || size >= 1e5 ? at.toExponential().replace("e+", "e") : String(at);
  return text.replaceAll("-", "−");
}

/** A range with some room, never empty. */
export function roomy(values: Iterable<number>): readonly [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  if (!(low <= high)) return [0, 1];
  const room = 0.05 * (high - low) || 0.05 * Math.abs(high) || 1;
  return [low - room, high + room];
}
