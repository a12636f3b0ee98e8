import { gradientTimesInput, integratedGradients, smoothGradient } from "../../explain/methods/gradients.ts";
import { modelAt, row } from "../../explain/model-at.ts";
import type { ScoreModel } from "../../explain/score-model.ts";
import { float64, graph } from "../../graph/builder.ts";
import { layer, network } from "../../networks/layers/layers.ts";
import type { Random } from "../../numbers/random.ts";
import { normalCdf } from "../../numbers/statistics.ts";
import { atMost, checked, equals, type Measurement, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { figure } from "./averaged-gradients-figure.ts";
import { apart, drawLayers, drawnNetwork, dyadic, isSmoothAt, sum } from "./drawn.ts";

export default lemma({
  id: "C5-23",
  covers: ["C5-23"],
  kind: "algorithm",
  title: "Gradients averaged along a way and over noise",
  source: "Book, chapter 5, sect. 5.3.3 (Sundararajan et al. 2017, Smilkov et al. 2017)",
  statement: String.raw`R_i = (x_i - x'_i) \, \frac1m \sum_{k=1}^m \partial_i f\bigl(x' + \tfrac{k - 1/2}{m} (x - x')\bigr), \quad \sum_i R_i \to f(x) - f(x'); \qquad \mathbb{E} \, \nabla \sigma(w^T (x + \eta) + b) = w \, \Phi\Bigl(\frac{w^T x + b}{s \|w\|}\Bigr)`,
  parameters: {
    d: integer({ min: 1, max: 6, default: 4, label: "inputs" }),
    width: integer({ min: 1, max: 8, default: 6, label: "hidden units" }),
    m: integer({ min: 1, max: 64, default: 16, label: "steps" }),
    bend: real({ min: 0, max: 1, default: 0.3, label: "where a ReLU bends on the way" }),
    draws: integer({ min: 50, max: 400, default: 100, label: "draws of noise" }),
    noise: real({ min: 0.05, max: 1, default: 0.5, label: "noise, as a part of the range" }),
  },
  claims: {
    "ReLU without biases, from 0: less gradient x input, greatest": equals("0"),
    "x³: completeness error": equals("|x|^3 / (4 m^2)"),
    "x y: relevance of x": equals("x y / 2"),
    "one ReLU: completeness error": atMost(String.raw`\frac{1}{2m}`),
    "one ReLU: relevance": equals(String.raw`\#\{k : (k - \tfrac12)/m > \text{bend}\} / m`),
    "gradients that are computed": equals("m"),
    "noise, one ReLU: mean gradient less Φ, over |w|": atMost(
      String.raw`\sqrt{\log(2 / \delta) / (2 n)}`,
    ).probable(),
    "noise, linear: less the gradient, greatest": equals("0"),
  },
  mutants: {
    "left ends instead of midpoints": { "x³: completeness error": (_, { theory }) => theory * 4 },
    "a step too few": ({ m }) => ({ m: m - 1 }),
    "noise does not blur": {
      "noise, one ReLU: mean gradient less Φ, over |w|": (_, { theory }) => theory / 4,
    },
  },
  async run({ d, width, m, bend, draws, noise }, { random, progress }) {
    const layers = drawLayers(random, [d, width, width, 1], false);
    const x = dyadic(random, d);
    const plain = await modelAt(drawnNetwork(layers), row(x));
    const origin = new Float64Array(d);
    const before = plain.gradients;
    const { relevance } = await integratedGradients(plain, { steps: m, baseline: origin });
    const gradients = plain.gradients - before;
    const { relevance: atOnce } = await gradientTimesInput(plain);
    await progress(0.4);
    const size = 1 + Math.max(...atOnce.map(Math.abs));
    return {
      graph: drawnNetwork(layers),
      figure: figure(bend),
      claims: {
        // At a bend of a unit the gradient on the way to x may be that of either side.
        ...(isSmoothAt(layers, x) && {
          "ReLU without biases, from 0: less gradient x input, greatest": checked(
            apart(relevance, atOnce),
            0,
            { tolerance: 2 ** -44 * size }, // the mean of m equal numbers
          ),
        }),
        "gradients that are computed": checked(gradients, m),
        ...(await ofPowers(x[0]!, x.at(-1)!, m)),
        ...(await ofBend(bend, m)),
        ...(await ofNoise({ d, draws, noise }, random)),
      },
    };
  },
});

type Claims = Record<string, Measurement>;

async function ofPowers(x: number, y: number, m: number): Promise<Claims> {
  const cube: ScoreModel = await modelAt(
    graph({ x: float64("N", 1) }, ({ x: v }) => ({ y: v!.mul(v!).mul(v!) })),
    row([x]),
  );
  const product = await modelAt(
    graph({ x: float64("N", 2) }, ({ x: v }) => ({ y: v!.slice(1, 0, 1).mul(v!.slice(1, 1, 2)) })),
    row([x, y]),
  );
  const { details } = await integratedGradients(cube, { steps: m, baseline: new Float64Array(1) });
  const { relevance } = await integratedGradients(product, { steps: m, baseline: new Float64Array(2) });
  const tolerance = 2 ** -44 * (1 + Math.abs(x) ** 3 + Math.abs(x * y));
  return {
    "x³: completeness error": checked(details["completenessError"]!, Math.abs(x) ** 3 / (4 * m * m), {
      tolerance,
    }),
    "x y: relevance of x": checked(relevance[0]!, (x * y) / 2, { tolerance }),
  };
}

/** Relu(x - bend) at 1, from 0: the mean counts the midpoints behind the bend. */
async function ofBend(bend: number, m: number): Promise<Claims> {
  const model = await modelAt(network([layer([[1]], [-bend]), layer([[1]])]), row([1]));
  const { relevance, details } = await integratedGradients(model, {
    steps: m,
    baseline: new Float64Array(1),
  });
  const behind = Array.from({ length: m }, (_, k) => (k + 0.5) / m).filter((t) => t > bend).length;
  return {
    "one ReLU: completeness error": checked(details["completenessError"]!, 1 / (2 * m), {
      tolerance: 1e-12,
    }),
    "one ReLU: relevance": checked(sum(relevance), behind / m, { tolerance: 1e-12 }),
  };
}

const delta = 0.05;

async function ofNoise(
  { d, draws, noise }: { readonly d: number; readonly draws: number; readonly noise: number },
  random: Random,
): Promise<Claims> {
  const [w, x] = [random.normal(d + 1), random.normal(d + 1)];
  const b = random.normal() / 4;
  const options = { draws, level: noise, random };
  const unit = await modelAt(network([layer([[...w]], [b]), layer([[1]])]), row(x));
  const straight = await modelAt(network([layer([[...w]], [b])]), row(x));
  const { relevance, details } = await smoothGradient(unit, options);
  const length = Math.sqrt(w.reduce((s, v) => s + v * v, 0));
  const mean = w.reduce((s, v, i) => s + v * x[i]!, b);
  const along = relevance.reduce((s, v, i) => s + v * w[i]!, 0) / length ** 2;
  return {
    "noise, one ReLU: mean gradient less Φ, over |w|": sampled(
      Math.abs(along - normalCdf(mean / (details["deviation"]! * length))),
      Math.sqrt(Math.log(2 / delta) / (2 * draws)), // Hoeffding
      { delta },
    ),
    "noise, linear: less the gradient, greatest": checked(
      apart((await smoothGradient(straight, options)).relevance, w),
      0,
      { tolerance: 1e-12 },
    ),
  };
}
