// Where the second derivative of a function changes its sign.

type Inflections = (from: number, to: number) => readonly number[];

export const noInflection: Inflections = () => [];
export const inflectionAtZero: Inflections = (from, to) => (from < 0 && to > 0 ? [0] : []);

/** More are not listed: every one is a knot of its own. */
const mostInflections = 200_000;

/** At phase + k pi, for all integers k. */
export const inflectionsFrom =
  (phase: number): Inflections =>
  (from, to) => {
    const first = Math.floor((from - phase) / Math.PI) + 1;
    const last = Math.ceil((to - phase) / Math.PI) - 1;
    const count = Math.max(0, last - first + 1);
    if (count > mostInflections)
      throw new RangeError(
        `it has ${count.toExponential(1)} inflections on ${from}..${to}, more than ${mostInflections}`,
      );
    return Array.from({ length: count }, (_, k) => (first + k) * Math.PI + phase);
  };
