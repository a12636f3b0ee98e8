// What a linear readout of a representation that expands no distance can certify (book 1, section 8.2.2).
import { ScatteringError } from "./error.ts";

/** Scores <theta_c, features> + b_c; what standardises features is folded into theta. */
export interface Readout {
  readonly weights: readonly ArrayLike<number>[];
  readonly biases: ArrayLike<number>;
}

/**
 * The score of each class.
 * @example [...scores({ weights: [[1, 0], [0, 1]], biases: [0, 1] }, [2, 3])] // [2, 4]
 */
export const scores = ({ weights, biases }: Readout, features: ArrayLike<number>): Float64Array =>
  Float64Array.from(weights, (theta, c) => {
    if (theta.length !== features.length)
      throw new ScatteringError(`a readout of ${theta.length} features was given ${features.length}`);
    let sum = biases[c]!;
    for (let k = 0; k < theta.length; k++) sum += theta[k]! * features[k]!;
    return sum;
  });

export interface CertifiedRadius {
  readonly predicted: number;
  /** The class that is reached first. */
  readonly rival: number;
  /** min over classes c of (s_y - s_c) / |theta_y - theta_c| / expansion: within it the prediction stays. */
  readonly radius: number;
}

/**
 * The certified radius around an input with these features, if the representation expands distances by at most a factor.
 * @example certifiedRadius({ weights: [[1, 0], [0, 1]], biases: [0, 0] }, [3, 1]).predicted // 0
 */
export function certifiedRadius(
  readout: Readout,
  features: ArrayLike<number>,
  expansion = 1,
): CertifiedRadius {
  const all = scores(readout, features);
  if (!all.every(Number.isFinite)) throw new ScatteringError("a score is infinite or not a number");
  const predicted = all.indexOf(all.reduce((a, b) => Math.max(a, b)));
  let [rival, radius] = [predicted, Number.POSITIVE_INFINITY];
  const own = readout.weights[predicted]!;
  for (let c = 0; c < all.length; c++) {
    if (c === predicted) continue;
    const theta = readout.weights[c]!;
    let square = 0;
    for (let k = 0; k < own.length; k++) square += (own[k]! - theta[k]!) ** 2;
    const norm = Math.sqrt(square);
    const lead = all[predicted]! - all[c]!;
    // Classes that differ by a bias alone never change places, unless they are level.
    const reach = norm === 0 ? (lead > 0 ? Number.POSITIVE_INFINITY : 0) : lead / norm / expansion;
    if (reach < radius) [rival, radius] = [c, reach];
  }
  return { predicted, rival, radius };
}
