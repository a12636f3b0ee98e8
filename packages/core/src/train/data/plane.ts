// Classes in the plane that no line separates.

import { tensor } from "../../graph/tensor.ts";
import { createRandom } from "../../numbers/random.ts";
import { TrainError } from "../error.ts";
import type { Examples } from "./dataset.ts";

export interface PlaneOptions {
  /** The standard deviation of what is added to each coordinate. */
  readonly noise?: number;
  readonly seed?: number | string;
}

type Point = readonly [number, number];

/** `n` noisy points in random order, the classes in turn; class `label` has `count` points, at t from 0 to 1. */
function plane(
  n: number,
  classes: number,
  { noise = 0.1, seed = 0 }: PlaneOptions,
  at: (label: number, t: number, count: number) => Point,
): Examples {
  if (!Number.isSafeInteger(n) || n < classes)
    throw new TrainError(`${n} points: a whole number of at least ${classes} is needed, one for each class`);
  if (!(noise >= 0 && noise < Number.POSITIVE_INFINITY))
    throw new TrainError(`the noise ${noise} is not a finite number of at least 0`);
  const random = createRandom(seed);
  const [deviations, order] = [random.split("noise").normal(2 * n), random.split("order").permutation(n)];
  const x = new Float32Array(2 * n);
  const y = new Float32Array(n);
  order.forEach((k, row) => {
    const label = k % classes;
    const count = Math.ceil((n - label) / classes); // of points of this class
    const point = at(label, count === 1 ? 0.5 : Math.floor(k / classes) / (count - 1), count);
    y[row] = label;
    for (const axis of [0, 1] as const) x[2 * row + axis] = point[axis] + noise * deviations[2 * k + axis]!;
  });
  return {
    x: tensor(x, { type: "float32", dims: [n, 2] }),
    y: tensor(y, { type: "int64", dims: [n] }),
  };
}

/**
 * Two half circles of radius 1, the second turned over and moved into the first.
 * @example twoMoons(200, { noise: 0.1, seed: 1 }).x.dims // [200, 2]
 */
export const twoMoons = (n: number, options: PlaneOptions = {}): Examples =>
  plane(n, 2, options, (label, t) => {
    const [cos, sin] = [Math.cos(Math.PI * t), Math.sin(Math.PI * t)];
    return label === 0 ? [cos, sin] : [1 - cos, 0.5 - sin];
  });

export interface CirclesOptions extends PlaneOptions {
  /** The radius of the inner circle; the outer one has radius 1. */
  readonly factor?: number;
}

/**
 * Two circles around 0, the outer of class 0 and the inner of class 1.
 * @example circles(200, { factor: 0.5, noise: 0.05 }).y.dims // [200]
 */
export function circles(n: number, { factor = 0.5, noise = 0.05, seed = 0 }: CirclesOptions = {}): Examples {
  if (!(factor > 0 && factor < 1)) throw new TrainError(`the factor ${factor} is not between 0 and 1`);
  return plane(n, 2, { noise, seed }, (label, t, count) => {
    const radius = label === 0 ? 1 : factor;
    const angle = (2 * Math.PI * t * (count - 1)) / count; // the last point does not fall on the first
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
}

export interface SpiralsOptions extends PlaneOptions {
  readonly classes?: number;
  /** How often an arm goes around. */
  readonly turns?: number;
}

/**
 * Arms of a spiral, one a class, from radius 0.1 to 1.
 * @example spirals(300, { classes: 3, turns: 1 }).x.dims // [300, 2]
 */
export function spirals(
  n: number,
  { classes = 2, turns = 1.5, noise = 0.02, seed = 0 }: SpiralsOptions = {},
): Examples {
  if (!Number.isSafeInteger(classes) || classes < 2)
    throw new TrainError(`${classes} arms: a spiral needs a whole number of at least 2`);
  if (!Number.isFinite(turns)) throw new TrainError(`the number of turns ${turns} is not finite`);
  return plane(n, classes, { noise, seed }, (label, t) => {
    const [radius, angle] = [0.1 + 0.9 * t, 2 * Math.PI * (turns * t + label / classes)];
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
}
