// From shattered points to weights: an upper bound of the VC dimension of ReLU networks, solved for the weights.

/** W_i: parameters up to layer i; k_i: units of layer i (the output is the last). */
export interface LayerCounts {
  readonly parameters: readonly number[];
  readonly units: readonly number[];
}

/**
 * VCdim <= L + (sum_i W_i) log2(4e R log2(2e R)), R = sum_i i k_i, for piecewise-linear activations with one kink
 * (Bartlett, Harvey, Liaw and Mehrabian 2019), where W_i counts the parameters of layers 1 to i.
 * @example Math.floor(reluVcBound({ parameters: [3], units: [1] })) // 22
 */
export function reluVcBound({ parameters, units }: LayerCounts): number {
  let [upTo, total, R] = [0, 0, 0];
  parameters.forEach((count, i) => {
    upTo += count;
    total += upTo;
    R += (i + 1) * units[i]!;
  });
  return fromSignPatterns(parameters.length, total, Math.max(3, R));
}

/**
 * The greatest m with 2^m <= prod_i 2 (2e m i k_i / W_i)^{W_i}: as many points may have all sign patterns.
 * @example mostShattered({ parameters: [3], units: [1] }) <= reluVcBound({ parameters: [3], units: [1] }) // true
 */
export function mostShattered({ parameters, units }: LayerCounts): number {
  const patterns = (m: number): number => {
    let [upTo, log] = [0, 0];
    parameters.forEach((count, i) => {
      upTo += count;
      log += 1 + upTo * Math.log2(Math.max(2, (2 * Math.E * m * (i + 1) * units[i]!) / upTo));
    });
    return log;
  };
  let m = 1;
  while (m + 1 <= patterns(m + 1)) m = Math.max(m + 1, Math.floor(patterns(m)));
  return m;
}

/** 2^m <= 2^t (m r / w)^w with r = 2eR >= 16 makes m <= t + w log2(2 r log2 r). */
function fromSignPatterns(t: number, w: number, R: number): number {
  const r = 2 * Math.E * R;
  return t + w * Math.log2(2 * r * Math.log2(r));
}

/**
 * The fewest weights with which L layers can shatter so many points: W_i <= W and R <= L W, because a unit without
 * weight and bias is none.
 * @example fewestWeights(1000, 3) // 26
 */
export const fewestWeights = (points: number, layers: number): number =>
  leastWith((W) => fromSignPatterns(layers, layers * W, Math.max(3, layers * W)) >= points);

/**
 * The same whatever the depth, which is at most the number of weights.
 * @example fewestWeightsOfAnyDepth(1000) // 9
 */
export const fewestWeightsOfAnyDepth = (points: number): number =>
  leastWith((W) => fromSignPatterns(W, W * W, Math.max(3, W * W)) >= points);

function leastWith(isEnough: (weights: number) => boolean): number {
  let high = 1;
  while (!isEnough(high)) high *= 2;
  let low = high / 2;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isEnough(middle)) high = middle;
    else low = middle;
  }
  return high;
}
