// Classifiers of a line that change their sign at most w times: which of them fits labels best, and the ReLU network
// (1, w, 1) that is it.

export interface BestSigns {
  /** max over signs s with at most so many changes of sum_i s_i y_i. */
  readonly sum: number;
  /** The signs that attain it, 1 or -1. */
  readonly signs: Int8Array;
}

/**
 * The signs with at most `changes` changes that agree most with labels (1 or -1, from left to right).
 * @example bestSigns([1, -1, -1, 1], 1).sum // 2
 */
export function bestSigns(labels: ArrayLike<number>, changes: number): BestSigns {
  const m = labels.length;
  const states = 2 * (changes + 1); // state 2 c + b: c changes so far, and the sign is 1 (b = 1) or -1 (b = 0)
  const best = new Float64Array(states).fill(Number.NEGATIVE_INFINITY);
  [best[0], best[1]] = [0, 0];
  const changed = new Uint8Array(m * states);
  for (let i = 0; i < m; i++)
    for (let s = states - 1; s >= 0; s--) {
      const before = s >= 2 ? s - 2 + (s % 2 === 0 ? 1 : -1) : -1; // one change less, the other sign
      if (i > 0 && before >= 0 && best[before]! > best[s]!) {
        best[s] = best[before]!;
        changed[i * states + s] = 1;
      }
      best[s]! += s % 2 === 1 ? labels[i]! : -labels[i]!;
    }
  let state = best.indexOf(best.reduce((a, b) => Math.max(a, b)));
  const sum = best[state]!;
  const signs = new Int8Array(m);
  for (let i = m - 1; i >= 0; i--) {
    signs[i] = state % 2 === 1 ? 1 : -1;
    if (changed[i * states + state]) state = state - 2 + (state % 2 === 0 ? 1 : -1);
  }
  return { sum, signs };
}

/**
 * A network (1, w, 1) of ReLUs with these signs at these points (ascending): slopes 1 and -1 by turns, a kink to the left
 * of all points and one between any two changes of the sign.
 * @example signNetwork([0, 1, 2], [1, -1, -1], 2)[0].W.length // 2
 */
export function signNetwork(points: ArrayLike<number>, signs: ArrayLike<number>, units: number) {
  const changes: number[] = [];
  for (let i = 1; i < points.length; i++)
    if (signs[i] !== signs[i - 1]) changes.push((points[i - 1]! + points[i]!) / 2);
  if (changes.length > units)
    throw new RangeError(`${changes.length} changes of the sign need as many units, not ${units}`);
  const first = signs[0]!;
  const kinks = changes.map((c, i) => (i === 0 ? points[0]! - 1 : (changes[i - 1]! + c) / 2));
  const turns = kinks.map((_, i) => (i === 0 ? -first : (i % 2 === 1 ? 2 : -2) * first));
  const unused = new Array<number>(units - kinks.length).fill(0);
  return [
    { W: [...kinks.map(() => [1]), ...unused.map(() => [0])], b: [...kinks.map((t) => -t), ...unused] },
    { W: [[...turns, ...unused]], b: [changes.length === 0 ? first : first * (changes[0]! - kinks[0]!)] },
  ] as const;
}
