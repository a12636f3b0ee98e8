// A network with one hidden layer, linear in its weights around the start: what descent on that model does.

import { activation } from "../../functions/activation.ts";
import { gaussLegendre } from "../../functions/gaussian-rule.ts";
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

/** The mean J of the Jacobian along the line between two networks, beside J_0, that of the first one. */
export interface MeanTangent {
  /** J (theta_1 - theta_0), which is Phi(X, theta_1) - Phi(X, theta_0). */
  readonly changes: readonly number[];
  /** |J^T (J J^T)^{-1} J (theta_1 - theta_0)|: no shorter way with this Jacobian makes these changes. */
  readonly shortest: number;
  /** The same with J_0: the shortest way of the linear model to these changes. */
  readonly shortestAtStart: number;
  /** |(J_0 J_0^T)^{-1/2} (J - J_0)|, the spectral norm: how far the tangents have turned. */
  readonly turn: number;
}

/**
 * The mean of the Jacobian on the way from one network to another, by Gauss' rule with 20 points: exact but for rounding
 * where no neuron's argument moves by more than 3 (tanh has its poles at a distance of pi / 2).
 * @example meanTangent({ sigma: "linear", a: [0], V: [[1]] }, { sigma: "linear", a: [2], V: [[1]] }, [Float64Array.of(3)]).changes // [6]
 */
export function meanTangent(start: ShallowNetwork, end: ShallowNetwork, points: Points): MeanTangent {
  const rule = gaussLegendre(20);
  const between = (t: number) => (from: number, to: number) => from + t * (to - from);
  const networks = rule.map(([node]): ShallowNetwork => {
    const at = between((1 + node) / 2);
    return {
      ...start,
      a: start.a.map((v, k) => at(v, end.a[k]!)),
      V: start.V.map((row, k) => Array.from(row, (v, j) => at(v, end.V[k]![j]!))),
    };
  });
  const gradients = points.map((x): Gradient => {
    const along = networks.map((network) => gradientAt(network, x));
    const mean = (part: "features" | "back"): Float64Array =>
      along[0]![part].map((_, k) => along.reduce((s, g, q) => s + (rule[q]![1] / 2) * g[part][k]!, 0));
    return { features: mean("features"), back: mean("back"), x };
  });
  const changes = gradients.map(({ features, back, x }) =>
    start.a.reduce((s, a, k) => {
      const turn = x.reduce((t, v, j) => t + v * (end.V[k]![j]! - start.V[k]![j]!), 0);
      return s + features[k]! * (end.a[k]! - a) + back[k]! * turn;
    }, 0),
  );
  const gram = gradients.map((g) => gradients.map((h) => inner(g, h)));
  const first = points.map((x) => gradientAt(start, x));
  const kernel = first.map((g) => first.map((h) => inner(g, h)));
  const moves = gradients.map(
    (g, i): Gradient => ({
      features: g.features.map((v, k) => v - first[i]!.features[k]!),
      back: g.back.map((v, k) => v - first[i]!.back[k]!),
      x: g.x,
    }),
  );
  return {
    changes,
    shortest: kernelRegression(gram, changes).travel,
    shortestAtStart: kernelRegression(kernel, changes).travel,
    turn: Math.sqrt(
      greatestRatio(
        moves.map((g) => moves.map((h) => inner(g, h))),
        kernel,
      ),
    ),
  };
}

/** The greatest <u, G u> / <u, K u>. */
function greatestRatio(G: Rows, K: Rows): number {
  const { values, vectors } = symmetricEigen(K);
  const whitened = vectors.map((u, k) => u.map((v) => v / Math.sqrt(values[k]!)));
  const images = whitened.map((u) => G.map((row) => dot(row, u)));
  return symmetricEigen(whitened.map((u) => images.map((image) => dot(u, image)))).values.at(-1)!;
}

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
