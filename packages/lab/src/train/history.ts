// Curves of a run that may be long: when there are too many points, every second one goes.
export interface Course<T> {
  readonly points: readonly T[];
  /** Of so many points that come, one is kept. */
  readonly every: number;
  readonly seen: number;
}

export const emptyCourse: Course<never> = { points: [], every: 1, seen: 0 };

/** The course with one more point; never more than `most` of them. */
export function extended<T>({ points, every, seen }: Course<T>, point: T, most = 400): Course<T> {
  const kept = seen % every === 0 ? [...points, point] : points;
  if (kept.length <= most) return { points: kept, every, seen: seen + 1 };
  return { points: kept.filter((_, k) => k % 2 === 0), every: 2 * every, seen: seen + 1 };
}
