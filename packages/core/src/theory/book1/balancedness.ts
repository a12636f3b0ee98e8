import { type ActivationName, activation as activationOf } from "../../construct/activation.ts";
import type { Random } from "../../engine/random.ts";
import { type Tensor, tensor } from "../../graph/tensor.ts";
import {
  layerBalances,
  matrixBalance,
  neuronBalances,
  neuronIdentities,
  printedIdentity,
  stepDrift,
} from "../../train/balancedness.ts";
import { type DenseLayer, denseNetwork, layersFrom, preActivations } from "../../train/dense-network.ts";
import { type EmpiricalRisk, empiricalRisk } from "../../train/empirical-risk.ts";
import { gradientFlow } from "../../train/gradient-flow.ts";
import { atMost, checked, equals, fitted, type Measurement } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import { balancednessFigure, type Descent } from "./balancedness-figure.ts";

const flowTolerance = 1e-9;
const [time, stepCounts] = [0.5, [32, 40, 50, 64, 80, 100, 128, 160]];

export default lemma({
  id: "C1a-42",
  covers: ["C1a-42"],
  kind: "measure",
  title: "Balancedness of layers",
  source: "Book, chapter 1, (1.27); Du, Hu and Lee 2018",
  statement: String.raw`\varrho(x) = x \varrho'(x): \quad \frac{d}{dt} \Bigl( \|W^{(\ell+1)}_{:,j}\|^2 - \|W^{(\ell)}_{j,:}\|^2 - (b^{(\ell)}_j)^2 \Bigr) = 0 \text{ along gradient flow}, \; \eta^2 \bigl( \|G^{(\ell+1)}_{:,j}\|^2 - \|G^{(\ell)}_{j,:}\|^2 - (G_{b,j})^2 \bigr) \text{ a step of descent}`,
  parameters: {
    activation: choice(["relu", "leakyRelu", "linear"], { label: "activation" }),
    L: integer({ min: 2, max: 4, default: 3, label: "layers of weights" }),
    n: integer({ min: 1, max: 6, default: 4, label: "width" }),
    k: integer({ min: 0, max: 4, default: 3, label: "examples, log2" }),
    biases: choice(["no", "yes"], { label: "biases in hidden layers" }),
  },
  claims: {
    "identity of each neuron, any data": equals("0"),
    "(1.27) for one example": equals("0"),
    "drift in one step of descent less its formula": equals("0"),
    "drift over descent less the sum of its formula": equals("0"),
    "drift over descent": atMost(String.raw`\eta \sum_k \eta \|G_k\|^2`),
    "drift over gradient flow": equals("0"),
    "linear network: drift of (W^{l+1})^T W^{l+1} - W^l (W^l)^T over gradient flow": equals("0"),
    "drift against step size, exponent": equals("1").rate(),
    "(1.27), its diagonal taken at the first example": equals("0").printed({
      where: "sect. 1.2.3, (1.27)",
      printed: String.raw`\operatorname{diag}(\varrho'(\Phi^{(\ell)})) W^{(\ell)} \bigl(\tfrac{dW^{(\ell)}}{dt}\bigr)^T = \bigl(\tfrac{dW^{(\ell+1)}}{dt}\bigr)^T W^{(\ell+1)} \operatorname{diag}(\varrho'(\Phi^{(\ell)}))`,
      corrected: String.raw`\text{for one example; for more, only the diagonals agree: } \bigl(W^{(\ell)} (\tfrac{dW^{(\ell)}}{dt})^T\bigr)_{jj} = \bigl((\tfrac{dW^{(\ell+1)}}{dt})^T W^{(\ell+1)}\bigr)_{jj}`,
    }),
    "weight matrices of a network of L layers": equals(String.raw`L + 1, \; \ell = 0, \dots, L`).printed({
      where: "sect. 1.2.3, before (1.27)",
      printed: String.raw`\theta = ((W^{(\ell)}, 0))_{\ell=0}^L`,
      corrected: String.raw`\theta = ((W^{(\ell)}, 0))_{\ell=1}^L`,
    }),
  },
  async run({ activation, L, n, k, biases }, { random, budget, progress }) {
    const setting: Setting = {
      rho: activation === "leakyRelu" ? "leakyRelu(0.25)" : activation,
      widths: [2, ...new Array<number>(L - 1).fill(n), 1],
      m: 2 ** k,
      biased: biases === "yes",
    };
    const whole = integers(setting, random);
    await progress(0.1);
    const smooth = reals(setting, random.split("reals"));
    const descents: Descent[] = [];
    for (const steps of stepCounts) {
      descents.push(await descend(smooth, setting, steps));
      await progress(0.1 + (0.4 * descents.length) / stepCounts.length);
    }
    const graph = denseNetwork(smooth.layers, setting.rho);
    return {
      graph,
      ...(budget !== "cheap" && { figure: balancednessFigure(descents) }),
      claims: {
        ...(await identities(whole, setting)),
        ...drifts(descents),
        ...(await flowDrifts(smooth, setting)),
        "weight matrices of a network of L layers": checked(
          [...graph.initializers.keys()].filter((name) => name.startsWith("W")).length,
          L + 1,
        ),
      },
    };
  },
});

