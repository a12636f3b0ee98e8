import { explain } from "../../explain/explain.ts";
import type { Point } from "../../explain/score-model.ts";
import { autocorrelation, circle, gradientCorrelation } from "../../explain/shattering.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import type { Random } from "../../numbers/random.ts";
import { studentTQuantile } from "../../numbers/statistics.ts";
import { atLeast, checked, equals, fitted, type Measurement, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";
import { type DrawnLayer, deltas, dot, drawnNetwork, sum } from "./drawn.ts";
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
    "LRP-α1β0, three hidden layers or more: autocorrelation of R / f": atLeast(
      String.raw`\prod_l (1 - \theta_l / \pi)`,
    ).looseBy(1.05),
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
    const curves: Curve[] = [];
    const nets = Math.max(16, scale(16));
    for (let k = 0; k < nets; k++) {
      curves.push(drawCurve(random, depth));
      await progress((0.6 * (k + 1)) / nets);
    }
    const along = (pick: (c: Curve) => readonly Point[], by = lag): number[] =>
      curves.map((c) => autocorrelation(pick(c), by));
    const mean = (values: readonly number[]): number => sum(values) / values.length;
    const ofGradient = along((c) => c.gradient);
    const handed = await handedBack(curves[0]!);
    const lags = Array.from({ length: points / 2 + 1 }, (_, k) => k);
    return {
      figure: figure(depth, points, {
        gradient: lags.map((k) => mean(along((c) => c.gradient, k))),
        product: lags.map((k) => mean(along((c) => c.product, k))),
        positive: lags.map((k) => autocorrelation(handed.positive, k)),
      }),
      claims: {
        "gradient: autocorrelation": meanOf(ofGradient, gradientCorrelation(depth, angle)),
        "one hidden layer: units that both inputs switch on, of those that one does": meanOf(
          bothOn(random, angle),
          1 - angle / Math.PI,
        ),
        "wide networks: exponent of the correlation in the depth": exponent(angle),
        "LRP-0: autocorrelation less that of gradient x input": checked(
          Math.abs(autocorrelation(handed.zero, lag) - autocorrelation(curves[0]!.product, lag)),
          0,
          { tolerance: 1e-6 }, // quotients by pre-activations that may be near 0
        ),
        // In shallow networks neither has the better of the other.
        ...(depth >= 3 && {
          "LRP-α1β0, three hidden layers or more: autocorrelation of R / f": sampled(
            autocorrelation(handed.positive, lag),
            gradientCorrelation(depth, angle),
          ),
        }),
        "LRP-0: autocorrelation of R_i / x_i": sampled(mean(ofGradient), 1 - angle / Math.PI),
      },
    };
  },
});

/** A network with normal weights of variance 2 / fan-in and no biases, and a circle of inputs. */
interface Curve {
  readonly layers: readonly DrawnLayer[];
  readonly around: readonly Point[];
  readonly gradient: readonly Point[];
  /** Times the input. */
  readonly product: readonly Point[];
}

function drawCurve(random: Random, depth: number): Curve {
  const widths = [inputs, ...new Array<number>(depth).fill(width), 1];
  const layers = widths.slice(1).map((rows, l) => {
    const deviation = Math.sqrt(2 / widths[l]!);
    const W = Array.from({ length: rows }, () => Array.from(random.normal(widths[l]!), (v) => deviation * v));
    return { W, b: new Array<number>(rows).fill(0) };
  });
  const [first, other] = [random.sphere(inputs), random.sphere(inputs)];
  const rest = other.map((v, k) => v - dot(first, other) * first[k]!);
  const second = rest.map((v) => v / Math.sqrt(dot(rest, rest)));
  const around = circle(points, first, second);
  const gradient = around.map((x) => gradientAt(layers, x));
  return { layers, around, gradient, product: gradient.map((g, t) => g.map((v, k) => v * around[t]![k]!)) };
}

function gradientAt(layers: readonly DrawnLayer[], x: Point): Point {
  const [delta] = deltas(layers, x);
  return x.map((_, j) => layers[0]!.W.reduce((s, weights, k) => s + weights[j]! * delta![k]!, 0));
}

/** What LRP-0 hands back along the circle, and the shares of the score that LRP-α1β0 gives. */
async function handedBack({ layers, around }: Curve) {
  const graph = drawnNetwork(layers);
  const x = tensor(Float64Array.from(around.flatMap((p) => [...p])), {
    type: "float64",
    dims: [points, inputs],
  });
  const by = async (composite: string) => {
    const { relevance, scores } = await explain(
      graph,
      { x },
      { composite, target: { kind: "class", index: 0 } },
    );
    const values = Float64Array.from(numbers(relevance.get("x")!));
    return { rows: around.map((_, t) => values.slice(t * inputs, (t + 1) * inputs)), scores };
  };
  const [zero, positive] = [await by("uniform(zero)"), await by("uniform(alpha-beta=1,0)")];
  return {
    zero: zero.rows,
    positive: positive.rows.map((r, t) => r.map((v) => v / positive.scores[t]!)),
  };
}

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

/** A mean over independent draws with Student's interval of 99 %; it may miss three times as often where draws are skewed. */
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
    delta: 0.03,
    interval: within(0.95),
    decisive: within(0.99),
  };
}

/** Angles shrink like 3 pi / l, so each layer keeps 1 - 3 / l of the correlation. */
function exponent(angle: number): Measurement | undefined {
  const depths = Array.from({ length: 9 }, (_, k) => Math.round(4096 * 2 ** (k / 4)));
  return fitted(
    depths.map((depth) => [depth, gradientCorrelation(depth, angle)] as const),
    -3,
    0.1, // further terms are log(l) / l
  );
}
