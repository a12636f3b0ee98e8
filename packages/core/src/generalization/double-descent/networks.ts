// Double descent of small networks, every weight trained until the labels are fitted or no step helps any more.

import type { Random } from "../../numbers/random.ts";
import {
  type DenseLayers,
  levenbergMarquardt,
  meanSquare,
  type Point,
} from "../../train/levenberg-marquardt.ts";

/** Steps of a training, and after how many it is looked at. */
const [steps, chunk] = [40, 5];
const fitsBelow = 1e-10;

/** Pairs of hidden units that cancel: the network is 0 at the start, and nothing but the labels moves it. */
function pairedStart(pairs: number, dimension: number, random: Random): DenseLayers {
  const W = Array.from({ length: pairs }, () =>
    Array.from({ length: dimension }, () => (0.5 * random.normal()) / Math.sqrt(dimension)),
  );
  const [b, a] = [W.map(() => 0.5 * random.normal()), W.map(() => random.normal() / Math.sqrt(pairs))];
  return [
    { W: [...W, ...W], b: [...b, ...b] },
    { W: [[...a, ...a.map((v) => -v)]], b: [0] },
  ];
}

/**
 * A network with so many pairs of tanh units and one output, trained on the squared error by Levenberg and Marquardt.
 * @example meanSquare(fitPairs(3, [{ x: [1], y: 1 }, { x: [2], y: 0 }], createRandom(1)), "tanh", [{ x: [1], y: 1 }]) < 1e-9 // true
 */
export function fitPairs(pairs: number, points: readonly Point[], random: Random): DenseLayers {
  let layers = pairedStart(pairs, points[0]!.x.length, random);
  for (let done = 0; done < steps; done += chunk) {
    layers = levenbergMarquardt(layers, "tanh", points, chunk);
    if (meanSquare(layers, "tanh", points) < fitsBelow) break;
  }
  return layers;
}

/**
 * Weights of that network: W, b, a and the outer bias.
 * @example pairedWeights(3, 2) // 25
 */
export const pairedWeights = (pairs: number, dimension: number): number => 2 * pairs * (dimension + 2) + 1;
