// The fundamental theorem of calculus as a network of infinitely many thresholds, and finite networks sampled from it:
// g(x) - g(0) = int_0^1 g'(b) 1[x >= b] db.

import { ConstructError } from "../../functions/error.ts";
import type { Graph } from "../../graph/graph.ts";
import type { Random } from "../../numbers/random.ts";
import { integralBetween } from "../spline/quadrature.ts";
import { cuts, type Segment, type Target } from "../spline/target.ts";
import { type Steps, thresholdNetwork } from "./staircase.ts";
import { variation } from "./variation.ts";

const unit: Segment = [0, 1];
const panels = 8;

/** A law P of inputs in [0, 1]: L2(P) measures the error. */
export interface InputLaw {
  /** The integral of h dP, h smooth between neighbouring points. */
  mean(h: (x: number) => number, points: readonly number[]): number;
  /** P(x >= b). */
  tail(b: number): number;
}

export const inputLaws = {
  /** Uniform on [0, 1]. */
  uniform: { mean: (h, points) => integralBetween(h, points), tail: (b) => 1 - b },
  /** Density 2x: the greater of two uniform numbers. */
  rising: { mean: (h, points) => integralBetween((x) => 2 * x * h(x), points), tail: (b) => 1 - b * b },
  /** All the mass at x = 1. */
  end: { mean: (h) => h(1), tail: () => 1 },
} as const satisfies Readonly<Record<string, InputLaw>>;

/** Thresholds b_j drawn from |g'| / Z, with the signs of g' there; Z is the total variation. */
export interface ThresholdSample {
  readonly thresholds: readonly number[];
  readonly signs: readonly number[];
  readonly variation: number;
}

/**
 * Draws b_j = V^{-1}(Z u_j), u_j uniform: flat parts get no units.
 * @example sampleThresholds(targets.wave, 10, createRandom(1)).variation // 4
 */
export function sampleThresholds(g: Target, units: number, random: Random): ThresholdSample {
  if (!Number.isSafeInteger(units) || units < 1)
    throw new ConstructError(`a sample has a whole number of units, at least 1, not ${units}`);
  const { total, at } = variation(g, unit);
  if (!(total > 0))
    throw new ConstructError(`${g.formula} is constant: there is no variation to sample from`);
  const thresholds = [...random.uniform(units)].sort((a, b) => a - b).map(at);
  return { thresholds, signs: thresholds.map((b) => (g.derivative(b) < 0 ? -1 : 1)), variation: total };
}

/** The sample whose thresholds all lie at one quantile of |g'| / Z; near it there are samples of positive probability. */
export function equalThresholds(g: Target, units: number, share: number): ThresholdSample {
  const { total, at } = variation(g, unit);
  const b = at(share);
  const sign = g.derivative(b) < 0 ? -1 : 1;
  return { thresholds: Array(units).fill(b), signs: Array(units).fill(sign), variation: total };
}

/**
 * f(x) = g(0) + sum_j a_j 1[x >= b_j], a_j = Z sgn(g'(b_j)) / m: its expectation is g.
 * @example sampledNetwork(targets.wave, sampleThresholds(targets.wave, 10, createRandom(1))) // 10 thresholds
 */
export const sampledNetwork = (g: Target, { thresholds, signs, variation: mass }: ThresholdSample): Graph =>
  thresholdNetwork(
    thresholds,
    signs.map((s) => (mass * s) / thresholds.length),
    g.value(0),
  );

/** The sampled network as a step function on [0, 1]. */
export function sampledSteps(g: Target, { thresholds, signs, variation: mass }: ThresholdSample): Steps {
  let sum = 0;
  const levels = signs.map((s) => {
    sum += s;
    return g.value(0) + (mass * sum) / thresholds.length;
  });
  return { thresholds: [0, ...thresholds], levels: [g.value(0), ...levels] };
}

/** The integral of (f - g)^2 dP for a step function f on [0, 1]. */
export function squaredError(law: InputLaw, { thresholds, levels }: Steps, g: Target): number {
  const points = refined([...thresholds, ...breaks(g)].sort((a, b) => a - b));
  let cell = 0;
  const f = (x: number): number => {
    while (cell + 1 < thresholds.length && thresholds[cell + 1]! <= x) cell++;
    while (cell > 0 && thresholds[cell]! > x) cell--;
    return levels[cell]!;
  };
  return law.mean((x) => (f(x) - g.value(x)) ** 2, points);
}

const breaks = (g: Target): readonly number[] =>
  cuts(
    unit,
    [...g.turns, ...g.inflections, ...g.bends].sort((a, b) => a - b),
  );

/** Points with no gap of more than 1 / panels, so that one panel of quadrature is enough between them. */
function refined(points: readonly number[]): readonly number[] {
  return points.flatMap((x, k) => {
    const gap = (points[k + 1] ?? x) - x;
    const parts = Math.ceil(gap * panels);
    return parts <= 1 ? [x] : Array.from({ length: parts }, (_, p) => x + (gap * p) / parts);
  });
}

/**
 * E ||f - g||^2 in L2(P) over samples of m units: (Z^2 E_b P(x >= b) - ||g - g(0)||^2) / m <= Z^2 / m.
 * @example expectedSquaredError(targets.wave, 10, inputLaws.uniform) // 0.75
 */
export function expectedSquaredError(g: Target, units: number, law: InputLaw): number {
  const { total } = variation(g, unit);
  const tail = integralBetween((b) => Math.abs(g.derivative(b)) * law.tail(b), breaks(g), panels);
  const norm = law.mean((x) => (g.value(x) - g.value(0)) ** 2, refined(breaks(g)));
  return (total * tail - norm) / units;
}

/** The same for one threshold, by quadrature over it: the integral of ||f_b - g||^2 |g'(b)| / Z. */
export function expectedOverThresholds(g: Target, law: InputLaw): number {
  const { total } = variation(g, unit);
  const error = (b: number): number =>
    squaredError(
      law,
      sampledSteps(g, { thresholds: [b], signs: [g.derivative(b) < 0 ? -1 : 1], variation: total }),
      g,
    );
  return integralBetween((b) => (Math.abs(g.derivative(b)) / total) * error(b), breaks(g), panels);
}

/**
 * int_0^1 g'(b) 1[x >= b] db: the network of infinite width, by quadrature; it is g(x) - g(0).
 * @example infiniteNetwork(targets.square, 0.5) // 0.25
 */
export const infiniteNetwork = (g: Target, x: number): number =>
  x <= 0
    ? 0
    : integralBetween(
        (b) => g.derivative(b),
        refined(
          cuts(
            [0, x],
            [...g.turns, ...g.inflections, ...g.bends].sort((a, b) => a - b),
          ),
        ),
      );
