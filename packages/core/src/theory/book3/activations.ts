import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import { type Activation, type ActivationName, activation } from "../../functions/activation.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { layer, network } from "../../networks/layers/layers.ts";
import { gradient } from "../../passes/gradient.ts";
import { atLeast, atMost, checked, equals, type Measurement, sampled } from "../claim.ts";
import { HypothesisError, lemma } from "../lemma.ts";
import { choice, real } from "../parameter.ts";

const far = 1e9;
const step = 1e-3;
/** Even derivatives at 0 vanish: odd functions, and the logistic function from order 2 on. */
const halfTurnSymmetric = new Set(["logistic", "tanh", "arctan", "sin", "isru"]);

export default lemma({
  id: "C3-02",
  covers: ["C3-02", "C1a-02"],
  kind: "measure",
  title: "Activations and what theorems ask of them",
  source: "Book, Tables 1.1 and 3.1",
  statement: String.raw`\varrho \text{ sigmoidal}: \; \lim_{x \to -\infty} \varrho(x) = 0, \; \lim_{x \to \infty} \varrho(x) = 1`,
  parameters: {
    family: choice(
      [
        "relu",
        "leakyRelu",
        "repu",
        "elu",
        "softsign",
        "isrlu",
        "isru",
        "logistic",
        "tanh",
        "arctan",
        "softplus",
        "gaussian",
        "heaviside",
        "threshold",
        "linear",
        "exp",
        "sin",
        "cos",
      ],
      { label: "activation" },
    ),
    a: real({ min: 0.125, max: 4, default: 0.5, label: "its parameter, if it has one" }),
    x: real({ min: -3, max: 3, default: 1, label: "point" }),
  },
  claims: {
    "value on ONNX Runtime in float64, relative error": equals("0"),
    "derivative by the gradient pass, relative error": equals("0"),
    "derivatives of order 1 to 12 against differences, relative error": equals("0"),
    "slope between two points": atMost(String.raw`\text{Lipschitz constant}`),
    "steepest slope seen": atLeast(String.raw`0.999 \cdot \text{Lipschitz constant}`),
    "limit at -inf": equals(String.raw`\lim_{x \to -\infty} \varrho`),
    "limit at inf": equals(String.raw`\lim_{x \to \infty} \varrho`),
    "continuous derivatives at 0": equals(
      "\\text{-1 for steps, 0 ReLU, 1 ELU and softsign, 2 ISRLU, } k - 1 \\text{ RePU}",
    ),
    "homogeneity: rho(2x) - 2^p rho(x)": equals("0"),
    "Euler's identity: rho(x) - x rho'(x)": equals("0"),
    "even derivatives at 0": equals("0"),
    "least derivative of order 0 to 12 at the generic point":
      atLeast(String.raw`\tfrac{1}{35}`).looseBy(1.02),
    "second derivative of softplus at 0": equals("1/4"),
    "rescaled (tanh + 1)/2, limit at -inf": equals("0"),
    "rescaled arctan/pi + 1/2, limit at -inf": equals("0"),
  },
  mutants: {
    "softplus'' = σ, not σ(1 - σ)": { "second derivative of softplus at 0": () => 1 / 2 },
    "ISRLU and ELU only continuous": {
      "continuous derivatives at 0": ({ family }, { theory }) =>
        family === "isrlu" || family === "elu" ? 0 : theory,
    },
    "tanh and arctan sigmoidal as they are": {
      "limit at -inf": ({ family }, { theory }) => (family === "tanh" || family === "arctan" ? 0 : theory),
    },
  },
  async run({ family, a, x: drawn }, { scale, progress }) {
    const x = Math.round(drawn * 2 ** 20) / 2 ** 20; // keeps sums and doublings of it exact
    const rho = activation(nameOf(family, a));
    const graph = network([layer([[1]]), layer([[1]])], { activation: rho.name, name: rho.name });
    await progress(0.3);
    const [steepest, lipschitz] = [steepestSlope(rho, scale(2000)), rho.lipschitz];
    const { limits } = rho;
    const left = (name: ActivationName) => activation(name).value(-far);
    const claims: Record<string, Measurement | undefined> = {
      "value on ONNX Runtime in float64, relative error": await runtimeError(rho, graph, x),
      "derivative by the gradient pass, relative error": await passError(rho, graph, x),
      "derivatives of order 1 to 12 against differences, relative error": differences(rho, x),
      "slope between two points":
        lipschitz < Infinity ? sampled(steepest, lipschitz, { tolerance: 1e-9 }) : undefined, // rounding of a quotient
      "steepest slope seen": lipschitz < Infinity ? sampled(steepest, 0.999 * lipschitz) : undefined,
      "limit at -inf": limit(rho, -far, limits[0]),
      "limit at inf": limit(rho, far, limits[1]),
      "continuous derivatives at 0":
        rho.smoothness < Infinity ? sampled(continuousDerivatives(rho), rho.smoothness) : undefined,
      ...homogeneity(rho, x),
      "even derivatives at 0": halfTurnSymmetric.has(family)
        ? checked(greatest([2, 4, 6, 8, 10, 12].map((k) => Math.abs(rho.derivative(k, 0)))), 0)
        : undefined,
      "least derivative of order 0 to 12 at the generic point": genericDerivatives(rho),
      "second derivative of softplus at 0": checked(activation("softplus").derivative(2, 0), 1 / 4),
      "rescaled (tanh + 1)/2, limit at -inf": sampled((left("tanh") + 1) / 2, 0),
      "rescaled arctan/pi + 1/2, limit at -inf": sampled(left("arctan") / Math.PI + 1 / 2, 0, {
        tolerance: 1 / far,
      }),
    };
    return { graph, figure: figure(rho), claims };
  },
});