interface Setting {
  readonly rho: ActivationName;
  readonly widths: readonly number[];
  readonly m: number;
  readonly biased: boolean;
}

interface Problem {
  readonly layers: readonly DenseLayer[];
  readonly x: readonly (readonly number[])[];
  readonly y: readonly number[];
}

const sizeOf = (balances: readonly (readonly number[])[]): number =>
  balances.flat().reduce((most, v) => Math.max(most, Math.abs(v)), 0);
const difference = (a: readonly (readonly number[])[], b: readonly (readonly number[])[]) =>
  a.map((row, i) => row.map((v, j) => v - b[i]![j]!));
const squaredNorm = (v: Float64Array): number => v.reduce((sum, x) => sum + x * x, 0);

function problemOf({ widths, m, biased }: Setting, draw: (fanIn: number) => number): Problem {
  const list = (count: number, fanIn: number) => Array.from({ length: count }, () => draw(fanIn));
  const layers = widths.slice(1).map((rows, l) => ({
    W: Array.from({ length: rows }, () => list(widths[l]!, widths[l]!)),
    ...(biased && l + 2 < widths.length && { b: list(rows, 1) }),
  }));
  return { layers, x: Array.from({ length: m }, () => list(2, 1)), y: list(m, 1) };
}

/** Whole numbers from -2 to 2: with 2^k examples, every number of the backward pass is held exactly. */
const integers = (setting: Setting, random: Random): Problem =>
  problemOf(setting, () => random.integer(-2, 2));
const reals = (setting: Setting, random: Random): Problem =>
  problemOf(setting, (fanIn) => random.normal() / Math.sqrt(fanIn));

function riskOf({ layers, x, y }: Problem, rho: ActivationName): EmpiricalRisk {
  const target: Tensor = tensor([...y], { dims: [y.length, 1] });
  return empiricalRisk(denseNetwork(layers, rho), "square", { x: tensor(x), target });
}

async function identities(problem: Problem, { rho, widths, m, biased }: Setting) {
  const { layers, x, y } = problem;
  const risk = riskOf(problem, rho);
  const { gradient } = await risk.at(risk.start);
  const gradients = layersFrom(risk, gradient, widths);
  const eta = 2 ** -10;
  const moved = layersFrom(
    risk,
    risk.start.map((v, i) => v - eta * gradient[i]!),
    widths,
  );
  const drift = difference(neuronBalances(moved), neuronBalances(layers));
  const formula = stepDrift(gradients, eta);
  const claims: Record<string, Measurement> = {
    "identity of each neuron, any data": checked(sizeOf(neuronIdentities(layers, gradients)), 0),
    // Sums of P squares of numbers up to |theta| + eta |G|, in two orders.
    "drift in one step of descent less its formula": checked(sizeOf(difference(drift, formula)), 0, {
      tolerance: 2 ** -51 * risk.start.length * (squaredNorm(risk.start) + eta ** 2 * squaredNorm(gradient)),
    }),
  };
  if (biased) return claims; // (1.27) is about networks without biases
  const one = riskOf({ layers, x: x.slice(0, 1), y: y.slice(0, 1) }, rho);
  const single = layersFrom(one, (await one.at(one.start)).gradient, widths);
  return {
    ...claims,
    "(1.27) for one example": checked(atFirst(problem, single, rho), 0),
    "(1.27), its diagonal taken at the first example": checked(
      m === 1 ? 0 : atFirst(problem, gradients, rho),
      0,
    ),
  };
}

