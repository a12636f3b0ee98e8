// Bounds of the Rademacher complexity of ReLU networks with local kernels: kernel norms in place of matrix norms.

/** One layer as a bound sees it. */
export interface LocalLayer {
  /** Of the weights that one node reads: the greatest over the nodes, all channels together. */
  readonly norm: number;
  /** In how many nodes' fields a node of the layer below is, at most; 1 without overlaps. */
  readonly multiplicity: number;
  /** Nodes that a node reads, at most (channels are not counted). */
  readonly predecessors: number;
}

/** From here on: ReLU behind each layer but the last, no biases, one output, R = E sup |(1/m) sum_i eps_i h(x_i)|. */
export interface LocalSample {
  /** Examples. */
  readonly m: number;
  /** sum_i |x_i|^2. */
  readonly energy: number;
  /** The greatest sum_i |x_i^(j)|^2 of an input patch j, and how many patches there are. */
  readonly patchEnergy: number;
  readonly patches: number;
}

const normProduct = (layers: readonly LocalLayer[]): number => layers.reduce((p, { norm }) => p * norm, 1);

/**
 * (2^{L-1} / m) prod_l |w_l| sqrt(c_l) sqrt(sum_i |x_i|^2): contraction of second moments, layer by layer, shared
 * kernels or not.
 */
export const peeledBound = (layers: readonly LocalLayer[], { m, energy }: LocalSample): number =>
  (2 ** (layers.length - 1) *
    normProduct(layers) *
    Math.sqrt(layers.reduce((p, { multiplicity }) => p * multiplicity, 1) * energy)) /
  m;

/**
 * (prod_l |w_l| / m) (1 + sqrt(2 ((L-1) ln 2 + ln d_1))) sqrt(D max_j sum_i |x_i^(j)|^2): contraction of exponential
 * moments; d_1 input patches, D the product of the numbers of predecessors from the second layer on. For dense layers
 * it is the bound of Golowich, Rakhlin and Shamir.
 */
export function exponentialBound(
  layers: readonly LocalLayer[],
  { m, patchEnergy, patches }: LocalSample,
): number {
  const D = layers.slice(1).reduce((p, { predecessors }) => p * predecessors, 1);
  const factor = 1 + Math.sqrt(2 * ((layers.length - 1) * Math.LN2 + Math.log(patches)));
  return (normProduct(layers) * factor * Math.sqrt(D * patchEnergy)) / m;
}

/** (sqrt(2 ln 2 L) + 1) prod_l |w_l| sqrt(sum_i |x_i|^2) / m: claimed for kernels, proved for Frobenius norms only. */
export const claimedBound = (layers: readonly LocalLayer[], { m, energy }: LocalSample): number =>
  ((Math.sqrt(2 * Math.LN2 * layers.length) + 1) * normProduct(layers) * Math.sqrt(energy)) / m;

/** The least of the proved ones. */
export const localKernelBound = (layers: readonly LocalLayer[], sample: LocalSample): number =>
  Math.min(peeledBound(layers, sample), exponentialBound(layers, sample));
