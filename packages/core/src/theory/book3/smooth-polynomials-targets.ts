// Functions of one variable that C3-07 approximates, and their polynomials.
export const smoothTargets = {
  "sin 2x": (x: number) => Math.sin(2 * x),
  "exp x": Math.exp,
  "1 / (1 + 4x²)": (x: number) => 1 / (1 + 4 * x * x),
  "|x|": Math.abs,
} as const;

/** The polynomial that agrees with f at K + 1 Chebyshev points, in powers of x; f even or odd keeps it so. */
export function chebyshevInterpolant(f: (x: number) => number, K: number): number[] {
  const nodes = Array.from({ length: K + 1 }, (_, i) => Math.cos(((2 * i + 1) * Math.PI) / (2 * K + 2)));
  const result = new Array<number>(K + 1).fill(0);
  let [before, now]: [number[], number[]] = [[], [1]];
  for (let j = 0; j <= K; j++) {
    const c =
      ((j === 0 ? 1 : 2) / (K + 1)) * nodes.reduce((sum, x) => sum + f(x) * Math.cos(j * Math.acos(x)), 0);
    if (Math.abs(c) > 2 ** -48) for (const [k, t] of now.entries()) result[k]! += c * t;
    const twice = [0, ...now].map((t) => (j === 0 ? t : 2 * t)); // T_{j+1} = 2 x T_j - T_{j-1}
    [before, now] = [now, twice.map((t, k) => t - (before[k] ?? 0))];
  }
  return result;
}