const greatest = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), 0);

/** RePU takes a whole exponent; the others take a itself. */
function nameOf(family: string, a: number): ActivationName {
  if (family === "leakyRelu" && a === 1)
    throw new HypothesisError("a leaky ReLU has a slope a >= 0 that is not 1");
  if (family === "repu") return `repu(${Math.max(1, Math.round(a))})`;
  return (["leakyRelu", "isru", "isrlu"].includes(family) ? `${family}(${a})` : family) as ActivationName;
}

async function runtimeError(rho: Activation, graph: Graph, x: number): Promise<Measurement> {
  const points = [x, -x, x / 1024, 20 * x, 0];
  const { y } = await run(graph, { x: tensor(points, { dims: [points.length, 1] }) });
  const errors = Array.from(numbers(y!), (v, k) => {
    const value = rho.value(points[k]!);
    return Math.abs(v - value) / Math.max(1, Math.abs(value));
  });
  return sampled(greatest(errors), 0, { tolerance: 2 ** -50 }); // a few roundings of exp, sqrt and quotients
}

/** rho' as ONNX Runtime computes the graph that the gradient pass wrote; where rho has none, nothing is asked. */
async function passError(rho: Activation, graph: Graph, x: number): Promise<Measurement | undefined> {
  const points = [x, -x, x / 1024, 20 * x].filter((t) => !Number.isNaN(rho.derivative(1, t)));
  if (points.length === 0) return undefined;
  const slope = gradient(graph, { unitSeeds: true });
  const { grad_x: found } = await run(slope, { x: tensor(points, { dims: [points.length, 1] }) });
  const errors = Array.from(numbers(found!), (v, k) => {
    const derivative = rho.derivative(1, points[k]!);
    return Math.abs(v - derivative) / Math.max(1, Math.abs(derivative));
  });
  return sampled(greatest(errors), 0, { tolerance: 2 ** -48 }); // some ten roundings by the chain rule
}

/** Each derivative against the four-point difference of the one before, relative to the derivatives around it. */
function differences(rho: Activation, x: number): Measurement | undefined {
  if (rho.smoothness < Infinity && Math.abs(x) < 4 * step) return undefined;
  const errors = Array.from({ length: 12 }, (_, n) => {
    const k = n + 1;
    const f = (t: number) => rho.derivative(k - 1, t);
    const slope = (8 * (f(x + step) - f(x - step)) - (f(x + 2 * step) - f(x - 2 * step))) / (12 * step);
    const size = [k - 1, k, Math.min(k + 1, 12)].map((j) => Math.abs(rho.derivative(j, x)));
    return Math.abs(slope - rho.derivative(k, x)) / Math.max(Number.MIN_VALUE, ...size);
  });
  // A remainder of step^4 / 30 times a derivative four orders on: 16! / 12! a^2 times as large for ISRU, a <= 4.
  return sampled(greatest(errors), 0, { tolerance: 5e-8 });
}

/** The greatest |rho(s) - rho(t)| / |s - t| of neighbours on a grid of [-8, 8] with 0 between two points. */
function steepestSlope(rho: Activation, count: number): number {
  const width = 16 / Math.max(count, 800);
  const slopes = Array.from({ length: Math.ceil(16 / width) }, (_, k) => {
    const t = -8 + (k + 0.5) * width;
    return Math.abs(rho.value(t + width) - rho.value(t)) / (t + width - t);
  });
  const tiny = 2 ** -12; // where the softsign is steepest
  return greatest([...slopes, Math.abs(rho.value(tiny) - rho.value(0)) / tiny]);
}

function limit(rho: Activation, x: number, expected: number | undefined): Measurement | undefined {
  if (expected === undefined || !Number.isFinite(expected)) return undefined;
  return sampled(rho.value(x), expected, { tolerance: 8 / far }); // arctan, softsign and ISRU tend as 1 / x
}

/** The greatest k for which the derivatives up to order k agree on both sides of 0. */
function continuousDerivatives(rho: Activation): number {
  const near = 2 ** -40;
  for (let k = 0; k <= 12; k++)
    if (Math.abs(rho.derivative(k, near) - rho.derivative(k, -near)) > 2 ** -10) return k - 1;
  return Infinity;
}

function homogeneity(rho: Activation, x: number): Record<string, Measurement> {
  const p = rho.homogeneity;
  if (p === undefined) return {};
  const euler = x === 0 ? rho.value(0) : rho.value(x) - x * rho.derivative(1, x);
  return {
    "homogeneity: rho(2x) - 2^p rho(x)": checked(rho.value(2 * x) - 2 ** p * rho.value(x), 0),
    ...(p === 1 && { "Euler's identity: rho(x) - x rho'(x)": checked(euler, 0) }),
  };
}

function genericDerivatives(rho: Activation): Measurement | undefined {
  const point = rho.genericPoint;
  if (point === undefined) return undefined;
  const sizes = Array.from({ length: 13 }, (_, k) => Math.abs(rho.derivative(k, point)));
  return checked(
    sizes.reduce((a, b) => Math.min(a, b)),
    1 / 35,
  );
}

function figure(rho: Activation): Figure {
  const grid = Array.from({ length: 241 }, (_, k) => -6 + k / 20 + 1 / 1024);
  const curve = (order: number) => grid.map((x) => [x, rho.derivative(order, x)] as const);
  return {
    title: rho.name,
    panels: [
      {
        title: "Activation and slope",
        x: { label: "x" },
        y: { label: "value" },
        series: [
          { name: rho.name, mark: "line", points: curve(0) },
          { name: "first derivative", mark: "line", points: curve(1) },
        ],
      },
    ],
  };
}
