// The Taylor expansion of gate times signal, sigm(g) phi(j) c, at its nearest root in (g, j), which has j = 0: the gate has
// no first-order term there.

export interface ProductExpansion {
  /** sigm(g) phi(j) c */
  readonly relevance: number;
  readonly gate: number;
  readonly signal: number;
  /** What the first order leaves of the relevance. */
  readonly remainder: number;
  /** |remainder| <= sigm(g) |c| |j|^3 / 3, for |tanh u - u| <= |u|^3 / 3; a ReLU has none. */
  readonly bound: number;
}

/**
 * By pre-activations of gate and signal; the slope of a ReLU at its root is that on the signal's side.
 * @example expandProduct("relu", 0, 2, 1) // { relevance: 1, gate: 0, signal: 1, remainder: 0, bound: 0 }
 */
export function expandProduct(
  activation: "tanh" | "relu",
  gate: number,
  signal: number,
  c: number,
): ProductExpansion {
  const open = c / (1 + Math.exp(-gate));
  if (activation === "relu") {
    const relevance = open * Math.max(0, signal);
    return { relevance, gate: 0, signal: relevance, remainder: 0, bound: 0 };
  }
  return {
    relevance: open * Math.tanh(signal),
    gate: 0,
    signal: open * signal,
    remainder: open * tanhLess(signal),
    bound: (Math.abs(open) * Math.abs(signal) ** 3) / 3,
  };
}

/** tanh u - u, by its series where the two cancel. */
function tanhLess(u: number): number {
  if (Math.abs(u) > 0.02) return Math.tanh(u) - u;
  const s = u * u;
  return u * s * (-1 / 3 + s * (2 / 15 - (17 / 315) * s));
}
