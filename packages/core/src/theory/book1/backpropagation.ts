import { sampleGradients } from "../../dynamics/sample-gradients.ts";
import { run } from "../../engine/run.ts";
import type { ActivationName } from "../../functions/activation.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { dot } from "../../linear-algebra/dot.ts";
import type { Random } from "../../numbers/random.ts";
import { cost } from "../../passes/cost.ts";
import { gradient } from "../../passes/gradient.ts";
import { perExampleJacobian } from "../../passes/jacobian.ts";
import { backpropagate } from "../../train/backpropagation.ts";
import { type DenseLayer, denseNetwork, layersFrom, preActivations } from "../../train/dense-network.ts";
import { weightVector } from "../../train/empirical-risk.ts";
import { weightedGradient } from "../../train/example-losses.ts";
import { hessianProduct } from "../../train/hessian-product.ts";
import { atMost, checked, equals, type Measurement, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";

export default lemma({
  id: "C1a-07",
  covers: ["C1a-07"],
  kind: "algorithm",
  title: "Backpropagation",
  source: "Book, chapter 1, sects. 1.1.2 and 1.2.3",
  statement: String.raw`\delta^L = 1, \; \delta^\ell = (W^{\ell+1})^T \delta^{\ell+1} \odot \varrho'(\Phi^\ell): \quad \partial_{W^\ell} \Phi = \delta^\ell (\bar\Phi^{\ell-1})^T, \; \partial_{b^\ell} \Phi = \delta^\ell; \qquad \varrho \text{ homogeneous, no biases}: \; \langle W^\ell, \partial_{W^\ell} \Phi \rangle = \Phi`,
  parameters: {
    activation: choice(["relu", "tanh", "logistic", "linear"], { label: "activation" }),
    L: integer({ min: 1, max: 4, default: 3, label: "layers of weights" }),
    n: integer({ min: 1, max: 8, default: 6, label: "width" }),
    m: integer({ min: 1, max: 6, default: 4, label: "examples" }),
  },
  claims: {
    "gradient pass against the layers' formulas": equals("0"),
    "examples' gradients in one run less one at a time": equals("0"),
    "sum of the examples' gradients less the batch's": equals("0"),
    "Euler's identity, every layer": equals("0"),
    "Euler's identity, all layers: sum of the ⟨θ, ∇Φ(x_i)⟩": equals(String.raw`L \sum_i \Phi(x_i)`),
    "Hessian, asymmetry: <u, Hv> - <v, Hu>": equals("0"),
    "central difference of Φ along a direction v": equals(String.raw`\langle \nabla \Phi, v \rangle`),
    "Hessian-vector product less differences of gradients": equals("0"),
    "operations of the gradient graph": atMost(String.raw`5 \times \text{those of the network}`).looseBy(1.5),
  },
  mutants: {
    "degree one too few": {
      "Euler's identity, all layers: sum of the ⟨θ, ∇Φ(x_i)⟩": ({ L }, { theory }) => (theory * (L - 1)) / L,
    },
    "a layer lost": ({ L }) => ({ L: L - 1 }),
    "the backward pass for free": { "operations of the gradient graph": (_, { theory }) => (2 * theory) / 5 },
  },
  async run({ activation, L, n, m }, { random, progress }) {
    const setting: Setting = { activation, widths: [3, ...new Array<number>(L - 1).fill(n), 1], m };
    const network = drawNetwork(setting, random, true);
    const graph = denseNetwork(network.layers, activation);
    const exact = isExact(activation);
    const claims: Record<string, Measurement> = {
      ...(await againstFormulas(setting, network)),
      ...(await symmetry(setting, network, random)),
      ...(exact ? await euler(setting, drawNetwork(setting, random, false)) : {}),
      "operations of the gradient graph": checked(
        cost(gradient(graph, { wrt: "weights" }), { dims: { x: [m, 3], seed_y: [m, 1] } }).flops,
        5 * cost(graph, { dims: { x: [m, 3] } }).flops,
      ),
    };
    await progress(0.5);
    return { graph, claims: { ...claims, ...(exact ? {} : await differences(setting, network, random)) } };
  },
});

interface Setting {
  readonly activation: ActivationName;
  readonly widths: readonly number[];
  readonly m: number;
}

interface Network {
  readonly layers: readonly DenseLayer[];
  readonly x: readonly (readonly number[])[];
}

/** Whole numbers stay whole numbers below 2^53: then sums are exact in any order. */
const isExact = (activation: ActivationName): boolean => activation === "relu" || activation === "linear";

/** Whole weights from -2 to 2, or, for smooth activations, rows of absolute sum at most 1. */
function drawNetwork({ activation, widths, m }: Setting, random: Random, biased: boolean): Network {
  const exact = isExact(activation);
  const list = (count: number, scale: number) =>
    Array.from({ length: count }, () => (exact ? random.integer(-2, 2) : scale * (2 * random.uniform() - 1)));
  const layers = widths.slice(1).map((rows, l) => ({
    W: Array.from({ length: rows }, () => list(widths[l]!, 1 / widths[l]!)),
    ...(biased && { b: list(rows, 1) }),
  }));
  return { layers, x: Array.from({ length: m }, () => list(widths[0]!, 1)) };
}

/**
 * How far two orders of the same sums can be apart where row sums are at most 1 and |rho'|, |rho''| <= 1: each of the L
 * forward and L backward stages rounds sums of n + 6 terms, and each backward stage feels the L forward errors.
 */
const rounding = ({ activation, widths }: Setting): number => {
  const L = widths.length - 1;
  return isExact(activation) ? 0 : L * (L + 2) * (Math.max(...widths) + 6) * 2 ** -52;
};

const flat = (layers: readonly DenseLayer[]): number[] =>
  layers.flatMap(({ W, b = [] }) => [...W.flat(), ...b]);
const greatest = (values: Iterable<number>): number =>
  [...values].reduce((most, v) => Math.max(most, Math.abs(v)), 0);

async function againstFormulas(setting: Setting, { layers, x }: Network) {
  const graph = denseNetwork(layers, setting.activation);
  const vector = weightVector(graph);
  const rows = await sampleGradients(graph, tensor(x))(vector.start);
  const formulas = x.map((each) => flat(backpropagate(layers, setting.activation, each, [1])));
  const gaps = rows.flatMap((row, i) =>
    flat(layersFrom(vector, row, setting.widths)).map((v, k) => v - formulas[i]![k]!),
  );
  // Sum of outputs: the derivative of (f - y)^2 / 2 with y = f - 1 is 1, so a square loss with weights 1/2 has it.
  const targets = x.map((each) => preActivations(layers, setting.activation, each).at(-1)![0]! - 1);
  const data = { x: tensor(x), target: tensor(targets, { dims: [x.length, 1] }) };
  const batch = await weightedGradient(
    graph,
    "square",
    data,
  )(vector.start, new Array<number>(x.length).fill(0.5));
  const summed = batch.map((v, k) => v - rows.reduce((sum, row) => sum + row[k]!, 0));
  const tolerance = rounding(setting);
  return {
    "gradient pass against the layers' formulas": checked(greatest(gaps), 0, { tolerance }),
    "examples' gradients in one run less one at a time": checked(await inOneRun(graph, x, rows), 0, {
      tolerance,
    }),
    "sum of the examples' gradients less the batch's": checked(greatest(summed), 0, {
      tolerance: 4 * x.length * tolerance,
    }),
  };
}

/** Rows of the Jacobian that one graph computes, against those seeded one by one. */
async function inOneRun(graph: Graph, x: Network["x"], rows: readonly Float64Array[]): Promise<number> {
  const found = await run(perExampleJacobian(graph), { x: tensor(x) }, { threads: 1 });
  const vector = weightVector(graph);
  const gaps = vector.names.flatMap((name) => {
    const wanted = rows.flatMap((row) => [...vector.block(row, name)]);
    return Array.from(numbers(found[`jacobian_${name}`]!), (v, k) => v - wanted[k]!);
  });
  return greatest(gaps);
}

/** H is symmetric: exactly with whole numbers, to rounding otherwise. */
async function symmetry(setting: Setting, { layers, x }: Network, random: Random) {
  const graph = denseNetwork(layers, setting.activation);
  const { start } = weightVector(graph);
  const product = hessianProduct(graph, tensor(x));
  const [u, v] = [0, 1].map(() => start.map(() => random.integer(-2, 2)));
  const [Hu, Hv] = [await product(start, u!), await product(start, v!)];
  const size = Math.sqrt(dot(u!, u!) * dot(Hv, Hv)) + Math.sqrt(dot(v!, v!) * dot(Hu, Hu)) + x.length;
  return {
    "Hessian, asymmetry: <u, Hv> - <v, Hu>": checked(dot(u!, Hv) - dot(v!, Hu), 0, {
      tolerance: 4 * rounding(setting) * start.length * size,
    }),
  };
}

async function euler({ activation, widths }: Setting, { layers, x }: Network) {
  const graph = denseNetwork(layers, activation);
  const vector = weightVector(graph);
  const rows = await sampleGradients(graph, tensor(x))(vector.start);
  const gaps = rows.flatMap((row, i) => {
    const value = preActivations(layers, activation, x[i]!).at(-1)![0]!;
    return layersFrom(vector, row, widths).map((g, l) => dot(g.W.flat(), layers[l]!.W.flat()) - value);
  });
  const total = rows.reduce((sum, row) => sum + dot(row, vector.start), 0);
  const values = x.map((each) => preActivations(layers, activation, each).at(-1)![0]!);
  return {
    "Euler's identity, every layer": checked(greatest(gaps), 0),
    "Euler's identity, all layers: sum of the ⟨θ, ∇Φ(x_i)⟩": checked(
      total,
      layers.length * values.reduce((sum, v) => sum + v, 0),
    ),
  };
}

/** Along a unit direction v. */
async function differences(setting: Setting, { layers, x }: Network, random: Random) {
  const graph = denseNetwork(layers, setting.activation);
  const vector = weightVector(graph);
  const { start } = vector;
  const v = random.sphere(start.length);
  const h = 2 ** -14;
  // h^2 / 6 times third derivatives along v, at most a few for rows of absolute sum at most 1; rounding over h, 1e-11.
  const tolerance = h ** 2;
  const moved = (by: number) => start.map((t, k) => t + by * v[k]!);
  const first = tensor(x.slice(0, 1));
  const gradientAt = async (theta: Float64Array) => (await sampleGradients(graph, first)(theta))[0]!;
  const valueAt = (theta: Float64Array) =>
    preActivations(layersFrom(vector, theta, setting.widths), setting.activation, x[0]!).at(-1)![0]!;
  const g = await gradientAt(start);
  const slope = (valueAt(moved(h)) - valueAt(moved(-h))) / (2 * h);
  const [ahead, behind] = [await gradientAt(moved(h)), await gradientAt(moved(-h))];
  const Hv = await hessianProduct(graph, first)(start, v);
  const gap = Hv.map((value, k) => value - (ahead[k]! - behind[k]!) / (2 * h));
  return {
    "central difference of Φ along a direction v": sampled(slope, dot(g, v), { tolerance }),
    "Hessian-vector product less differences of gradients": sampled(greatest(gap), 0, { tolerance }),
  };
}
