// The squared risk of a network with one hidden layer, both layers trained: value and gradient, with plain arrays.

import { type ActivationName, activation } from "../../functions/activation.ts";
import { dot } from "../../linear-algebra/dot.ts";
import type { ShallowNetwork } from "../shallow-network.ts";
import type { Points } from "./features.ts";

export interface Examples {
  readonly points: Points;
  readonly values: readonly number[];
}

/** The weights of both layers (or their gradient), the inner ones row after row. */
export interface FlatWeights {
  readonly outer: Float64Array;
  readonly inner: Float64Array;
}

/**
 * The weights of a network one after the other.
 * @example flatWeights({ sigma: "relu", a: [1], V: [[2, 3]] }).inner // Float64Array [2, 3]
 */
export function flatWeights({ a, V }: ShallowNetwork): FlatWeights {
  const dimension = V[0]!.length;
  const inner = new Float64Array(V.length * dimension);
  V.forEach((v, k) => {
    inner.set(v, k * dimension);
  });
  return { outer: Float64Array.from(a), inner };
}

/** r = (1/m) sum_i e_i^2 with e_i = Phi(x_i) - y_i, and its gradient by both layers. */
export interface SquaredRisk {
  readonly value: number;
  readonly errors: Float64Array;
  readonly gradient: FlatWeights;
}

interface Unit {
  readonly value: (z: number) => number;
  /** rho'(z), given y = rho(z), which is known anyway. */
  readonly slope: (y: number, z: number) => number;
}

/** Derivatives by their series take ten times as long as these. */
const fastUnits: Partial<Record<ActivationName, Unit>> = {
  tanh: { value: Math.tanh, slope: (y) => 1 - y * y },
  logistic: { value: (z) => 1 / (1 + Math.exp(-z)), slope: (y) => y * (1 - y) },
};

function unitOf(sigma: ActivationName): Unit {
  const rho = activation(sigma);
  return fastUnits[sigma] ?? { value: rho.value, slope: (_, z) => rho.derivative(1, z) };
}

/** The risk at given weights, as a function to be called many times. */
export function squaredRiskOf(
  sigma: ActivationName,
  { points, values }: Examples,
): (weights: FlatWeights) => SquaredRisk {
  const { value, slope } = unitOf(sigma);
  const [m, dimension] = [points.length, points[0]!.length];
  return ({ outer, inner }) => {
    const n = outer.length;
    const [features, back] = [points.map(() => new Float64Array(n)), points.map(() => new Float64Array(n))];
    const errors = new Float64Array(m);
    points.forEach((x, i) => {
      let sum = 0;
      for (let k = 0; k < n; k++) {
        let z = 0;
        for (let j = 0, at = k * dimension; j < dimension; j++, at++) z += inner[at]! * x[j]!;
        const y = value(z);
        features[i]![k] = y;
        back[i]![k] = outer[k]! * slope(y, z);
        sum += outer[k]! * y;
      }
      errors[i] = sum - values[i]!;
    });
    const gradient = { outer: new Float64Array(n), inner: new Float64Array(n * dimension) };
    points.forEach((x, i) => {
      const weight = (2 * errors[i]!) / m;
      for (let k = 0; k < n; k++) {
        gradient.outer[k]! += weight * features[i]![k]!;
        const factor = weight * back[i]![k]!;
        for (let j = 0, at = k * dimension; j < dimension; j++, at++) gradient.inner[at]! += factor * x[j]!;
      }
    });
    return { value: dot(errors, errors) / m, errors, gradient };
  };
}

/**
 * The risk of a network and its gradient.
 * @example squaredRisk({ sigma: "linear", a: [2], V: [[1]] }, { points: [Float64Array.of(3)], values: [5] }).gradient.outer // Float64Array [6]
 */
export const squaredRisk = (network: ShallowNetwork, examples: Examples): SquaredRisk =>
  squaredRiskOf(network.sigma, examples)(flatWeights(network));

/**
 * |theta|^2 over both layers.
 * @example squaredLength({ outer: Float64Array.of(1), inner: Float64Array.of(2, 2) }) // 9
 */
export const squaredLength = ({ outer, inner }: FlatWeights): number => dot(outer, outer) + dot(inner, inner);
