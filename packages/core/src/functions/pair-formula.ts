// Closed forms of Gaussian expectations, written once for all who compute them: for numbers here, and as instructions for two
// pairs at a time where there are many (kernels/limit/pair-kernel.ts).

/** What a formula of a pair may use. Nothing is decided on the way, so that any number of pairs can be computed at once. */
export interface PairArithmetic<T> {
  number(x: number): T;
  plus(x: T, y: T): T;
  minus(x: T, y: T): T;
  times(x: T, y: T): T;
  over(x: T, y: T): T;
  root(x: T): T;
  greater(x: T, y: T): T;
  lesser(x: T, y: T): T;
}

/** E f(u) f(v) and E f'(u) f'(v) from the covariance k and the variances a and b. */
export type PairFormula = <T>(
  of: PairArithmetic<T>,
  k: T,
  a: T,
  b: T,
) => { readonly value: T; readonly slope: T };

export const plainNumbers: PairArithmetic<number> = {
  number: (x) => x,
  plus: (x, y) => x + y,
  minus: (x, y) => x - y,
  times: (x, y) => x * y,
  over: (x, y) => x / y,
  root: Math.sqrt,
  greater: Math.max,
  lesser: Math.min,
};

/** arctan w = w + w^3 P(w^2) / Q(w^2): the highest coefficient first, then the others. */
const numerator = [
  -0.0007432158235088789,
  [-0.02357797486003404, -0.19021253218671116, -0.5842363689529578, -0.7459667399527131, -0.3333333333333303],
] as const;
const denominator = [
  0.0008235719664412683,
  [0.0329079060011869, 0.34905284642965556, 1.503854664321873, 3.0268778102231604, 2.8379002198574392, 1],
] as const;

/**
 * The angle of a point (x, y), x >= 0, at a distance of `length` from the origin: from -pi/2 to pi/2, and 0 at the origin. It
 * is twice the angle at w = y / (x + length), whose arctangent P and Q give up to 7e-18 of itself (by weighted least squares at
 * Chebyshev's points in 40 digits). With the roundings of the root and the sum it is right to three units in its last place.
 * @example angle(plainNumbers, 1, 1, Math.SQRT2).toFixed(12) // "0.785398163397"
 */
export function angle<T>(of: PairArithmetic<T>, y: T, x: T, length: T): T {
  const { number, plus, times } = of;
  const across = of.greater(plus(x, length), number(Number.MIN_VALUE));
  const w = of.lesser(of.greater(of.over(y, across), number(-1)), number(1));
  const s = times(w, w);
  const sum = ([highest, others]: typeof numerator | typeof denominator): T => {
    let found = number(highest);
    for (const c of others) found = plus(times(found, s), number(c));
    return found;
  };
  const half = plus(w, of.over(times(times(w, s), sum(numerator)), sum(denominator)));
  return plus(half, half);
}
