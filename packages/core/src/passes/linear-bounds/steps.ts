// Long computations in steps, between which whoever runs them may look at the clock or let others run.

export type Steps<T> = Generator<void, T>;

/**
 * All steps at once.
 * @example finished(bounder.bounding(box))
 */
export function finished<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value as T;
  }
}
