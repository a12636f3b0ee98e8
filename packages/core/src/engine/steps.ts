// Long computations in steps, between which whoever runs them may look at the clock or let others run.

export type Steps<T> = Generator<void, T>;

/**
 * All steps at once.
 * @example finished((function* () { yield; return 3; })()) // 3
 */
export function finished<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value as T;
  }
}
