// Sizes of the networks for a table of s bits given d, from their formulas, and of earlier constructions.

export interface KernelSizes {
  readonly hiddenLayers: number;
  readonly width: number;
  /** Without inputs. */
  readonly units: number;
  /** All weights and biases of the fully connected network. */
  readonly parameters: number;
  /** Over gamma. */
  readonly greatestWeight: number;
}

/**
 * Theorem 6.2: one hidden layer.
 * @example shallowSizes(1, 2).units // 5
 */
export function shallowSizes(d: number, s: number): KernelSizes {
  const width = 2 ** (d - 1) * (2 ** s - 1);
  return {
    ...{ hiddenLayers: 1, width, units: width + s, parameters: width * (d + 1) + s * (width + 1) },
    greatestWeight: 2 ** (2 ** s - 1),
  };
}

/**
 * Theorem 6.13 with s = 2^(b-1) + b, without the layers that only copy: 2^(s-b) + 2^b - 2 layers for each subsection.
 * @example deepSizes(1, 2, 1, 0).hiddenLayers // 5
 */
export function deepSizes(d: number, s: number, b: number, j: number): KernelSizes {
  const width = 2 ** j * (s + d - j);
  const hiddenLayers = 1 + 2 ** (d - j) * (2 ** (s - b) + 2 ** b - 2);
  return {
    ...{ hiddenLayers, width, units: hiddenLayers * width + s },
    parameters: width * (d + 1) + (hiddenLayers - 1) * width * (width + 1) + s * (width + 1),
    // Of a unit that shares, or the bias of one that selects a section.
    greatestWeight: Math.max(2 * (s + d - j), 2 * j - 1),
  };
}

/** Layers of deep belief networks for s bits: Sutskever and Hinton, Le Roux and Bengio, Montufar and Ay. */
export const beliefLayers = (s: number): readonly [number, number, number] => [
  3 * (2 ** s - 1) + 1,
  2 ** s / s,
  2 ** (s - 1) / (s - Math.log2(s)),
];

/** Hidden units of a Boltzmann machine for v bits: Montufar et al. 2011, Montufar and Rauh 2017 (logarithm to the base 2). */
export const boltzmannUnits = (v: number): readonly [number, number] => [
  2 ** (v - 1) - 1,
  ((2 * (Math.log2(v) + 1)) / (v + 1)) * 2 ** v - 1,
];
