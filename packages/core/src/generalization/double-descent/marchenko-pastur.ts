// Eigenvalues of sample covariances in the limit d/m -> kappa, and the risk of ridge and ridgeless regression there.

/** The law of the eigenvalues of X^T X / m: a density between two edges, and what lies at 0. */
export interface MarchenkoPastur {
  readonly edges: readonly [number, number];
  /** The share of eigenvalues 0. */
  readonly atom: number;
  density(x: number): number;
  /** The integral of f over the density; f is bounded between the edges. */
  integral(f: (x: number) => number): number;
}

const nodes = 4096;

/**
 * Features with independent entries of variance 1, d/m -> kappa: edges (1 -+ sqrt(kappa))^2, density
 * sqrt((b - x)(x - a)) / (2 pi kappa x), an atom of 1 - 1/kappa at 0 for kappa > 1.
 * @example marchenkoPastur(4).edges // [1, 9]
 */
export function marchenkoPastur(kappa: number): MarchenkoPastur {
  const root = Math.sqrt(kappa);
  const edges = [(1 - root) ** 2, (1 + root) ** 2] as const;
  const [a, b] = edges;
  const density = (x: number): number =>
    x > a && x < b ? Math.sqrt((b - x) * (x - a)) / (2 * Math.PI * kappa * x) : 0;
  // x = 1 + kappa - 2 sqrt(kappa) cos t: the integrand is smooth and periodic, and the trapezoidal rule is exact enough.
  const integral = (f: (x: number) => number): number => {
    let sum = 0;
    for (let k = 0; k < nodes; k++) {
      const t = (Math.PI * (k + 0.5)) / nodes;
      const x = 1 + kappa - 2 * root * Math.cos(t);
      sum += (f(x) * 2 * Math.sin(t) ** 2) / x;
    }
    return sum / nodes;
  };
  return { edges, atom: Math.max(0, 1 - 1 / kappa), density, integral };
}

export interface LimitTask {
  /** d/m */
  readonly kappa: number;
  /** |theta*|^2 */
  readonly signal: number;
  /** E[nu^2] */
  readonly noise: number;
  /** lambda of |X theta - y|^2 / m + lambda |theta|^2; 0 is the solution of least norm. */
  readonly ridge?: number;
}

/**
 * Bias and variance as d, m -> infinity. Ridgeless: |theta*|^2 max(1 - 1/kappa, 0) and
 * E[nu^2] (1 - max(1 - kappa, 0)) / |1 - kappa|. With a ridge: |theta*|^2 lambda^2 s' and E[nu^2] kappa (s - lambda s'), s the
 * Stieltjes transform at -lambda and s' = -ds/dlambda (Hastie, Montanari, Rosset, Tibshirani 2022).
 * @example limitRisk({ kappa: 2, signal: 1, noise: 1 }) // ({ bias: 0.5, variance: 1 })
 */
export function limitRisk({ kappa, signal, noise, ridge = 0 }: LimitTask): {
  readonly bias: number;
  readonly variance: number;
} {
  if (ridge === 0)
    return {
      bias: signal * Math.max(0, 1 - 1 / kappa),
      variance: (noise * (1 - Math.max(1 - kappa, 0))) / Math.abs(1 - kappa),
    };
  const { s, slope } = stieltjes(kappa, ridge);
  return { bias: signal * ridge ** 2 * slope, variance: noise * kappa * (s - ridge * slope) };
}

/** s(lambda), the root of kappa lambda s^2 + (1 - kappa + lambda) s - 1 = 0 that is positive, and -ds/dlambda. */
function stieltjes(kappa: number, lambda: number): { readonly s: number; readonly slope: number } {
  const linear = 1 - kappa + lambda;
  const root = Math.sqrt(linear * linear + 4 * kappa * lambda);
  const s = linear > 0 ? 2 / (linear + root) : (root - linear) / (2 * kappa * lambda); // no cancellation
  return { s, slope: (kappa * s * s + s) / root }; // by the derivative of the equation
}

/**
 * Beyond kappa = 1 the ridgeless risk falls to its least value where signal r^2 is above noise sigma^2, then rises again:
 * at kappa = r / (r - sigma), with risk 2 r sigma - sigma^2. Otherwise it falls for ever, towards r^2.
 * @example secondDescent(4, 1) // ({ kappa: 2, risk: 3 })
 */
export function secondDescent(
  signal: number,
  noise: number,
): { readonly kappa: number; readonly risk: number } {
  const [r, sigma] = [Math.sqrt(signal), Math.sqrt(noise)];
  return r > sigma
    ? { kappa: r / (r - sigma), risk: 2 * r * sigma - noise }
    : { kappa: Infinity, risk: signal };
}

/**
 * The ridge with the least limit risk: kappa E[nu^2] / |theta*|^2.
 * @example bestRidge({ kappa: 2, signal: 4, noise: 1 }) // 0.5
 */
export const bestRidge = ({ kappa, signal, noise }: LimitTask): number => (kappa * noise) / signal;
