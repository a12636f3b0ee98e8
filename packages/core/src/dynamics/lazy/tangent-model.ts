// A network with one hidden layer, linear in its weights around the start: what descent on it would end at.

import { activation } from "../../functions/activation.ts";
import { dot } from "../../linear-algebra/dot.ts";
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
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
  /** |J^+ (y - Phi)|: how far the weights move. */
  readonly travel: number;
  /** Phi(x, theta_0) + <grad Phi(x, theta_0), J^+ (y - Phi)>. */
  value(x: Float64Array): number;
}

/**
 * Regression with the tangent kernel of the start: theta_0 + J^+ (y - Phi(X, theta_0)), to which gradient descent on the
 * linear model converges.
 * @example tangentModel({ sigma: "linear", a: [0], V: [[1]] }, { points: [Float64Array.of(1)], values: [3] }).travel // 3
 */
export function tangentModel(network: ShallowNetwork, { points, values }: Examples): TangentModel {
  const gradients = points.map((x) => gradientAt(network, x));
  const eigen = symmetricEigen(gradients.map((g) => gradients.map((h) => inner(g, h))));
  const rest = points.map((x, i) => values[i]! - shallowValue(network, x));
  const cut = 2 ** -44 * eigen.values.at(-1)!;
  const weights = rest.map(() => 0);
  let squared = 0;
  eigen.vectors.forEach((u, k) => {
    const value = eigen.values[k]!;
    if (!(value > cut)) return;
    const along = dot(u, rest);
    squared += along ** 2 / value;
    u.forEach((v, i) => {
      weights[i]! += (along / value) * v;
    });
  });
  return {
    travel: Math.sqrt(squared),
    value(x) {
      const here = gradientAt(network, x);
      return shallowValue(network, x) + gradients.reduce((s, g, i) => s + weights[i]! * inner(g, here), 0);
    },
  };
}
