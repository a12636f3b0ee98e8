// exp on an interval by units of another activation: the univariate step that turns exponential networks into others.
import { type ActivationName, activation } from "../../functions/activation.ts";
import type { Graph } from "../../graph/graph.ts";
import { matrixOfRows, pivotedQr, qrSolve } from "../../linear-algebra/index.ts";
import { layer, network } from "../../networks/layers/layers.ts";
import type { ExponentialSum } from "./exponential-algebra.ts";

/** p(r) = bias + sum_i u_i sigma(w_i r + b_i). */
export interface UnivariateUnits {
  readonly activation: ActivationName;
  readonly inner: readonly number[];
  readonly biases: readonly number[];
  readonly outer: readonly number[];
  readonly bias: number;
  /** max |p - exp| over a grid much finer than that of the fit. */
  readonly error: number;
}

/**
 * Units with equidistant centres, fitted to exp on [0, R] at Chebyshev points by least squares.
 * @example fitExponential("tanh", 2, 12).error < 1e-4 // true
 */
export function fitExponential(name: ActivationName, R: number, units: number): UnivariateUnits {
  const sigma = activation(name);
  const steep = 2 / R;
  const biases = Array.from(
    { length: units },
    (_, i) => -steep * ((R * (2 * i + 1 - units)) / units + R / 2),
  );
  const nodes = Array.from(
    { length: 8 * units },
    (_, i) => (R / 2) * (1 - Math.cos(((2 * i + 1) * Math.PI) / (16 * units))),
  );
  const rows = nodes.map((r) => [1, ...biases.map((b) => sigma.value(steep * r + b))]);
  const solution = qrSolve(
    pivotedQr(matrixOfRows(rows), { tolerance: 1e-11 }),
    Float64Array.from(nodes, Math.exp),
  );
  const [bias, ...outer] = Array.from(solution) as [number, ...number[]];
  let error = 0;
  for (let k = 0; k <= 2000; k++) {
    const r = (R * k) / 2000;
    const p = outer.reduce((sum, u, i) => sum + u * sigma.value(steep * r + biases[i]!), bias);
    error = Math.max(error, Math.abs(p - Math.exp(r)));
  }
  return { activation: name, inner: biases.map(() => steep), biases, outer, bias, error };
}

/**
 * sum_j a_j p(<v_j, x>): a network of the other activation, with a unit for each term and each unit of p.
 * @example complexity(reducedNetwork([{ coefficient: 1, exponents: [1] }], fitExponential("tanh", 1, 8))).width // 8
 */
export function reducedNetwork(h: ExponentialSum, p: UnivariateUnits): Graph {
  const moving = h.filter(({ exponents }) => exponents.some((v) => v !== 0));
  const still = h
    .filter(({ exponents }) => exponents.every((v) => v === 0))
    .reduce((sum, t) => sum + t.coefficient, 0);
  const rows = moving.flatMap(({ exponents }) => p.inner.map((w) => exponents.map((v) => w * v)));
  const outer = moving.flatMap(({ coefficient }) => p.outer.map((u) => coefficient * u));
  const bias = moving.reduce((sum, t) => sum + t.coefficient * p.bias, still);
  return network(
    [
      layer(
        rows,
        moving.flatMap(() => p.biases),
      ),
      layer([outer], [bias]),
    ],
    {
      activation: p.activation,
      name: "reduced_exponentials",
    },
  );
}
