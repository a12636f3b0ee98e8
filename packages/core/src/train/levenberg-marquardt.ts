// Least squares for small dense networks: damped Gauss-Newton steps, which commute with permutations of hidden units.
import type { ActivationName } from "../functions/activation.ts";
import { matrixOfRows, pivotedQr, qrSolve } from "../linear-algebra/index.ts";
import { backpropagate } from "./backpropagation.ts";
import { type DenseLayer, preActivations } from "./dense-network.ts";

export type DenseLayers = readonly Required<DenseLayer>[];

/** One input and the output wanted there. */
export interface Point {
  readonly x: readonly number[];
  readonly y: number;
}

/**
 * The mean of the squared errors of a network with one output.
 * @example meanSquare([{ W: [[2]], b: [0] }], "linear", [{ x: [1], y: 1 }, { x: [2], y: 4 }]) // 0.5
 */
export const meanSquare = (
  layers: DenseLayers,
  activation: ActivationName,
  points: readonly Point[],
): number =>
  residuals(layers, activation, points).reduce((sum, r) => sum + r * r, 0) / Math.max(1, points.length);

/**
 * Levenberg and Marquardt: h minimizes |J h + r|^2 + damping |h|^2; a step that does not help is taken back, with more
 * damping.
 * @example meanSquare(levenbergMarquardt([{ W: [[1]], b: [0] }], "linear", [{ x: [1], y: 3 }, { x: [2], y: 5 }], 20), "linear", [{ x: [0], y: 1 }]) // 0, almost
 */
export function levenbergMarquardt(
  start: DenseLayers,
  activation: ActivationName,
  points: readonly Point[],
  steps: number,
): DenseLayers {
  let [layers, damping] = [start, 1e-2];
  let least = meanSquare(start, activation, points);
  for (let k = 0; k < steps && least > 0; k++) {
    const tried = moved(layers, step(layers, activation, points, damping));
    const loss = meanSquare(tried, activation, points);
    if (loss < least) [layers, least, damping] = [tried, loss, damping / 8];
    else damping *= 4;
  }
  return layers;
}

const residuals = (
  layers: DenseLayers,
  activation: ActivationName,
  points: readonly Point[],
): readonly number[] => points.map(({ x, y }) => preActivations(layers, activation, x).at(-1)![0]! - y);

function step(
  layers: DenseLayers,
  activation: ActivationName,
  points: readonly Point[],
  damping: number,
): Float64Array {
  const rows = points.map(({ x }) => flat(backpropagate(layers, activation, x, [1])));
  const size = rows[0]!.length;
  const damped = Array.from({ length: size }, (_, k) => {
    const row = new Array<number>(size).fill(0);
    row[k] = Math.sqrt(damping);
    return row;
  });
  const wanted = [
    ...residuals(layers, activation, points).map((r) => -r),
    ...new Array<number>(size).fill(0),
  ];
  return qrSolve(pivotedQr(matrixOfRows([...rows, ...damped])), Float64Array.from(wanted));
}

const flat = (layers: DenseLayers): number[] => layers.flatMap(({ W, b }) => [...W.flat(), ...b]);

function moved(layers: DenseLayers, by: Float64Array): DenseLayers {
  let at = 0;
  return layers.map(({ W, b }) => ({
    W: W.map((row) => row.map((w) => w + by[at++]!)),
    b: b.map((v) => v + by[at++]!),
  }));
}
