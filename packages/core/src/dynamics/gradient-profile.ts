// How signals and their derivatives grow or shrink through the layers of a random network, plain or residual.

import { type ActivationName, activation } from "../functions/activation.ts";
import type { Random } from "../numbers/random.ts";

/** Square matrices, row after row; a layer is h -> rho(W h), or h -> h + rho(W h). */
export interface DeepSquare {
  readonly rho: ActivationName;
  readonly width: number;
  readonly layers: readonly Float64Array[];
  readonly isResidual: boolean;
}

/**
 * Weights of variance sigma^2 / width.
 * @example drawDeepSquare({ rho: "relu", width: 3, depth: 2, deviation: 1, isResidual: false }, createRandom(1)).layers.length // 2
 */
export function drawDeepSquare(
  {
    rho,
    width,
    depth,
    deviation,
    isResidual,
  }: Pick<DeepSquare, "rho" | "width" | "isResidual"> & {
    readonly depth: number;
    readonly deviation: number;
  },
  random: Random,
): DeepSquare {
  const scale = deviation / Math.sqrt(width);
  return {
    ...{ rho, width, isResidual },
    layers: Array.from({ length: depth }, () => random.normal(width * width).map((v) => scale * v)),
  };
}

/** W h, or W^T h. */
function times(W: Float64Array, h: Float64Array, isTransposed = false): Float64Array {
  const n = h.length;
  const result = new Float64Array(n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) {
      if (isTransposed) result[j]! += W[i * n + j]! * h[i]!;
      else result[i]! += W[i * n + j]! * h[j]!;
    }
  return result;
}

const squaredNorm = (v: Float64Array): number => v.reduce((sum, x) => sum + x * x, 0);

/** Squared norms after 0, 1, ..., L layers. */
export interface GradientProfile {
  /** |h^l|^2. */
  readonly states: readonly number[];
  /** |d h^l / d h^0 u|^2, a direction u pushed forward. */
  readonly tangents: readonly number[];
  /** |(d h^L / d h^l)^T s|^2, a seed s pulled back. */
  readonly gradients: readonly number[];
}

/**
 * Forward with a direction, then back with a seed: where slopes are asked for at a kink, there is none.
 * @example gradientProfile({ rho: "linear", width: 1, layers: [Float64Array.of(3)], isResidual: false }, Float64Array.of(1), Float64Array.of(1), Float64Array.of(1)).gradients // [9, 1]
 */
export function gradientProfile(
  { rho, layers, isResidual }: DeepSquare,
  input: Float64Array,
  direction: Float64Array,
  seed: Float64Array,
): GradientProfile {
  const { value, derivative } = activation(rho);
  const slopes: Float64Array[] = [];
  const [states, tangents] = [[squaredNorm(input)], [squaredNorm(direction)]];
  let [h, a] = [input, direction];
  for (const W of layers) {
    const z = times(W, h);
    const slope = z.map((v) => derivative(1, v) || 0);
    const moved = times(W, a);
    h = z.map((v, j) => value(v) + (isResidual ? h[j]! : 0));
    a = moved.map((v, j) => slope[j]! * v + (isResidual ? a[j]! : 0));
    slopes.push(slope);
    states.push(squaredNorm(h));
    tangents.push(squaredNorm(a));
  }
  let s = seed;
  const gradients = [squaredNorm(seed)];
  for (let l = layers.length - 1; l >= 0; l--) {
    const closed = s.map((v, j) => v * slopes[l]![j]!);
    const back = times(layers[l]!, closed, true);
    s = back.map((v, j) => v + (isResidual ? s[j]! : 0));
    gradients.unshift(squaredNorm(s));
  }
  return { states, tangents, gradients };
}
