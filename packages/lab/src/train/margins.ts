// What the scores of a network say about two or more classes.

/** The score of the right class less the best other one; of a single output, times -1 or 1. */
export function marginsFrom(scores: ArrayLike<number>, classes: Uint8Array): Float32Array {
  const outputs = scores.length / classes.length;
  return Float32Array.from(classes, (right, n) => {
    if (outputs === 1) return (2 * right - 1) * scores[n]!;
    let other = Number.NEGATIVE_INFINITY;
    for (let k = 0; k < outputs; k++) if (k !== right) other = Math.max(other, scores[n * outputs + k]!);
    return scores[n * outputs + right]! - other;
  });
}

/** Class 1 against class 0: the one output, or the difference of two. */
export function contrast(scores: Float32Array, outputs: number): Float32Array {
  if (outputs === 1) return scores.slice();
  const found = new Float32Array(scores.length / outputs);
  for (let n = 0; n < found.length; n++) found[n] = scores[n * outputs + 1]! - scores[n * outputs]!;
  return found;
}

/** The place of the greatest score in each row. */
export function guessesFrom(scores: ArrayLike<number>, outputs: number): Uint8Array {
  return Uint8Array.from({ length: scores.length / outputs }, (_, n) => {
    let best = 0;
    for (let k = 1; k < outputs; k++) if (scores[n * outputs + k]! > scores[n * outputs + best]!) best = k;
    return best;
  });
}

/** e^s_k / sum e^s_j; of one score s, the odds (1 - p, p) with p = 1 / (1 + e^-s). */
export function probabilities(scores: ArrayLike<number>): readonly number[] {
  const all = scores.length === 1 ? [0, scores[0]!] : Array.from(scores);
  const top = Math.max(...all);
  const powers = all.map((s) => Math.exp(s - top));
  const whole = powers.reduce((sum, p) => sum + p, 0);
  return powers.map((p) => p / whole);
}

export interface Histogram {
  readonly from: number;
  readonly to: number;
  readonly counts: readonly number[];
}

/** Counts in cells of equal width, with 0 on the border of two of them. */
export function histogram(values: ArrayLike<number>, cells = 24): Histogram {
  let [least, most] = [0, 0];
  for (let k = 0; k < values.length; k++) {
    least = Math.min(least, values[k]!);
    most = Math.max(most, values[k]!);
  }
  const size = niceAbove((most - least) / (cells - 1) || 0.1);
  const from = Math.floor(least / size);
  const counts = new Array<number>(cells).fill(0);
  for (let k = 0; k < values.length; k++)
    counts[Math.min(cells - 1, Math.max(0, Math.floor(values[k]! / size) - from))]!++;
  return { from: from * size, to: (from + cells) * size, counts };
}

/** The least of 1, 2, 5 times a power of ten that is not below. */
function niceAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((m) => m * power).find((size) => size >= value * (1 - 1e-12)) ?? 10 * power;
}
