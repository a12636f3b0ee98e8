import {
  type InterpolatedPoints,
  type InterpolationBasis,
  interpolateOn,
  interpolationBasis,
  neuronValues,
  polynomialDimension,
} from "../../approximate/interpolation/index.ts";
import { toDense } from "../../graph/sparse.ts";
import { luSolveTransposed, type Matrix } from "../../linear-algebra/index.ts";
import { complexity, layersOf } from "../../networks/layers/layers.ts";
import { checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import { interpolatingNetworkFigure } from "./interpolating-network-figure.ts";
import { powerRank } from "./power-rank.ts";

const k = 2;

export default lemma({
  id: "C1a-12",
  covers: ["C1a-12"],
  kind: "construction",
  title: "A network with m neurons through m points",
  source: "Book, chapter 1, Proposition 1.17",
  statement: String.raw`\varrho \text{ continuous, not a polynomial}, \; x^{(1)}, \dots, x^{(m)} \text{ distinct}: \qquad W^{(2)} = [y^{(1)} \cdots y^{(m)}]\, A^{-1}, \quad A_{ji} = \varrho(\langle w_j, x^{(i)} \rangle + b_j), \qquad \Phi(x^{(i)}) = y^{(i)}`,
  parameters: {
    activation: choice(["tanh", "relu", "logistic", "softplus", "gaussian", "sin"], { label: "activation" }),
    m: integer({ min: 1, max: 120, default: 80, label: "points" }),
    d: integer({ min: 1, max: 12, default: 5, label: "dimension" }),
    q: integer({ min: 1, max: 3, default: 3, label: "degree of a polynomial activation" }),
  },
  claims: {
    "hidden units": equals("m"),
    parameters: equals("md + m + km + k"),
    "greatest output bias": equals("0"),
    "residual on ONNX Runtime": equals("0"),
    "residual of other values on the same first layer": equals("0"),
    "residual in float32": equals("0"),
    "trace of A⁻¹A, A anew from the neurons": equals(String.raw`m: \; A \text{ has full rank}`),
    "greatest entry of A⁻¹A - I": equals("0"),
    "rank of neurons z^q": equals(String.raw`\min(m, \tbinom{q+d}{d})`),
  },
  mutants: {
    "the output bias not counted": { parameters: ({ m, d }) => m * d + m + k * m },
    "powers of z without lower ones": {
      "rank of neurons z^q": ({ m, d, q }) => Math.min(m, polynomialDimension(q, d - 1)),
    },
    "a point lost": ({ m }) => ({ m: m - 1 }),
  },
  async run({ activation, m, d, q }, { random, budget, progress }) {
    const points: Matrix = { rows: m, columns: d, entries: random.split("points").normal(m * d) };
    const values = (label: string): Matrix => ({
      rows: m,
      columns: k,
      entries: random.split(label).normal(m * k),
    });
    const [y, others] = [values("values"), values("others")];
    const basis = await interpolationBasis(points, { activation });
    const [fit, again] = [await interpolateOn(basis, y), await interpolateOn(basis, others)];
    await progress(0.5);
    const { layers } = layersOf(fit.network);
    // m roundings of 2^-53, times the condition number, whose estimate may be a third of it.
    const rounding = (m + 2) * 2 ** -53 * 3 * fit.condition;
    const inverse = await timesInverse(basis);
    return {
      graph: fit.network,
      ...(budget === "cheap"
        ? {}
        : { figure: await interpolatingNetworkFigure(activation, { d, q, random }) }),
      claims: {
        "hidden units": checked(complexity(fit.network).architecture[1]!, m),
        parameters: checked(
          layers.reduce((n, { weights, bias }) => n + weights.rows * weights.columns + bias.length, 0),
          m * d + m + k * m + k,
        ),
        "greatest output bias": checked(greatest(layers[1]!.bias), 0),
        "residual on ONNX Runtime": sampled(fit.residual, 0, { tolerance: rounding * greatest(y.entries) }),
        "residual of other values on the same first layer": sampled(again.residual, 0, {
          tolerance: rounding * greatest(others.entries),
        }),
        "residual in float32": sampled(fit.float32.residual, 0, {
          tolerance: await float32Bound(fit, points),
        }),
        "trace of A⁻¹A, A anew from the neurons": checked(inverse.trace, m, { tolerance: m * rounding }),
        "greatest entry of A⁻¹A - I": checked(inverse.distance, 0, { tolerance: rounding }),
        "rank of neurons z^q": checked(
          powerRank(points, q, random.split("powers")),
          Math.min(m, polynomialDimension(q, d)),
        ),
      },
    };
  },
});

const greatest = (entries: Float64Array): number =>
  entries.reduce((most, x) => Math.max(most, Math.abs(x)), 0);

/**
 * Rounding of weights and inputs moves the argument z of a neuron by (d + 3) u (|w| |x| + |b|) at most, u = 2^-24, and
 * rho, which is 1-Lipschitz here, no farther; then come a few last digits of rho itself, and a sum of m products.
 */
async function float32Bound({ network, basis }: InterpolatedPoints, points: Matrix): Promise<number> {
  const { rows: m, columns: d, entries } = points;
  const { weights, biases } = basis.neurons;
  const values = await neuronValues(basis.neurons, points, basis.rho);
  const output = toDense(layersOf(network).layers[1]!.weights);
  let most = 0;
  for (let i = 0; i < m; i++)
    for (let c = 0; c < k; c++) {
      let sum = 0;
      for (let j = 0; j < biases.length; j++) {
        let size = Math.abs(biases[j]!);
        for (let e = 0; e < d; e++) size += Math.abs(weights.entries[j * d + e]! * entries[i * d + e]!);
        const value = Math.abs(values.entries[j * m + i]!);
        sum += Math.abs(output[c * biases.length + j]!) * ((d + 3) * size + (biases.length + 8) * value + 8);
      }
      most = Math.max(most, sum);
    }
  return 2 ** -24 * most;
}

/** W A for W = A^-1 as solved, A anew from the neurons: its trace, and max |W A - I|; below 1/m, A has full rank. */
async function timesInverse({ lu, factors, neurons, distinct, rho }: InterpolationBasis) {
  const m = lu.size;
  const unit = new Float64Array(m * m);
  for (let i = 0; i < m; i++) unit[i * (m + 1)] = 1;
  const transposedInverse = await luSolveTransposed(lu, { rows: m, columns: m, entries: unit });
  const values = await neuronValues(neurons, distinct.points, rho);
  let [distance, trace] = [0, 0];
  for (let i = 0; i < m; i++)
    for (let c = 0; c < m; c++) {
      let sum = 0;
      for (let j = 0; j < m; j++)
        sum += transposedInverse.entries[j * m + c]! * factors[j]! * values.entries[j * m + i]!;
      distance = Math.max(distance, Math.abs(sum - (i === c ? 1 : 0)));
      if (i === c) trace += sum;
    }
  return { distance, trace };
}