/** The greatest entry of the difference of the two sides of (1.27), with rho' at the first example. */
function atFirst({ layers, x }: Problem, gradients: readonly DenseLayer[], rho: ActivationName): number {
  const before = preActivations(layers, rho, x[0]!);
  const { derivative } = activationOf(rho);
  // At the kink the left slope, as the gradient pass has it.
  const slope = (v: number): number => derivative(1, v === 0 ? -1 : v);
  const gaps = layers.slice(1).map((_, l) => printedIdentity(layers, gradients, l, before[l]!.map(slope)));
  return Math.max(...gaps);
}

/** Gradient descent that watches the balances and sums up their drift by its formula. */
async function descend(problem: Problem, { rho, widths }: Setting, steps: number): Promise<Descent> {
  const risk = riskOf(problem, rho);
  const eta = time / steps;
  const begin = neuronBalances(problem.layers);
  let [theta, summed, dissipated] = [risk.start, begin.map((layer) => layer.map(() => 0)), 0];
  const track: Descent["track"][number][] = [];
  for (let k = 0; k <= steps; k++) {
    const layers = layersFrom(risk, theta, widths);
    track.push({
      t: k * eta,
      norms: layers.map(({ W }) => sumOfSquares(W)),
      balances: layerBalances(layers),
    });
    if (k === steps) break;
    const { gradient } = await risk.at(theta);
    summed = difference(summed, negated(stepDrift(layersFrom(risk, gradient, widths), eta)));
    dissipated += eta * squaredNorm(gradient);
    theta = theta.map((v, i) => v - eta * gradient[i]!);
  }
  const drift = difference(neuronBalances(layersFrom(risk, theta, widths)), begin);
  const size = Math.max(squaredNorm(risk.start), squaredNorm(theta));
  return {
    eta,
    steps,
    track,
    drift: sizeOf(drift),
    unexplained: sizeOf(difference(drift, summed)),
    dissipated,
    size,
  };
}

const negated = (rows: readonly (readonly number[])[]) => rows.map((row) => row.map((v) => -v));
const sumOfSquares = (W: DenseLayer["W"]): number => W.flat().reduce((sum, w) => sum + w * w, 0);

function drifts(descents: readonly Descent[]): Record<string, Measurement | undefined> {
  const { eta, steps, drift, unexplained, dissipated, size } = descents[0]!;
  // Each step rounds theta (2^-53 of each weight, twice that of its square), each balance is a sum of squares.
  const rounding = 2 ** -50 * (steps + 32) * size;
  const points = descents.map((d) => [d.eta, d.drift] as const);
  return {
    "drift over descent less the sum of its formula": checked(unexplained, 0, { tolerance: rounding }),
    "drift over descent": checked(drift, eta * dissipated, { tolerance: rounding }),
    // Drifts near rounding have no exponent: a network that hardly moves.
    ...(points.every(([, v]) => v > 1e6 * rounding) && {
      "drift against step size, exponent": fitted(points, 1),
    }),
  };
}

/** Balances are constant along the exact flow from anywhere: the errors of the steps add up, times 2 |theta|. */
async function flowDrifts(problem: Problem, { rho, widths }: Setting): Promise<Record<string, Measurement>> {
  const risk = riskOf(problem, rho);
  // Where a ReLU network's flow slides along a kink, its steps do not get on: then the claim is about the way to there.
  const path = await gradientFlow(risk, {
    until: 1,
    tolerance: flowTolerance,
    maximumSteps: 400,
    partial: true,
  });
  const [first, last] = [path[0]!, path.at(-1)!].map(({ theta }) => layersFrom(risk, theta, widths));
  const longest = Math.max(...path.map(({ theta }) => Math.sqrt(squaredNorm(theta))));
  const tolerance = path.length * flowTolerance * 2 * longest;
  const matrices = problem.layers
    .slice(1)
    .map((_, l) => sizeOf(difference(matrixBalance(last!, l), matrixBalance(first!, l))));
  return {
    "drift over gradient flow": checked(
      sizeOf(difference(neuronBalances(last!), neuronBalances(first!))),
      0,
      {
        tolerance,
      },
    ),
    ...(rho === "linear" &&
      !problem.layers[0]!.b && {
        "linear network: drift of (W^{l+1})^T W^{l+1} - W^l (W^l)^T over gradient flow": checked(
          Math.max(...matrices),
          0,
          { tolerance },
        ),
      }),
  };
}
