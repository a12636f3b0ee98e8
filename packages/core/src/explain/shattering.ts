// Shattered gradients: how alike the gradients of a network are at two inputs that are a little apart.
import type { Point } from "./score-model.ts";

const dot = (a: Point, b: Point): number => a.reduce((s, v, k) => s + v * b[k]!, 0);

/** sum_t <v_t, v_{t + lag}> / sum_t |v_t|^2 along a closed curve: 1 at lag 0, near 0 for white noise. */
export function autocorrelation(curve: readonly Point[], lag: number): number {
  const n = curve.length;
  const power = curve.reduce((s, v) => s + dot(v, v), 0);
  return power === 0 ? 0 : curve.reduce((s, v, t) => s + dot(v, curve[(t + lag) % n]!), 0) / power;
}

/** Two inputs at this cosine switch the same units on: 1 - arccos(c) / pi of half of them. */
const sameUnits = (cosine: number): number => 1 - Math.acos(Math.min(1, Math.max(-1, cosine))) / Math.PI;

/** The cosine of what a wide ReLU layer gives at two inputs: (sin t + (pi - t) cos t) / pi at angle t. */
const nextCosine = (cosine: number): number => {
  const angle = Math.acos(Math.min(1, Math.max(-1, cosine)));
  return (Math.sin(angle) + (Math.PI - angle) * Math.cos(angle)) / Math.PI;
};

/**
 * The correlation of the gradients at two inputs of a ReLU network without biases, as its layers grow wide (Balduzzi et
 * al. 2017; Cho and Saul 2009): each hidden layer multiplies it by the share of units that both inputs switch on.
 * @example gradientCorrelation(1, Math.PI) // 0
 */
export function gradientCorrelation(hiddenLayers: number, angle: number): number {
  let [cosine, correlation] = [Math.cos(angle), 1];
  for (let l = 0; l < hiddenLayers; l++) {
    correlation *= sameUnits(cosine);
    cosine = nextCosine(cosine);
  }
  return correlation;
}

/** `count` points around a circle in the plane of two orthonormal directions. */
export const circle = (count: number, first: Point, second: Point): Point[] =>
  Array.from({ length: count }, (_, t) => {
    const angle = (2 * Math.PI * t) / count;
    return first.map((v, k) => Math.cos(angle) * v + Math.sin(angle) * second[k]!);
  });
