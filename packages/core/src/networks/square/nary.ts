// The square by zigzags of n teeth with few weights: every sawtooth passes through one unit.
import type { Graph } from "../../graph/graph.ts";
import { requireCount } from "../calculus/conditions.ts";
import type { Layer } from "../layers/layered.ts";
import { layer, network } from "../layers/layers.ts";

/**
 * The interpolant of x^2 on [0, 1] at k / n^stages as by `zigzagSquare`, with each sawtooth z_j >= 0 first formed in
 * one unit: 2 stages - 1 hidden layers of widths n, 2, n + 1, 2, ..., n + 1 and about 4 n weights a stage, not n^2.
 * @example complexity(bottleneckSquare(4, 2)).architecture // [1, 4, 2, 5, 1]
 */
export function bottleneckSquare(n: number, stages: number): Graph {
  requireCount("bottleneckSquare", "number of teeth", n, 2);
  requireCount("bottleneckSquare", "number of stages", stages, 1);
  const units = Array.from({ length: n }, (_, i) => i);
  // In u_i = relu(n z - i): the sawtooth, and the interpolant of t^2 - t at i / n.
  const sawtooth = units.map((i) => (i === 0 ? 1 : i % 2 === 1 ? -2 : 2));
  const dip = units.map((i) => (i === 0 ? (1 - n) / n ** 2 : 2 / n ** 2));
  const layers: Layer[] = [];
  let partial = dip.map((w, i) => (i === 0 ? w + 1 / n : w)); // x + p(x)
  for (let j = 0; j < stages; j++) {
    if (j === 0)
      layers.push(
        layer(
          units.map(() => [n]),
          units.map((i) => -i),
        ),
      );
    else {
      layers.push(layer([partial.map((_, i) => sawtooth[i] ?? 0), partial]));
      layers.push(layer([...units.map(() => [n, 0]), [0, 1]], [...units.map((i) => -i), 0]));
      partial = [...dip.map((w) => w / n ** (2 * j)), 1];
    }
  }
  return network([...layers, layer([partial])], { name: `bottleneck_square_${n}_${stages}` });
}
