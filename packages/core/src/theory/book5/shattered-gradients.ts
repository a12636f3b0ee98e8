import { explain } from "../../explain/explain.ts";
import { modelAt, row } from "../../explain/model-at.ts";
import type { Point } from "../../explain/score-model.ts";
import { autocorrelation, circle, gradientCorrelation } from "../../explain/shattering.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { layer, network } from "../../networks/layers/layers.ts";
import type { Random } from "../../numbers/random.ts";
import { studentTQuantile } from "../../numbers/statistics.ts";
import { atLeast, checked, equals, fitted, type Measurement, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";
import { dot, sum } from "./drawn.ts";
import { figure } from "./shattered-gradients-figure.ts";

/** Points of the circle; inputs and hidden units of the networks. */
const [points, inputs, width] = [32, 16, 64];

export default lemma({
  id: "C5-33",
  covers: ["C5-33"],
  kind: "measure",
  title: "Shattered gradients",
  source: "Book, chapter 5, sects. 5.3.2 and 5.4.2 (Balduzzi et al. 2017)",
  statement: String.raw`\frac{\mathbb{E} \langle \nabla f(x), \nabla f(x') \rangle}{\mathbb{E} \|\nabla f(x)\|^2} \to \prod_{l=0}^{L-1} \Bigl(1 - \frac{\theta_l}{\pi}\Bigr), \quad \theta_0 = \angle(x, x'), \; \cos \theta_{l+1} = \frac{\sin \theta_l + (\pi - \theta_l) \cos \theta_l}{\pi}`,
  parameters: {
    depth: integer({ min: 1, max: 8, default: 5, label: "hidden layers" }),
    lag: integer({
      min: 1,
      max: 12,
      default: 3,
      label: `angle between inputs, in 1/${points} of the circle`,
    }),
  },
  claims: {
    "gradient: autocorrelation": equals(String.raw`\prod_l (1 - \theta_l / \pi)`).probable(),
    "one hidden layer: units that both inputs switch on, of those that one does":
      equals(String.raw`1 - \theta_0 / \pi`).probable(),
    "wide networks: exponent of the correlation in the depth": equals("-3").rate(),
    "LRP-0: autocorrelation less that of gradient x input": equals("0"),
    "LRP-α1β0: autocorrelation of R / f": atLeast(String.raw`\prod_l (1 - \theta_l / \pi)`),
    "LRP-0: autocorrelation of R_i / x_i": atLeast(
      String.raw`1 - \theta_0 / \pi, \text{ that of one hidden layer}`,
    ).printed({
      where: "section 5.3.3, on propagation-based methods such as LRP",
      printed:
        "Furthermore, they overcome many disadvantages of the other explanation techniques, e.g., they do not require sampling and do not have the problem of gradient shattering.",
      corrected: String.raw`rules that favour positive contributions do not ($\text{LRP-}\alpha_1\beta_0$, $\text{LRP-}\gamma$); LRP-0 is gradient $\times$ input and shatters as the gradient does, as section 5.4.2 says: "LRP-0 becomes exposed to the problem of shattered gradients"`,
    }),
  },
  mutants: {
    "correlation halves in every layer": { "gradient: autocorrelation": ({ depth }) => 2 ** -depth },
    "a layer that keeps angles": ({ depth }) => ({ depth: depth - 1 }),
    "power of the depth off by one": { "wide networks: exponent of the correlation in the depth": () => -2 },
  },
  async run({ depth, lag }, { random, scale, progress }) {
    const angle = (2 * Math.PI * lag) / points;
    const curves: Curves[] = [];
    const nets = Math.max(5, scale(8));
    for (let k = 0; k < nets; k++) {
      curves.push(await curvesOf(drawNetwork(random, depth), random));
      await progress((0.9 * (k + 1)) / nets);
    }
    const along = (pick: (c: Curves) => readonly Point[], by = lag): number[] =>
      curves.map((c) => autocorrelation(pick(c), by));
    const mean = (values: readonly number[]): number => sum(values) / values.length;
    const [ofGradient, ofProduct, ofZero] = [
      along((c) => c.gradient),
      along((c) => c.product),
      along((c) => c.zero),
    ];
    const lags = Array.from({ length: points / 2 + 1 }, (_, k) => k);
    return {
      figure: figure(depth, points, {
        gradient: lags.map((k) => mean(along((c) => c.gradient, k))),
        product: lags.map((k) => mean(along((c) => c.product, k))),
        positive: lags.map((k) => mean(along((c) => c.positive, k))),
      }),
      claims: {
        "gradient: autocorrelation": meanOf(ofGradient, gradientCorrelation(depth, angle)),
        "one hidden layer: units that both inputs switch on, of those that one does": meanOf(
          bothOn(random, angle),
          1 - angle / Math.PI,
        ),
        "wide networks: exponent of the correlation in the depth": exponent(angle),
        "LRP-0: autocorrelation less that of gradient x input": checked(
          Math.max(...ofZero.map((v, k) => Math.abs(v - ofProduct[k]!))),
          0,
          { tolerance: 1e-6 }, // quotients by pre-activations that may be near 0
        ),
        "LRP-α1β0: autocorrelation of R / f": sampled(
          mean(along((c) => c.positive)),
          gradientCorrelation(depth, angle),
        ),
        "LRP-0: autocorrelation of R_i / x_i": sampled(mean(ofGradient), 1 - angle / Math.PI),
      },
    };
  },
});

/** Along a circle of inputs: the gradient, the gradient times the input, LRP-0, and the shares that LRP-α1β0 gives. */
interface Curves {
  readonly gradient: readonly Point[];
  readonly product: readonly Point[];
  readonly zero: readonly Point[];
  readonly positive: readonly Point[];
}

/** Normal weights of variance 2 / fan-in, no biases. */
function drawNetwork(random: Random, depth: number): Graph {
  const widths = [inputs, ...new Array<number>(depth).fill(width), 1];
  return network(
    widths.slice(1).map((rows, l) => {
      const deviation = Math.sqrt(2 / widths[l]!);
      return layer(
        Array.from({ length: rows }, () => Array.from(random.normal(widths[l]!), (v) => deviation * v)),
      );
    }),
  );
}

async function curvesOf(net: Graph, random: Random): Promise<Curves> {
  const first = random.sphere(inputs);
  const other = random.sphere(inputs);
  const rest = other.map((v, k) => v - dot(first, other) * first[k]!);
  const around = circle(
    points,
    first,
    rest.map((v) => v / Math.sqrt(dot(rest, rest))),
  );
  const gradient = await (await modelAt(net, row(first))).slopes(around);
  const x = tensor(Float64Array.from(around.flatMap((p) => [...p])), {
    type: "float64",
    dims: [points, inputs],
  });
  const by = async (composite: string): Promise<readonly Point[]> => {
    const { relevance, scores } = await explain(
      net,
      { x },
      { composite, target: { kind: "class", index: 0 } },
    );
    const values = Float64Array.from(numbers(relevance.get("x")!));
    return around.map((_, t) =>
      values.slice(t * inputs, (t + 1) * inputs).map((v) => (composite === zero ? v : v / scores[t]!)),
    );
  };
  return {
    gradient,
    product: gradient.map((g, t) => g.map((v, k) => v * around[t]![k]!)),
    zero: await by(zero),
    positive: await by("uniform(alpha-beta=1,0)"),
  };
}

const zero = "uniform(zero)";

/** Units with normal weights, at two inputs at this angle. */
const bothOn = (random: Random, angle: number): number[] =>
  Array.from({ length: 20 }, () => {
    let [one, both] = [0, 0];
    for (let k = 0; k < 400; k++) {
      const [a, b] = random.normal(2) as unknown as [number, number];
      const [first, second] = [a > 0, Math.cos(angle) * a + Math.sin(angle) * b > 0];
      one += Number(first);
      both += Number(first && second);
    }
    return both / one;
  });

/** A mean over independent draws with Student's interval of 99 %; it may miss ten times as often where draws are skewed. */
function meanOf(values: readonly number[], theory: number): Measurement {
  const n = values.length;
  const mean = sum(values) / n;
  const error = Math.sqrt(sum(values.map((v) => (v - mean) ** 2)) / (n - 1) / n);
  const within = (level: number) => {
    const half = studentTQuantile(n - 1, (1 + level) / 2) * error;
    return { lower: mean - half, upper: mean + half };
  };
  return {
    measured: mean,
    theory,
    strength: "sampled",
    delta: 0.1,
    interval: within(0.95),
    decisive: within(0.99),
  };
}

/** Angles shrink like 3 pi / l, so each layer keeps 1 - 3 / l of the correlation. */
const exponent = (angle: number): Measurement | undefined =>
  fitted(
    Array.from({ length: 6 }, (_, k) => [2 ** (k + 9), gradientCorrelation(2 ** (k + 9), angle)] as const),
    -3,
    0.1, // further terms are log(l) / l
  );
