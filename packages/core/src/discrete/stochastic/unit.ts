// Units of sigmoid belief networks: what they fire with, and the few kinds from which the constructions are built.

export const logit = (p: number): number => Math.log(p) - Math.log1p(-p);
/** log sigma(z) = -log(1 + e^-z), without overflow. */
export const logSigmoid = (z: number): number =>
  z >= 0 ? -Math.log1p(Math.exp(-z)) : z - Math.log1p(Math.exp(z));

/** It is 1 with probability sigma(bias + sum weight input[column]). */
export interface StochasticUnit {
  readonly bias: number;
  readonly reads: readonly (readonly [column: number, weight: number])[];
}

/** Into [eps, 1 - eps]. */
export const clip = (p: number, eps: number): number => Math.max(eps, Math.min(p, 1 - eps));

/** gamma = logit(1 - eps): a unit with this pre-activation errs with probability eps. */
export const gammaOf = (eps: number): number => -logit(eps);

/** Copies an input, wrong with probability eps (Proposition 6.15). */
export const copyUnit = (column: number, eps: number): StochasticUnit => ({
  bias: -gammaOf(eps),
  reads: [[column, 2 * gammaOf(eps)]],
});

/** Off, but for probability eps. */
export const silentUnit = (eps: number): StochasticUnit => ({ bias: -gammaOf(eps), reads: [] });

/**
 * On with this probability where these inputs have these bits (by default nearly always), off elsewhere, wrong with probability
 * eps at most (Lemma 6.18, its sign mended): l - (gamma + max(0, l)) #{bits that differ}.
 */
export function matchUnit(
  columns: readonly number[],
  bits: readonly number[],
  eps: number,
  chance = 1 - eps,
): StochasticUnit {
  const gamma = gammaOf(eps);
  const l = chance >= 1 - eps ? gamma : logit(clip(chance, eps));
  const weight = gamma + Math.max(0, l);
  const ones = bits.reduce((sum, b) => sum + b, 0);
  return {
    bias: l - weight * ones,
    reads: columns.map((column, k) => [column, weight * (2 * bits[k]! - 1)]),
  };
}

/**
 * Fires with these probabilities on two inputs that differ in the last bit, almost never elsewhere (Lemma 6.6):
 * g' + (g'' - g') x_d - 2 gamma sum_{k < d} |x_k - x'_k|.
 */
export function edgeUnit(bits: readonly number[], low: number, high: number, eps: number): StochasticUnit {
  const gamma = gammaOf(eps);
  const [g0, g1] = [logit(clip(low, eps)), logit(clip(high, eps))];
  const last = bits.length - 1;
  const ones = bits.slice(0, last).reduce((sum, b) => sum + b, 0);
  return {
    bias: g0 - 2 * gamma * ones,
    reads: bits.map((b, k) => [k, k === last ? g1 - g0 : 2 * gamma * (2 * b - 1)]),
  };
}

export interface Sharing {
  /** Columns of the block that the unit sees, and the state in which its bit is shared. */
  readonly columns: readonly number[];
  readonly state: readonly number[];
  /** The place in the block of the bit that may flip. */
  readonly flips: number;
  /** The chance that it stays. */
  readonly stay: number;
  /** A second state, which differs from the first in this place, with a chance of its own (Theorem 6.16). */
  readonly partner?: { readonly place: number; readonly stay: number };
}

/** Flips its bit with a given probability in one state, or in two that are neighbours, and copies it elsewhere. */
export function sharingUnit({ columns, state, flips, stay, partner }: Sharing, eps: number): StochasticUnit {
  const gamma = gammaOf(eps);
  const isOne = state[flips] === 1;
  const firing = (st: number): number => logit(clip(isOne ? st : 1 - st, eps));
  const m = columns.length;
  // Where the bit is 0: L - 2 gamma D + 2 gamma M h_i; where it is 1: L + 2 gamma D - 2 gamma M (1 - h_i). D is the distance
  // of the other bits, M as large as it can be.
  const sign = isOne ? 1 : -1;
  const most = 2 * gamma * (partner ? m - 1 : m);
  let bias = firing(stay) - (isOne ? most : 0);
  const reads = columns.map((column, k): readonly [number, number] => {
    if (k === flips) return [column, most];
    if (partner && k === partner.place) {
      const change = firing(partner.stay) - firing(stay);
      if (state[k] === 1) bias += change;
      return [column, state[k] === 1 ? -change : change];
    }
    // sign 2 gamma |h_k - g_k|
    if (state[k] === 1) bias += sign * 2 * gamma;
    return [column, state[k] === 1 ? -sign * 2 * gamma : sign * 2 * gamma];
  });
  return { bias, reads };
}
