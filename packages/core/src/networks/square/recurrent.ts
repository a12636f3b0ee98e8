// A recurrent network of fixed size that squares (Bohn and Feischl 2019; book, section 1.6 on recurrent networks).
import { bool, float64, graph, int64 } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { tensor } from "../../graph/tensor.ts";
import { requireCount } from "../calculus/conditions.ts";
import { layer, network } from "../layers/layers.ts";

// The state (relu(s), relu(s - c/2), c, a, x) carries the scale c = 4^-t: the triangle map is homogeneous,
// 2 relu(s) - 4 relu(s - c/2) = c D(s / c), and a = sum_{k<=t} D^k(x) / 4^k tends to x - x^2.
const start = { weights: [[1], [1], [0], [0], [1]], bias: [0, -1 / 2, 1, 0, 0] };
const transition = [
  [1 / 2, -1, 0, 0, 0],
  [1 / 2, -1, -1 / 8, 0, 0],
  [0, 0, 1 / 4, 0, 0],
  [1 / 2, -1, 0, 1, 0],
  [0, 0, 0, 0, 1],
];
const readout = [[0, 0, 0, -1, 1]];

/** The number of units of the state. */
export const recurrentSquareUnits = transition.length;

/**
 * x^2 on [0, 1] after any number of steps u <- relu(A u) of five units, as an ONNX Loop with the inputs "x" (a batch)
 * and "steps": error 4^-(steps + 1), with the same ten weights for every accuracy.
 * @example numbers((await run(recurrentSquare(), { x: tensor([[0.5]]), steps: tensor(3, { type: "int64" }) })).y) // Float64Array [0.25]
 */
export function recurrentSquare(): Graph {
  return graph(
    { x: float64("N", 1), steps: int64() },
    ({ x, steps }) => {
      const first = x.affine(start.weights, start.bias).relu();
      const body = x.builder.subgraph(
        { step: int64(), more: bool(), state: float64("N", recurrentSquareUnits) },
        ({ more, state }) => ({
          goOn: more!.op("Identity"),
          next: state!.affine(transition).relu(),
        }),
      );
      const state = steps.op("Loop", [tensor(1, { type: "bool", dims: [] }), first], { body });
      return { y: state.affine(readout) };
    },
    { name: "recurrent_square" },
  );
}

/**
 * The same steps one after the other as a feed-forward network: steps + 1 hidden layers of five units.
 * @example linearPieces(unrolledSquare(2), 0, 1).knots.length - 1 // 4
 */
export function unrolledSquare(steps: number): Graph {
  requireCount("unrolledSquare", "number of steps", steps, 0);
  const first = layer(start.weights, start.bias);
  const again = Array.from({ length: steps }, () => layer(transition));
  return network([first, ...again, layer(readout)], { name: `unrolled_square_${steps}` });
}
