// A network with one wide hidden layer and both layers trained, its factors outside of the weights, so that its tangent kernel
// has a limit: Phi(x) = (1 / sqrt(n)) sum_j a_j sigma(<w_j, x> / sqrt(d)). Plain loops: many of them are trained at once.
import { type ActivationName, activation } from "../functions/activation.ts";
import { dot } from "../linear-algebra/dot.ts";
import type { Rows } from "../linear-algebra/symmetric-eigen.ts";
import type { Random } from "../numbers/random.ts";

/** theta: the outer weights a_1 .. a_n, then the rows w_1 .. w_n. */
export interface WideNetwork {
  readonly sigma: ActivationName;
  readonly d: number;
  readonly n: number;
  readonly theta: Float64Array;
}

/**
 * All weights N(0, 1).
 * @example drawWide("tanh", 2, 3, createRandom(1)).theta.length // 9
 */
export const drawWide = (sigma: ActivationName, d: number, n: number, random: Random): WideNetwork => ({
  ...{ sigma, d, n },
  theta: random.normal(n * (d + 1)),
});

/**
 * Phi(x).
 * @example wideValue({ sigma: "linear", d: 1, n: 1, theta: Float64Array.of(2, 3) }, [5]) // 30
 */
export function wideValue({ sigma, d, n, theta }: WideNetwork, x: ArrayLike<number>): number {
  const { value } = activation(sigma);
  let sum = 0;
  for (let j = 0; j < n; j++) sum += theta[j]! * value(product(theta, n + j * d, x, d) / Math.sqrt(d));
  return sum / Math.sqrt(n);
}

/**
 * The gradient of Phi(x) by theta.
 * @example wideGradient({ sigma: "linear", d: 1, n: 1, theta: Float64Array.of(2, 3) }, [5]) // Float64Array [15, 10]
 */
export const wideGradient = (network: WideNetwork, x: ArrayLike<number>): Float64Array =>
  withGradient(network, x).gradient;

function withGradient({ sigma, d, n, theta }: WideNetwork, x: ArrayLike<number>) {
  const { value, derivative } = activation(sigma);
  const gradient = new Float64Array(theta.length);
  let sum = 0;
  for (let j = 0; j < n; j++) {
    const z = product(theta, n + j * d, x, d) / Math.sqrt(d);
    gradient[j] = value(z) / Math.sqrt(n);
    sum += theta[j]! * gradient[j]!;
    const back = (theta[j]! * derivative(1, z)) / Math.sqrt(n * d);
    for (let k = 0; k < d; k++) gradient[n + j * d + k] = back * x[k]!;
  }
  return { value: sum, gradient };
}

function product(theta: Float64Array, from: number, x: ArrayLike<number>, d: number): number {
  let sum = 0;
  for (let k = 0; k < d; k++) sum += theta[from + k]! * x[k]!;
  return sum;
}

/** (1/m) sum_i (f(x_i) - y_i)^2 is what falls. */
export interface WideDescent {
  readonly x: Rows;
  readonly y: readonly number[];
  readonly rate: number;
  readonly steps: number;
  /**
   * The network's part in the prediction: f = scale (Phi - Phi_0), trained at rate / scale^2, so that f moves equally fast
   * at every scale. Without a scale f = Phi.
   */
  readonly scale?: number;
  readonly watch?: (network: WideNetwork, step: number) => void;
}

/**
 * Gradient descent, all examples at each step.
 * @example descendWide({ sigma: "linear", d: 1, n: 1, theta: Float64Array.of(1, 1) }, { x: [[1]], y: [1], rate: 0.1, steps: 5 }).theta // Float64Array [1, 1]
 */
export function descendWide(
  start: WideNetwork,
  { x, y, rate, steps, scale, watch }: WideDescent,
): WideNetwork {
  const theta = start.theta.slice();
  const network = { ...start, theta };
  const m = x.length;
  const before = x.map((point) => (scale === undefined ? 0 : wideValue(start, point)));
  const factor = scale ?? 1;
  watch?.(network, 0);
  for (let step = 1; step <= steps; step++) {
    const parts = x.map((point) => withGradient(network, point));
    parts.forEach(({ value, gradient }, i) => {
      const by = (2 * rate * (factor * (value - before[i]!) - y[i]!)) / (m * factor);
      for (let k = 0; k < theta.length; k++) theta[k]! -= by * gradient[k]!;
    });
    watch?.(network, step);
  }
  return network;
}

/**
 * K(x_i, z_j) = <grad Phi(x_i), grad Phi(z_j)>.
 * @example wideKernel({ sigma: "linear", d: 1, n: 1, theta: Float64Array.of(2, 3) }, [[1]], [[1]]) // [[13]]
 */
export function wideKernel(network: WideNetwork, x: Rows, z: Rows): Rows {
  const right = z.map((point) => wideGradient(network, point));
  return x.map((point) => {
    const left = wideGradient(network, point);
    return right.map((g) => dot(left, g));
  });
}
