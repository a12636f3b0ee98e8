// Gradient descent that watches what the flow would conserve: the balances of neurons, and how they drift.

import type { Rows } from "../linear-algebra/symmetric-eigen.ts";
import { layersFrom } from "../train/dense-network.ts";
import type { EmpiricalRisk } from "../train/empirical-risk.ts";
import { layerBalances, neuronBalances, neuronSizes, stepDrift } from "./balancedness.ts";

/** Measured, and what theory has for it. */
export type Pair = readonly [measured: number, theory: number];

export interface WatchedDescent {
  readonly eta: number;
  readonly steps: number;
  /** Squared norms of the layers and differences of neighbours, over time. */
  readonly track: readonly {
    readonly t: number;
    readonly norms: readonly number[];
    readonly balances: readonly number[];
  }[];
  /** The greatest change of a neuron's balance. */
  readonly drift: number;
  /** The change of each neuron's balance: with the sum of its formula, and with a bound for its size. */
  readonly explained: readonly Pair[];
  readonly bounded: readonly Pair[];
  /** The sum of eta |G|^2. */
  readonly dissipated: number;
  /** The share of the gradient by which a step changes it, at most: so large are terms of higher order in eta. */
  readonly bend: number;
  /** The greatest |theta|^2 at the ends. */
  readonly size: number;
}

const squaredNorm = (v: Float64Array): number => v.reduce((sum, x) => sum + x * x, 0);
const minus = (a: Float64Array, b: Float64Array): Float64Array => a.map((v, i) => v - b[i]!);
const added = (a: Rows, b: Rows): Rows => a.map((row, i) => row.map((v, j) => v + b[i]![j]!));
const paired = (measured: Rows, theory: Rows): readonly Pair[] =>
  measured.flatMap((row, i) => row.map((v, j) => [v, theory[i]![j]!] as const));

/** |a - b| as a share of the larger one. */
function share(a: Float64Array, b: Float64Array): number {
  const size = Math.max(squaredNorm(a), squaredNorm(b));
  return size === 0 ? 0 : Math.sqrt(squaredNorm(minus(a, b)) / size);
}

/** |grad R(theta - h grad R) - grad R| / (h |grad R|): how fast the gradient turns where descent starts. */
export async function curvatureAtStart(risk: EmpiricalRisk, h = 2 ** -20): Promise<number> {
  const { gradient } = await risk.at(risk.start);
  const { gradient: next } = await risk.at(risk.start.map((v, i) => v - h * gradient[i]!));
  return share(gradient, next) / h;
}

/** Gradient descent over a time, in so many steps; the widths are those of the dense network whose risk it is. */
export async function watchedDescent(
  risk: EmpiricalRisk,
  widths: readonly number[],
  { time, steps }: { readonly time: number; readonly steps: number },
): Promise<WatchedDescent> {
  const eta = time / steps;
  const begin = neuronBalances(layersFrom(risk, risk.start, widths));
  const zero = begin.map((layer) => layer.map(() => 0));
  let [theta, summed, larger, dissipated, bend] = [risk.start, zero as Rows, zero as Rows, 0, 0];
  let previous: Float64Array | undefined;
  const track: WatchedDescent["track"][number][] = [];
  for (let k = 0; k <= steps; k++) {
    const layers = layersFrom(risk, theta, widths);
    const norms = layers.map(({ W }) => W.flat().reduce((sum, w) => sum + w * w, 0));
    track.push({ t: k * eta, norms, balances: layerBalances(layers) });
    if (k === steps) break;
    const { gradient } = await risk.at(theta);
    const slopes = layersFrom(risk, gradient, widths);
    summed = added(summed, stepDrift(slopes, eta));
    const largerSides = neuronSizes(slopes).map((layer) =>
      layer.map(({ behind, before }) => eta ** 2 * Math.max(behind, before)),
    );
    larger = added(larger, largerSides);
    dissipated += eta * squaredNorm(gradient);
    bend = Math.max(bend, share(previous ?? gradient, gradient));
    previous = gradient;
    theta = theta.map((v, i) => v - eta * gradient[i]!);
  }
  const end = neuronBalances(layersFrom(risk, theta, widths));
  const drift = end.map((layer, l) => layer.map((v, j) => v - begin[l]![j]!));
  return {
    eta,
    steps,
    track,
    drift: drift.flat().reduce((most, v) => Math.max(most, Math.abs(v)), 0),
    explained: paired(drift, summed),
    bounded: paired(drift, larger),
    dissipated,
    bend,
    size: Math.max(squaredNorm(risk.start), squaredNorm(theta)),
  };
}
