// Sums over the iterates of a map: F = sum_{k>=1} t^k g(psi^k), the Takagi class (Poggio 2023, section 6.6).

import { ConstructError } from "../functions/error.ts";
import type { Graph } from "../graph/graph.ts";
import { toDense } from "../graph/sparse.ts";
import { requireCount } from "./calculus/conditions.ts";
import type { Layer } from "./layers/layered.ts";
import { inputDimension, layer, layersOf, network, outputDimension } from "./layers/layers.ts";

/**
 * S_m = sum_{k=1}^{m} t^k D^k on [0, 1], D the triangle map: m hidden layers, widths 2, 3, ..., 3.
 * t = 1/2 gives Takagi's function, t = 1/4 gives x (1 - x).
 * @example linearPieces(takagi(2, 0.5), 0, 1).values // [0, 0.5, 0.5, 0]
 */
export function takagi(terms: number, ratio: number): Graph {
  requireCount("takagi", "number of terms", terms, 1);
  requireRatio("takagi", ratio);
  // Partial sums may be negative when t is: they are carried as relu(S + shift), shift = |t| / (1 - |t|) rounded up.
  const shift = ratio < 0 ? Math.ceil(-ratio / (1 + ratio)) : 0;
  const layers = [layer([[1], [1]], [0, -1 / 2])];
  let partial = [2 * ratio, -4 * ratio];
  let offset = 0;
  for (let k = 2; k <= terms; k++) {
    const next = [2, -4, 0].slice(0, partial.length);
    layers.push(layer([next, next, partial], [0, -1 / 2, k === 2 ? shift : 0]));
    partial = [2 * ratio ** k, -4 * ratio ** k, 1];
    offset = -shift;
  }
  return network([...layers, layer([partial], [offset])], { name: `takagi_${terms}` });
}

/** psi and g as networks with one input, one output and one hidden layer. */
export interface SelfSimilar {
  readonly ratio: number;
  /** psi: [0, 1] -> [0, 1]. */
  readonly map: Graph;
  /** g: [0, 1] -> R. */
  readonly profile: Graph;
}

/**
 * S_m = sum_{k=1}^{m} t^k g(psi^k): m + 1 hidden layers of W_psi, then W_psi + W_g, then W_psi + W_g + 2, ... units,
 * of which two carry the sum along; the last layer has no psi.
 * @example sizes(selfSimilarSum({ ratio: 0.5, map: zigzag(3), profile: triangle() }, 2)).widths // [3, 5, 4]
 */
export function selfSimilarSum({ ratio, map, profile }: SelfSimilar, terms: number): Graph {
  requireCount("selfSimilarSum", "number of terms", terms, 1);
  requireRatio("selfSimilarSum", ratio);
  const [psi, g] = [shallow("the map", map), shallow("the profile", profile)];
  const layers = [psi.hidden];
  let [point, total] = [psi.output, { weights: [0], bias: 0 }]; // psi^k and S_{k-1}
  for (let k = 1; k <= terms; k++) {
    const more = k < terms ? through(psi.hidden, point) : [];
    const values = through(g.hidden, point);
    const carried = k > 1 ? [total, scaled(total, -1)] : [];
    const units = [...more, ...values, ...carried];
    layers.push(
      layer(
        units.map((u) => u.weights),
        units.map((u) => u.bias),
      ),
    );
    const { weights, bias } = scaled(g.output, ratio ** k);
    point = { ...psi.output, weights: [...psi.output.weights, ...zeros(values), ...zeros(carried)] };
    total = { weights: [...zeros(more), ...weights, ...[1, -1].slice(0, carried.length)], bias };
  }
  return network([...layers, layer([total.weights], [total.bias])], { name: `self_similar_${terms}` });
}

/** An affine function of the units of a layer. */
interface Row {
  readonly weights: readonly number[];
  readonly bias: number;
}

const zeros = (rows: readonly Row[]): number[] => rows.map(() => 0);
const scaled = ({ weights, bias }: Row, by: number): Row => ({
  weights: weights.map((w) => by * w),
  bias: by * bias,
});

/** What the units of a layer with one input get when that input is `point`. */
const through = ({ weights, bias }: Layer, point: Row): Row[] =>
  Array.from(toDense(weights), (w, j) => {
    const { weights: row, bias: offset } = scaled(point, w);
    return { weights: row, bias: offset + bias[j]! };
  });

interface Shallow {
  readonly hidden: Layer;
  readonly output: Row;
}

function shallow(what: string, graph: Graph): Shallow {
  const layered = layersOf(graph);
  if (layered.layers.length !== 2 || inputDimension(layered) !== 1 || outputDimension(layered) !== 1)
    throw new ConstructError(
      `selfSimilarSum: ${what} must have one input, one output and one hidden layer; "${graph.name}" has ${layered.layers.length} affine maps`,
    );
  const [hidden, output] = layered.layers as [Layer, Layer];
  return { hidden, output: { weights: [...toDense(output.weights)], bias: output.bias[0]! } };
}

function requireRatio(operation: string, ratio: number): void {
  if (!(Math.abs(ratio) < 1))
    throw new ConstructError(`${operation}: the ratio t has |t| < 1, not t = ${ratio}`);
}
