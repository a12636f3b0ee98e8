import {
  matrixBalance,
  neuronBalances,
  neuronIdentities,
  neuronSizes,
  printedIdentity,
  stepDrift,
} from "../../dynamics/balancedness.ts";
import { gradientFlow } from "../../dynamics/gradient-flow.ts";
import {
  curvatureAtStart,
  type Pair,
  type WatchedDescent,
  watchedDescent,
} from "../../dynamics/watched-descent.ts";
import { type ActivationName, activation as activationOf } from "../../functions/activation.ts";
import { type Tensor, tensor } from "../../graph/tensor.ts";
import type { Random } from "../../numbers/random.ts";
import { type DenseLayer, denseNetwork, layersFrom, preActivations } from "../../train/dense-network.ts";
import { type EmpiricalRisk, empiricalRisk } from "../../train/empirical-risk.ts";
import { atMost, checked, equals, fitted, type Measurement } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import { balancednessFigure } from "./balancedness-figure.ts";

const flowTolerance = 1e-9;
const stepCounts = [8, 10, 12, 16, 20, 24, 32, 40];

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
    "drift of a neuron in one step of descent": equals(
      String.raw`\eta^2 \bigl( \|G^{(\ell+1)}_{:,j}\|^2 - \|G^{(\ell)}_{j,:}\|^2 - (G_{b,j})^2 \bigr)`,
    ),
    "drift of a neuron over descent": equals("the sum of that"),
    "drift of a neuron over descent, its size": atMost(
      String.raw`\eta^2 \textstyle\sum_k \max \bigl( \|G^{(\ell+1)}_{:,j}\|^2, \|G^{(\ell)}_{j,:}\|^2 + (G_{b,j})^2 \bigr)`,
    ),
    "growth of |W|² behind a neuron over gradient flow": equals(
      String.raw`\text{that of } \|W\|^2 + b^2 \text{ before it}`,
    ),
    "linear network: drift of (W^{l+1})^T W^{l+1} - W^l (W^l)^T over gradient flow": equals("0"),
    "drift against step size, exponent": equals("1").rate(),
    "(1.27), its diagonal taken at the first example": equals("0").printed({
      where: "sect. 1.2.3, (1.27)",
      printed: String.raw`\text{diag}(\varrho'(\Phi^{(\ell)})) W^{(\ell)}(t) \left( \frac{dW^{(\ell)}(t)}{dt} \right)^T = \left( \frac{dW^{(\ell+1)}(t)}{dt} \right)^T W^{(\ell+1)}(t) \text{diag}(\varrho'(\Phi^{(\ell)}))`,
      corrected: String.raw`for one example $x$, at which $\Phi^{(\ell)} = \Phi^{(\ell)}(x, \theta)$ is taken; for more, only the diagonals agree: $\bigl(W^{(\ell)} (\frac{dW^{(\ell)}}{dt})^T\bigr)_{jj} = \bigl((\frac{dW^{(\ell+1)}}{dt})^T W^{(\ell+1)}\bigr)_{jj}$`,
    }),
    "weight matrices of a network of L layers": equals(String.raw`L + 1, \; \ell = 0, \dots, L`).printed({
      where: "sect. 1.2.3, before (1.27)",
      printed: String.raw`\theta = ((W^{(\ell)}, 0))_{\ell=0}^L`,
      corrected: String.raw`\theta = ((W^{(\ell)}, 0))_{\ell=1}^L`,
    }),
  },
  mutants: {
    "2η² a step": { "drift of a neuron in one step of descent": (_, { theory }) => 2 * theory },
    "drift of second order in η": { "drift against step size, exponent": () => 2 },
    "the sum of the two sizes conserved": {
      "growth of |W|² behind a neuron over gradient flow": (_, { theory }) => -theory,
    },
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
    const descents: WatchedDescent[] = [];
    const risk = riskOf(smooth, setting.rho);
    // So short that the coarsest steps change the gradient by a quarter or so: then none runs away.
    const time = Math.min(1 / 8, 2 / (await curvatureAtStart(risk)));
    for (const steps of stepCounts) {
      descents.push(await watchedDescent(risk, setting.widths, { time, steps }));
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

/** Of numbers that should agree, two that do not; if all do, the largest. */
function telling(pairs: readonly Pair[], tolerance: number): Measurement {
  const differ = pairs.find(([measured, theory]) => !(Math.abs(measured - theory) <= tolerance));
  const largest = pairs.reduce((a, b) => (Math.abs(b[1]) > Math.abs(a[1]) ? b : a));
  return checked(...(differ ?? largest), { tolerance });
}

const sizeOf = (balances: readonly (readonly number[])[]): number =>
  balances.flat().reduce((most, v) => Math.max(most, Math.abs(v)), 0);
const difference = (a: readonly (readonly number[])[], b: readonly (readonly number[])[]) =>
  a.map((row, i) => row.map((v, j) => v - b[i]![j]!));
const paired = (
  measured: readonly (readonly number[])[],
  theory: readonly (readonly number[])[],
): readonly Pair[] => measured.flatMap((row, i) => row.map((v, j) => [v, theory[i]![j]!] as const));
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

async function identities(problem: Problem, { rho, widths, biased }: Setting) {
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
  // Sums of P squares of numbers up to |theta| + eta |G|, in two orders.
  const tolerance =
    2 ** -51 * risk.start.length * (squaredNorm(risk.start) + eta ** 2 * squaredNorm(gradient));
  const claims: Record<string, Measurement> = {
    "identity of each neuron, any data": checked(sizeOf(neuronIdentities(layers, gradients)), 0),
    "drift of a neuron in one step of descent": telling(paired(drift, stepDrift(gradients, eta)), tolerance),
  };
  if (biased) return claims; // (1.27) is about networks without biases
  const one = riskOf({ layers, x: x.slice(0, 1), y: y.slice(0, 1) }, rho);
  const single = layersFrom(one, (await one.at(one.start)).gradient, widths);
  return {
    ...claims,
    "(1.27) for one example": checked(atFirst(problem, single, rho), 0),
    "(1.27), its diagonal taken at the first example": checked(atFirst(problem, gradients, rho), 0),
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

function drifts(descents: readonly WatchedDescent[]): Record<string, Measurement | undefined> {
  const { eta, steps, explained, bounded, size } = descents[0]!;
  // Each step rounds theta (2^-53 of each weight, twice that of its square), each balance is a sum of squares.
  const tolerance = 2 ** -50 * (steps + 32) * size;
  const points = descents.map((d) => [d.eta, d.drift] as const);
  const bend = eta * Math.max(...descents.map((d) => d.bend / d.eta)); // where one crosses a kink, it is large
  const excess = ([drift, bound]: Pair): number => Math.abs(drift) - bound;
  const [drift, bound] = bounded.reduce((a, b) => (excess(b) > excess(a) ? b : a));
  return {
    "drift of a neuron over descent": telling(explained, tolerance),
    "drift of a neuron over descent, its size": checked(Math.abs(drift), bound, { tolerance }),
    // Drifts near rounding have no exponent: a network that hardly moves. Where the two sides of a drift nearly cancel,
    // what is of higher order in eta counts the more.
    ...(points.every(([, v]) => v > 1e6 * tolerance) && {
      "drift against step size, exponent": fitted(
        points,
        1,
        (bend * Math.max(...bounded.map(([, most]) => most))) / descents[0]!.drift,
      ),
    }),
  };
}

/** Balances are constant along the exact flow from anywhere: the errors of the steps add up, times 2 |theta|. */
async function flowDrifts(problem: Problem, { rho, widths }: Setting): Promise<Record<string, Measurement>> {
  const risk = riskOf(problem, rho);
  // Where a ReLU network's flow slides along a kink, its steps do not get on: then the claim is about the way to there.
  const path = await gradientFlow(risk, {
    until: 0.5,
    tolerance: flowTolerance,
    maximumSteps: 60,
    partial: true,
  });
  const [first, last] = [path[0]!, path.at(-1)!].map(({ theta }) => layersFrom(risk, theta, widths));
  const longest = Math.max(...path.map(({ theta }) => Math.sqrt(squaredNorm(theta))));
  const tolerance = path.length * flowTolerance * 2 * longest;
  const before = neuronSizes(first!).flat();
  const grown = neuronSizes(last!)
    .flat()
    .map((size, j) => [size.behind - before[j]!.behind, size.before - before[j]!.before] as const);
  const matrices = problem.layers
    .slice(1)
    .map((_, l) => sizeOf(difference(matrixBalance(last!, l), matrixBalance(first!, l))));
  return {
    "growth of |W|² behind a neuron over gradient flow": telling(grown, tolerance),
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
