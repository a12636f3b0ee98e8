// How small the gradient of the squared risk can be near the start: |grad r|^2 >= alpha r on a ball (1.49)-(1.51).

import { activation } from "../../functions/activation.ts";
import { dot } from "../../linear-algebra/dot.ts";
import type { ShallowNetwork } from "../shallow-network.ts";
import { featureMatrix, leastDirection, type Points, spectralNorm } from "./features.ts";

/**
 * alpha(R) = (4/m) (s - Lip(rho) R |X|)_+^2 with the least singular value s of the features: a move by R changes A by
 * Lip(rho) |X D^T|_F <= Lip(rho) |X| R at most. Where the rows of X are not parallel this is less than with |X|_F.
 * @example gradientFloor({ sigma: "tanh", a: [0], V: [[10]] }, [Float64Array.of(1)], 0.5).toFixed(6) // "1.000000"
 */
export function gradientFloor(network: ShallowNetwork, points: Points, radius: number): number {
  const { least } = leastDirection(featureMatrix(network, points));
  const moved = activation(network.sigma).lipschitz * radius * spectralNorm(points);
  return (4 / points.length) * Math.max(0, least - moved) ** 2;
}

/**
 * The weights at distance R in the direction in which the least singular value of the features falls fastest:
 * d s / d theta_k = right_k sum_i left_i rho'(z_ik) x_i.
 * @example worstMove({ sigma: "linear", a: [1], V: [[3]] }, [Float64Array.of(1)], 2).V[0] // Float64Array [1]
 */
export function worstMove(network: ShallowNetwork, points: Points, radius: number): ShallowNetwork {
  const { V, sigma } = network;
  const rho = activation(sigma);
  const { left, right } = leastDirection(featureMatrix(network, points));
  const slopes = V.map((v, k) => {
    const slope = new Float64Array(v.length);
    points.forEach((x, i) => {
      const weight = right[k]! * left[i]! * rho.derivative(1, dot(v, x));
      for (let j = 0; j < x.length; j++) slope[j]! += weight * x[j]!;
    });
    return slope;
  });
  const size = Math.sqrt(slopes.reduce((s, g) => s + dot(g, g), 0));
  if (size === 0) return network;
  return {
    ...network,
    V: V.map((v, k) => Float64Array.from(v, (value, j) => value - (radius * slopes[k]![j]!) / size)),
  };
}
