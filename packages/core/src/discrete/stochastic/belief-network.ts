// Sigmoid belief networks: layers of units that fire independently of each other, given the layer before.
import { float64, graph as writeGraph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { denseTensor, sparseMatrix } from "../../graph/sparse.ts";
import { tensor } from "../../graph/tensor.ts";
import type { StochasticUnit } from "./unit.ts";

export interface BeliefNetwork {
  readonly inputs: number;
  /** Hidden layers, then the outputs. */
  readonly layers: readonly (readonly StochasticUnit[])[];
}

/** Units without the inputs. */
export const unitsOf = ({ layers }: BeliefNetwork): number =>
  layers.reduce((sum, layer) => sum + layer.length, 0);

/** The greatest absolute value of a weight or bias. */
export const greatestParameter = ({ layers }: BeliefNetwork): number =>
  layers.reduce(
    (most, layer) =>
      layer.reduce(
        (m, { bias, reads }) =>
          reads.reduce((k, [, w]) => Math.max(k, Math.abs(w)), Math.max(m, Math.abs(bias))),
        most,
      ),
    0,
  );

/** Beyond it a layer's matrix is stored entry by entry; so are all where thousands of layers would make gigabytes together. */
const [mostDense, mostDenseTogether] = [2 ** 16, 2 ** 24];

/**
 * The sampling graph: inputs x [N, d] of bits and u1, u2, ... [N, width] of uniform numbers, output y [N, s]; unit k of layer
 * l is 1 where u_l is below its probability. The same uniform numbers give the same sample, wherever it runs.
 * @example samplingGraph({ inputs: 1, layers: [[{ bias: 0, reads: [[0, 1]] }]] }).inputs.map((i) => i.name) // ["x", "u1"]
 */
export function samplingGraph({ inputs, layers }: BeliefNetwork): Graph {
  const uniforms = Object.fromEntries(layers.map((units, l) => [`u${l + 1}`, float64("N", units.length)]));
  const widths = [inputs, ...layers.map(({ length }) => length)];
  const sizes = layers.map(({ length }, l) => length * widths[l]!);
  const together = sizes.reduce((sum, size) => (size <= mostDense ? sum + size : sum), 0);
  const most = together <= mostDenseTogether ? mostDense : 0;
  return writeGraph(
    { x: float64("N", inputs), ...uniforms },
    (values) => {
      const y = layers.reduce((h, units, l) => {
        const columns = widths[l]!;
        const entries = units.flatMap(({ reads }, r) => reads.map(([c, w]) => [r, c, w] as const));
        const W = sparseMatrix(units.length, columns, entries);
        const bias = tensor(Float64Array.from(units, ({ bias: b }) => b));
        const pre = h.affine(sizes[l]! <= most ? denseTensor(W, "float64") : W, bias);
        return values[`u${l + 1}` as "x"]!.op("Less", [pre.sigmoid()]).cast("float64");
      }, values.x!);
      return { y };
    },
    { name: "belief_network" },
  );
}
