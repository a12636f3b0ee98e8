// A network with one hidden layer, linear in its weights around the start: what descent on that model does.

import { activation } from "../../functions/activation.ts";
import { dot } from "../../linear-algebra/dot.ts";
import { type Rows, symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import { type ShallowNetwork, shallowValue } from "../shallow-network.ts";
import type { Points } from "./features.ts";
import type { Examples } from "./squared-risk.ts";

/** What the gradient of Phi(x, theta) has: the features, and v_k rho'(z_k), which stands before x. */
interface Gradient {
  readonly features: Float64Array;
  readonly back: Float64Array;
  readonly x: Float64Array;
}

function gradientAt({ sigma, a, V }: ShallowNetwork, x: Float64Array): Gradient {
  const rho = activation(sigma);
  const z = Float64Array.from(V, (v) => dot(v, x));
  return {
    features: z.map((v) => rho.value(v)),
    back: z.map((v, k) => a[k]! * rho.derivative(1, v)),
    x,
  };
}

/** <grad Phi(x), grad Phi(x')> = <features, features'> + <back, back'> <x, x'>. */
const inner = (g: Gradient, h: Gradient): number =>
  dot(g.features, h.features) + dot(g.back, h.back) * dot(g.x, h.x);

/**
 * J J^T, the tangent kernel of both layers.
 * @example tangentGram({ sigma: "linear", a: [2], V: [[3]] }, [Float64Array.of(1)]) // [[13]]
 */
export const tangentGram = (network: ShallowNetwork, points: Points): readonly (readonly number[])[] => {
  const gradients = points.map((x) => gradientAt(network, x));
  return gradients.map((g) => gradients.map((h) => inner(g, h)));
};

export interface TangentModel {
  /** How far the weights move. */
  readonly travel: number;
  /** Phi(x, theta_0) + <grad Phi(x, theta_0), theta - theta_0>. */
  value(x: Float64Array): number;
}

/** Steps of gradient descent on the squared risk. */
export interface Steps {
  readonly eta: number;
  readonly count: number;
}

/**
 * f with theta - theta_0 = J^T f(J J^T) (y - Phi(X, theta_0)): 1 / lambda at the end, (1 - (1 - 2 eta lambda / m)^k) / lambda
 * after k steps.
 */
const filter =
  (m: number, steps?: Steps) =>
  (lambda: number): number =>
    steps ? (1 - (1 - (2 * steps.eta * lambda) / m) ** steps.count) / lambda : 1 / lambda;

/**
 * K -> the coefficients f(K) e of regression with this kernel, and sqrt(<f(K) e, K f(K) e>), the way of the weights.
 * @example kernelRegression([[2]], [4]) // { weights: [2], travel: 2.8284271247461903 }
 */
export function kernelRegression(
  kernel: Rows,
  errors: readonly number[],
  steps?: Steps,
): { readonly weights: readonly number[]; readonly travel: number } {
  const eigen = symmetricEigen(kernel);
  const f = filter(errors.length, steps);
  const cut = 2 ** -44 * eigen.values.at(-1)!;
  const weights = errors.map(() => 0);
  let squared = 0;
  eigen.vectors.forEach((u, k) => {
    const lambda = eigen.values[k]!;
    if (!(lambda > cut)) return;
    const along = f(lambda) * dot(u, errors);
    squared += lambda * along ** 2;
    u.forEach((v, i) => {
      weights[i]! += along * v;
    });
  });
  return { weights, travel: Math.sqrt(squared) };
}

/**
 * The linear model theta -> Phi(x, theta_0) + <grad Phi(x, theta_0), theta - theta_0> after steps of gradient descent, or
 * where descent ends: regression with the tangent kernel of the start.
 * @example tangentModel({ sigma: "linear", a: [0], V: [[1]] }, { points: [Float64Array.of(1)], values: [3] }).travel // 3
 */
export function tangentModel(
  network: ShallowNetwork,
  { points, values }: Examples,
  steps?: Steps,
): TangentModel {
  const gradients = points.map((x) => gradientAt(network, x));
  const kernel = gradients.map((g) => gradients.map((h) => inner(g, h)));
  const errors = points.map((x, i) => values[i]! - shallowValue(network, x));
  const { weights, travel } = kernelRegression(kernel, errors, steps);
  return {
    travel,
    value(x) {
      const here = gradientAt(network, x);
      return shallowValue(network, x) + gradients.reduce((s, g, i) => s + weights[i]! * inner(g, here), 0);
    },
  };
}
