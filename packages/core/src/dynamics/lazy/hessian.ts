// The Hessian of a network with one hidden layer in its weights: a block for each neuron, so its norm is a closed form.

import { activation } from "../../functions/activation.ts";
import { dot } from "../../linear-algebra/dot.ts";
import type { ShallowNetwork } from "../shallow-network.ts";
import { greatestCurvature } from "../taylor-gap.ts";

/** Activations of which sup |rho''| is known. */
export type CurvedName = keyof typeof greatestCurvature;

/** A network whose activation is smooth enough for a bound of its curvature. */
export interface SmoothNetwork extends ShallowNetwork {
  readonly sigma: CurvedName;
}

/** The greatest eigenvalue in size of (0, p; p, q): (|q| + sqrt(q^2 + 4 p^2)) / 2. */
const blockNorm = (p: number, q: number): number => (Math.abs(q) + Math.hypot(q, 2 * p)) / 2;

const squaredLength = (x: ArrayLike<number>): number => dot(x, x);

/**
 * |Hessian of Phi(x, theta)|: neuron j has the block (0, rho' x^T; rho' x, v_j rho'' x x^T), which acts on v_j and along x
 * as the matrix (0, p; p, q) with p = rho'(z_j) |x| and q = v_j rho''(z_j) |x|^2.
 * @example hessianNorm({ sigma: "tanh", a: [5], V: [[0, 0]] }, [3, 4]) // 5
 */
export function hessianNorm({ sigma, a, V }: ShallowNetwork, x: ArrayLike<number>): number {
  const rho = activation(sigma);
  const size = squaredLength(x);
  return V.reduce((most: number, v, j) => {
    const z = dot(v, x);
    const [p, q] = [rho.derivative(1, z) * Math.sqrt(size), a[j]! * rho.derivative(2, z) * size];
    return Math.max(most, blockNorm(p, q));
  }, 0);
}

/**
 * A bound of that norm for all weights at most `radius` away: sup |rho'|, sup |rho''| and |v_j| + radius in its place.
 * @example hessianBound({ sigma: "softplus", a: [0], V: [[0]] }, [1], 0) // 1
 */
export function hessianBound({ sigma, a }: SmoothNetwork, x: ArrayLike<number>, radius: number): number {
  const size = squaredLength(x);
  const outer = a.reduce((most, v) => Math.max(most, Math.abs(v)), 0) + radius;
  return blockNorm(
    activation(sigma).lipschitz * Math.sqrt(size),
    outer * greatestCurvature[sigma].beta * size,
  );
}
