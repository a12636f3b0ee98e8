// The squaring network: x^2 on [0, 1] by telescoping triangle maps (Telgarsky, Theorem 4.2; Yarotsky 2017).
import type { Graph } from "../../graph/graph.ts";
import { requireCount } from "../calculus/conditions.ts";
import { type Certified, certified } from "../circuit/certified.ts";
import { CircuitBuilder } from "../circuit/circuit.ts";
import { variable } from "../circuit/form.ts";
import { layer, network } from "../layers/layers.ts";

/**
 * The piecewise-linear interpolant of x^2 at k / 2^levels, k = 0..2^levels, as a ReLU network.
 * h_i = x - sum_{j=1}^{i} D^j(x) / 4^j with the triangle map D(x) = 2 relu(x) - 4 relu(x - 1/2) on [0, 1].
 * Hidden widths 2, 3, ..., 3: two units make the next triangle, one carries h >= 0 along.
 * @example square(3) // sup error 4^-4 on [0, 1]
 */
export function square(levels: number): Graph {
  requireCount("square", "number of levels", levels, 0);
  if (levels === 0) return network([layer([[1]])], { name: "square_0" }); // h_0 = x
  // Rows read the units (relu D, relu(D - 1/2), relu h) of the layer before; D = 2 u - 4 v.
  const triangle = [2, -4];
  const layers = [layer([[1], [1]], [0, -0.5])];
  let partial = [1 / 2, 1]; // h_1 = u / 2 + v
  for (let j = 2; j <= levels; j++) {
    const next = [...triangle, 0].slice(0, partial.length);
    layers.push(layer([next, next, partial], [0, -0.5, 0]));
    partial = [-2 / 4 ** j, 4 / 4 ** j, 1]; // h_j = h_{j-1} - D^j / 4^j
  }
  return network([...layers, layer([partial])], { name: `square_${levels}` });
}

/**
 * What `square` errs by at most on [0, 1]: 4^-(levels+1) as a function, and more by rounding when it runs in f64.
 * @example squareError(3).error // 0.00390625
 */
export function squareError(levels: number): Pick<Certified, "error" | "runError"> {
  requireCount("squareError", "number of levels", levels, 1);
  const { error, runError } = squareCircuit(levels);
  return { error, runError };
}

/** The same network as a circuit of one gate. */
export function squareCircuit(levels: number): Certified {
  const builder = new CircuitBuilder();
  const x = builder.add({ kind: "source", of: variable(0), lower: 0, upper: 1 });
  const gate = builder.add({ kind: "square", of: variable(x), bound: 1, nonnegative: true });
  const output = builder.add({ kind: "sum", of: variable(gate) });
  const circuit = { dimension: 1, values: builder.values, outputs: [output] };
  return certified(circuit, [0, levels, 0], { takeoff: "at once" });
}
