// Patterns and VC dimension of networks with piecewise polynomial activations (Bartlett, Harvey, Liaw and Mehrabian 2019).

export interface PiecewiseNetwork {
  /** Input first, output last. All weights and biases are counted. */
  readonly widths: readonly number[];
  /** Breakpoints of the activation, and the greatest degree of its pieces. ReLU: 1 and 1. */
  readonly breakpoints?: number;
  readonly degree?: number;
}

interface Level {
  /** Parameters that the polynomials of the layer depend on. */
  readonly W: number;
  /** Polynomials a point. */
  readonly count: number;
  readonly degree: number;
}

function levelsOf({ widths, breakpoints = 1, degree = 1 }: PiecewiseNetwork): readonly Level[] {
  let through = 0;
  return widths.slice(1).map((k, l) => {
    const own = k * (widths[l]! + 1);
    through += own;
    const isLast = l === widths.length - 2;
    // The last layer is read by its sign, or, with several outputs, by the signs of all differences.
    const count = isLast ? Math.max(1, (k * (k - 1)) / 2) : k * breakpoints;
    return { W: degree === 0 ? own : through, count, degree: 1 + l * degree ** l };
  });
}

/** The sum of all levels' parameters: the bound on patterns holds from this many points on. */
const leastPoints = (levels: readonly Level[]): number => levels.reduce((sum, { W }) => sum + W, 0);

/**
 * ln of a bound on the patterns (of signs, or of greatest outputs) on m points:
 * prod_i 2 (2 e m k_i p d_i / W_i)^W_i for m >= sum W_i, d_i = 1 + (i - 1) deg^(i - 1); never above those of all labels.
 * @example logNetworkGrowth({ widths: [2, 3, 1] }, 10) // 10 ln 2
 */
export function logNetworkGrowth(network: PiecewiseNetwork, m: number): number {
  const levels = levelsOf(network);
  const all = m * Math.log(Math.max(2, network.widths.at(-1)!));
  if (m < leastPoints(levels)) return all;
  const counted = levels.reduce(
    (sum, { W, count, degree }) => sum + Math.LN2 + W * Math.log((2 * Math.E * m * count * degree) / W),
    0,
  );
  return Math.min(all, counted);
}

/**
 * The closed form L + Lbar W log2(4 e p R log2(2 e p R)), for networks with more than two units; undefined otherwise.
 * @example vcDimensionClosedForm({ widths: [2, 3, 1] }) // 178.3...
 */
export function vcDimensionClosedForm(network: PiecewiseNetwork): number | undefined {
  const { widths, breakpoints = 1, degree = 1 } = network;
  const units = widths.slice(1).reduce((a, b) => a + b, 0);
  if (widths.at(-1) !== 1 || units <= 2) return undefined;
  const R = widths.slice(1).reduce((sum, k, l) => sum + k * (1 + l * degree ** l), 0);
  const base = 2 * Math.E * breakpoints * R;
  return widths.length - 1 + leastPoints(levelsOf(network)) * Math.log2(2 * base * Math.log2(base));
}

/**
 * A bound on the VC dimension of sgn f: the greatest m whose bound on patterns still allows 2^m of them.
 * @example vcDimensionBound({ widths: [2, 3, 1] }) // 169
 */
export function vcDimensionBound(network: PiecewiseNetwork): number {
  if (network.widths.at(-1) !== 1) throw new RangeError("the VC dimension is of networks with one output");
  const levels = levelsOf(network);
  const counted = (m: number): number =>
    levels.reduce(
      (sum, { W, count, degree }) => sum + 1 + W * Math.log2((2 * Math.E * m * count * degree) / W),
      0,
    );
  const allows = (m: number): boolean => counted(m) * (1 + 1e-12) >= m;
  const least = leastPoints(levels);
  // counted(m) - m is concave: once it is negative beyond its peak, it stays so.
  let [low, high] = [least, Math.max(2, 2 * least)];
  while (allows(high)) [low, high] = [high, 2 * high];
  while (high - low > 1) {
    const m = Math.floor((low + high) / 2);
    if (allows(m)) low = m;
    else high = m;
  }
  return low;
}
