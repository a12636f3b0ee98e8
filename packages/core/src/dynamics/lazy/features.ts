// The features of a network with one hidden layer, and the kernel of its last layer alone (1.46)-(1.48).

import type { ActivationName } from "../../functions/activation.ts";
import { activation } from "../../functions/activation.ts";
import { dot, dotOfDoubles } from "../../linear-algebra/dot.ts";
import { type Rows, symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import type { Random } from "../../numbers/random.ts";
import type { ShallowNetwork } from "../shallow-network.ts";

export type Points = readonly Float64Array[];

/**
 * (x, 1): the last weight of a neuron is its bias.
 * @example padded([3, 4]) // Float64Array [3, 4, 1]
 */
export const padded = (x: ArrayLike<number>): Float64Array => Float64Array.of(...Array.from(x), 1);

/** Deviations of the weights at the start. */
export interface Deviations {
  readonly inner: number;
  readonly outer: number;
}

/**
 * Normal weights of both layers; the first neurons of a wider network are those of a narrower one.
 * @example drawTwoLayer("tanh", 5, 3, { inner: 1, outer: 0 }, createRandom(1)).V.length // 5
 */
export function drawTwoLayer(
  sigma: ActivationName,
  n: number,
  dimension: number,
  { inner, outer }: Deviations,
  random: Random,
): ShallowNetwork {
  const [first, second] = [random.split("inner"), random.split("outer")];
  return {
    sigma,
    V: Array.from({ length: n }, () => first.normal(dimension).map((v) => inner * v)),
    a: Array.from(second.normal(n), (v) => outer * v),
  };
}

/**
 * A_ik = rho(<theta_k, x_i>), a row an example.
 * @example featureMatrix({ sigma: "relu", a: [1, 1], V: [[1], [-2]] }, [Float64Array.of(3)])[0] // Float64Array [3, 0]
 */
export function featureMatrix({ sigma, V }: ShallowNetwork, points: Points): Points {
  const { value } = activation(sigma);
  return points.map((x) => Float64Array.from(V, (v) => value(dot(v, x))));
}

/**
 * K = A A^T, the Gram matrix of the gradients by the last layer's weights.
 * @example gramMatrix([Float64Array.of(1, 2), Float64Array.of(3, 4)]) // [[5, 11], [11, 25]]
 */
export const gramMatrix = (A: Points): Rows => A.map((a) => A.map((b) => dotOfDoubles(a, b)));

/** The least singular value of A with its vectors: A^T left = least * right, both of length 1. */
export interface LeastDirection {
  readonly least: number;
  readonly left: Float64Array;
  readonly right: Float64Array;
}

/**
 * By the eigenvectors of A A^T, which is small where there are few examples. `least` is |A^T left|: an upper bound of the
 * true least singular value, and exact to the square of the rounding of `left`.
 * @example leastDirection([Float64Array.of(3, 0), Float64Array.of(0, 2)]).least // 2
 */
export function leastDirection(A: Points): LeastDirection {
  const left = Float64Array.from(symmetricEigen(gramMatrix(A)).vectors[0]!);
  const image = new Float64Array(A[0]!.length);
  A.forEach((row, i) => {
    for (let k = 0; k < row.length; k++) image[k]! += left[i]! * row[k]!;
  });
  const least = Math.sqrt(dotOfDoubles(image, image));
  return { least, left, right: least > 0 ? image.map((v) => v / least) : image };
}

/**
 * |X|, the spectral norm of the matrix whose rows are the points.
 * @example spectralNorm([Float64Array.of(3, 0), Float64Array.of(0, 2)]) // 3
 */
export function spectralNorm(points: Points): number {
  // The smaller of X X^T and X^T X.
  const [m, d] = [points.length, points[0]!.length];
  const columns = (): Points => Array.from({ length: d }, (_, j) => Float64Array.from(points, (x) => x[j]!));
  return Math.sqrt(Math.max(0, symmetricEigen(gramMatrix(m <= d ? points : columns())).values.at(-1)!));
}
