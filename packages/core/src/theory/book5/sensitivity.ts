import { sensitivity } from "../../explain/methods/gradients.ts";
import { modelAt, row } from "../../explain/model-at.ts";
import { layer, network } from "../../networks/layers/layers.ts";
import type { Random } from "../../numbers/random.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import {
  apart,
  deltas,
  dot,
  drawLayers,
  drawnNetwork,
  dyadic,
  isSmoothAt,
  preActivations,
  sum,
} from "./drawn.ts";
import { figure, type Slope } from "./sensitivity-figure.ts";

export default lemma({
  id: "C5-03",
  covers: ["C5-03"],
  kind: "algorithm",
  title: "Sensitivity: what a change of the input would do",
  source: "Book, chapter 5, sect. 5.3.1 (Baehrens et al. 2010, Simonyan et al. 2013)",
  statement: String.raw`R_i = \frac{\partial f}{\partial x_i} \; \text{ or } \; \Bigl(\frac{\partial f}{\partial x_i}\Bigr)^2, \qquad \sum_i \Bigl(\frac{\partial f}{\partial x_i}\Bigr)^2 = \max_{\|u\| = 1} (\partial_u f)^2`,
  parameters: {
    d: integer({ min: 2, max: 8, default: 4, label: "inputs" }),
    width: integer({ min: 1, max: 8, default: 6, label: "hidden units" }),
    quarters: integer({ min: -8, max: 8, default: 3, label: "bias of the linear model, in quarters" }),
    stretch: real({ min: 0.1, max: 4, default: 2, label: "another input: times" }),
  },
  claims: {
    "linear: sensitivity less w, greatest": equals("0").printed(),
    "linear: change between two inputs, greatest": equals("0").printed(),
    "linear: sum of sensitivities less the score": equals(String.raw`\sum_i w_i (1 - x_i) - b`),
    "ReLU: gradient less the chain rule in plain loops, greatest": equals("0"),
    "tanh: gradient less central differences, greatest": equals("0"),
    "ReLU: sum of squares": equals(String.raw`\|\nabla f\|^2`),
    "ReLU: squared slope in the steepest of some directions": atMost(String.raw`\sum_i R_i`),
  },
  mutants: {
    "sensitivity conserves the score": { "linear: sum of sensitivities less the score": () => 0 },
    "absolute values for squares": {
      "ReLU: squared slope in the steepest of some directions": (_, { theory }) => Math.sqrt(theory) / 2,
    },
    "an input lost": ({ d }) => ({ d: d - 1 }),
  },
  async run({ d, width, quarters, stretch }, { random, scale }) {
    const [w, x] = [dyadic(random, d), dyadic(random, d)];
    const linear = network([layer([[...w]], [quarters / 4])]);
    const { relevance } = await sensitivity(await modelAt(linear, row(x)));
    const further = row(x.map((v) => stretch * v));
    const { relevance: elsewhere } = await sensitivity(await modelAt(linear, further));
    const layers = drawLayers(random, [d, width, width, 1], true);
    const slope = gradientByHand(layers, x);
    const relu = await modelAt(drawnNetwork(layers), row(x));
    const { relevance: squares } = await sensitivity(relu, true);
    const { relevance: gradient } = await sensitivity(relu);
    const total = sum(squares);
    const slopes = slopesAround(layers, x, gradient, random, scale(100));
    return {
      graph: linear,
      figure: figure(layers, x, gradient, slopes),
      claims: {
        "linear: sensitivity less w, greatest": checked(apart(relevance, w), 0),
        "linear: change between two inputs, greatest": checked(apart(relevance, elsewhere), 0),
        "linear: sum of sensitivities less the score": checked(
          sum(relevance) - dot(w, x) - quarters / 4,
          w.reduce((s, v, i) => s + v * (1 - x[i]!), 0) - quarters / 4,
        ),
        "ReLU: gradient less the chain rule in plain loops, greatest": checked(apart(gradient, slope), 0),
        "ReLU: sum of squares": checked(total, dot(slope, slope)),
        "tanh: gradient less central differences, greatest": sampled(
          await tanhGap(layers, x),
          0,
          // Third derivatives of at most 2 width^2 d^3 8 times h^2 / 6, and rounding of f over h.
          { tolerance: 1e-6 },
        ),
        ...(isSmoothAt(layers, x) && {
          "ReLU: squared slope in the steepest of some directions": sampled(
            Math.max(...slopes.map(({ slope }) => slope * slope)),
            total,
            { tolerance: 2 ** -20 * (1 + total) },
          ),
        }),
      },
    };
  },
});

const gradientByHand = (layers: ReturnType<typeof drawLayers>, x: Float64Array): number[] =>
  Array.from(x, (_, j) =>
    layers[0]!.W.reduce((s, weights, k) => s + weights[j]! * deltas(layers, x)[0]![k]!, 0),
  );

/** Slopes by differences, along the gradient turned by ever less and in directions drawn at random. */
function slopesAround(
  layers: ReturnType<typeof drawLayers>,
  x: Float64Array,
  gradient: Float64Array,
  random: Random,
  count: number,
): readonly Slope[] {
  const f = (p: ArrayLike<number>): number => preActivations(layers, p).at(-1)![0]!;
  const h = 2 ** -20;
  return Array.from({ length: count }, (_, k) => {
    const noise = random.sphere(x.length);
    const size = Math.sqrt(dot(gradient, gradient)) || 1;
    const u = noise.map((v, i) => gradient[i]! / size + (k / count) * v);
    const length = Math.sqrt(dot(u, u)) || 1;
    const slope = (f(x.map((v, i) => v + (h * u[i]!) / length)) - f(x)) / h;
    return { cosine: dot(u, gradient) / (length * size), slope };
  });
}

async function tanhGap(layers: ReturnType<typeof drawLayers>, x: Float64Array): Promise<number> {
  const model = await modelAt(drawnNetwork(layers, "tanh"), row(x));
  const { relevance } = await sensitivity(model);
  const h = 2 ** -14;
  const moved = (i: number, by: number): Float64Array => x.map((v, k) => (k === i ? v + by : v));
  const waves = await model.at(Array.from(x).flatMap((_, i) => [moved(i, h), moved(i, -h)]));
  return apart(
    relevance,
    Array.from(x, (_, i) => (waves[2 * i]!.score - waves[2 * i + 1]!.score) / (2 * h)),
  );
}
