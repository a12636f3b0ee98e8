import { run } from "../../engine/run.ts";
import { Builder } from "../../graph/builder.ts";
import { finish } from "../../graph/finish.ts";
import type { Graph } from "../../graph/graph.ts";
import { encode, numbers, type Tensor, view } from "../../graph/tensor.ts";
import type { Value } from "../../graph/value.ts";
import { type Generator, generatorOf } from "../../inverse/generator.ts";
import { type GeneratorSizes, initialWeights, type Weights } from "../../inverse/generators/networks.ts";
import { encodedLoss, stepGraph } from "../../inverse/generators/objective.ts";
import { trainedGenerator } from "../../inverse/generators/train.ts";
import { gaussianOperator } from "../../inverse/operators.ts";
import { sparseDeviations } from "../../inverse/sparse-deviations.ts";
import { expectedOverlap, weightDistributionError } from "../../inverse/weight-distribution.ts";
import type { Random } from "../../numbers/random.ts";
import { initialNetwork } from "../../train/network.ts";
import { weightKey } from "../../train/state.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

const sizes: GeneratorSizes = { size: 6, latent: 2, hidden: [5] };

export default lemma({
  id: "C9-10",
  covers: ["C9-08", "C9-10", "C9-17"],
  kind: "algorithm",
  title:
    "Generators: how they are trained, how normal their weights are, and signals that are near their range",
  source:
    "Book, chapter 9, sections 9.1.2, 9.3.2 and 9.3.3; Hand and Voroninski 2017; Dhar, Grover and Ermon 2018",
  statement: String.raw`\min_{z, \nu} \|A (G(z) + \nu) - y\|^2 + \lambda \|\nu\|_1, \qquad \mathrm{KL}(N(\mu, \sigma^2) \,|\, N(0, 1)) = \tfrac12 \sum (\mu^2 + \sigma^2 - 1 - \ln \sigma^2), \qquad \mathbb E \sum_i [w_i x > 0] [w_i y > 0] w_i w_i^T = \tfrac{\pi - \theta}{2 \pi} I + \tfrac{\sin \theta}{2 \pi} M`,
  parameters: {
    spikes: integer({
      min: 1,
      max: 3,
      default: 2,
      label: "numbers of the signal that the generator does not make",
    }),
    lambda: real({ min: 0.005, max: 0.05, default: 0.02, label: "λ" }),
    n: integer({ min: 200, max: 2000, default: 1000, label: "units of a normal layer" }),
    draw: integer({ min: 0, max: 1e6, default: 1, label: "which random network" }),
  },
  claims: {
    "rises of the objective of deviations": equals("0"),
    "x - G(z) - ν": equals("0"),
    "divergence of an encoder, less its formula's integral": equals("0"),
    "loss of a variational autoencoder, less that of plain loops": equals("0"),
    "slopes of a variational autoencoder, less differences of its loss": equals("0"),
    "slopes of a GAN's discriminator, less differences of its loss": equals("0"),
    "x = y: expected overlap, less I / 2": equals("0"),
    "expected overlap of x, less its formula: directions are exchanged": equals("0"),
    "error of normal weights": atMost(
      String.raw`2 \sqrt{6 t / n} + 4 t / n, \; t = k \ln 9 + \ln(20 / \delta)`,
    )
      .probable()
      .looseBy(2),
    "ten epochs: loss of the last, of the first": atMost("1").probable().looseBy(1.01),
  },
  mutants: {
    "half of the divergence": { "divergence of an encoder, less its formula's integral": () => 0.1 },
    "a step uphill": { "rises of the objective of deviations": () => 1 },
    "an error that falls as 1 / n": {
      "error of normal weights": ({ n }, { theory }) => theory / Math.sqrt(n / 4),
    },
    "x = y: the whole identity": { "x = y: expected overlap, less I / 2": () => 0.5 },
  },
  async run({ spikes, lambda, n, draw }, { random }) {
    const draws = random.split(`draw ${draw}`);
    const generator = generatorOf(initialNetwork("2-10-relu-24", { seed: draw, type: "float64" }));
    const truth = (await made(generator, draws.split("z").normal(2))).slice();
    for (let k = 0; k < spikes; k++) truth[draws.integer(0, 23)]! += draws.uniform() < 0.5 ? -1 : 1;
    const map = gaussianOperator(16, 24, draws.split("A"));
    const found = await sparseDeviations(generator, map, map.apply(truth), draws.split("starts"), {
      ...{ lambda, restarts: 3, steps: 60, rounds: 3, polish: 20 },
    });
    const range = await made(generator, found.z);
    const weights = initialWeights("vae", sizes, draws.split("weights"));
    const x = drawnBatch(draws.split("batch"));
    const away = await lossAway(weights, x);
    const matrix = {
      rows: n,
      columns: 4,
      entries: draws
        .split("W")
        .normal(4 * n)
        .map((v) => v / Math.sqrt(n)),
    };
    const [a, b] = [draws.split("a").normal(4), draws.split("b").normal(4)];
    const pairs = Array.from(
      { length: 10 },
      (_, k) => [draws.split(`x${k}`).normal(4), draws.split(`y${k}`).normal(4)] as const,
    );
    const half = expectedOverlap(a, a);
    const signals = view(
      "float32",
      [60, 6],
      Float32Array.from({ length: 360 }, (_, k) => Number((k % 6) % 2 === Math.floor(k / 6) % 2)),
    );
    const learned = await trainedGenerator(signals, {
      kind: "vae",
      latent: 2,
      hidden: [5],
      epochs: 10,
      batch: 20,
      rate: 5e-3,
      seed: draw,
    });
    return {
      claims: {
        "rises of the objective of deviations": checked(
          found.objectives.filter((v, k) => k > 0 && v > found.objectives[k - 1]! * (1 + 1e-6)).length,
          0,
        ),
        "x - G(z) - ν": checked(
          found.x.reduce((m, v, i) => Math.max(m, Math.abs(v - range[i]! - found.deviation[i]!)), 0),
          0,
          { tolerance: 1e-12 },
        ),
        "divergence of an encoder, less its formula's integral": checked(
          away.divergence,
          0,
          // f32
          { tolerance: 1e-4 },
        ),
        "loss of a variational autoencoder, less that of plain loops": checked(away.loss, 0, {
          tolerance: 1e-4,
        }),
        "slopes of a variational autoencoder, less differences of its loss": checked(
          await slopesAway("vae", weights, x, ["g2.weight", "g2.bias"]),
          0,
          // Central differences of f32 numbers of size 10 at a distance of 0.01.
          { tolerance: 3e-3 },
        ),
        "slopes of a GAN's discriminator, less differences of its loss": checked(
          await criticSlopesAway(initialWeights("gan", sizes, draws.split("gan")), x, draws.split("judged")),
          0,
          { tolerance: 3e-3 },
        ),
        "x = y: expected overlap, less I / 2": checked(
          half.reduce((m, row, i) => Math.max(m, ...row.map((v, j) => Math.abs(v - Number(i === j) / 2))), 0),
          0,
          { tolerance: 1e-12 },
        ),
        "expected overlap of x, less its formula: directions are exchanged": checked(exchangeAway(a, b), 0, {
          tolerance: 1e-12,
        }),
        "error of normal weights": sampled(
          weightDistributionError(matrix, pairs),
          overlapDeviation(n, pairs.length),
          { delta },
        ),
        "ten epochs: loss of the last, of the first": sampled(
          learned.losses.at(-1)! / learned.losses[0]!,
          1,
          {
            delta: 0.01,
          },
        ),
      },
    };
  },
});

/** How often the error of normal weights may be greater than its bound. */
const delta = 1e-3;

/**
 * For one pair and one unit vector u the overlap is a mean of n numbers b g^2, b 0 or 1 and g normal. Their moments are at most
 * (2p - 1)!! <= p! 3 2^(p - 2) / 2, so that by Bernstein's inequality the mean is off by more than sqrt(6 t / n) + 2 t / n with
 * probability 2 e^-t at most. A net of 9^k unit vectors, 1/4 apart, sees at least half of the norm of a symmetric matrix.
 */
function overlapDeviation(n: number, pairs: number): number {
  const t = 4 * Math.log(9) + Math.log((2 * pairs) / delta);
  return 2 * (Math.sqrt((6 * t) / n) + (2 * t) / n);
}

async function made(generator: Generator, z: Float64Array): Promise<Float64Array> {
  const found = await run(generator.graph, { [generator.input]: view("float64", [1, 2], z) });
  return Float64Array.from(numbers(found[generator.output]!));
}

/** Four rows of six bits and two normal numbers. */
function drawnBatch(random: Random): Tensor {
  const rows = Float32Array.from({ length: 32 }, (_, k) =>
    k % 8 < 6 ? Number(random.uniform() < 0.5) : random.normal(),
  );
  return view("float32", [4, 8], rows);
}

/** The loss of training and its divergence, less those of plain loops with an integral over a grid. */
async function lossAway(
  weights: Weights,
  x: Tensor,
): Promise<{ readonly loss: number; readonly divergence: number }> {
  const graph = finish(
    new Builder(),
    { x: { type: "float32", shape: ["N", 8] } },
    ({ x: batch }) => {
      const weightOf = (name: string): Value => batch!.builder.weight(weights.get(name)!, name);
      const { loss, divergence } = encodedLoss("vae", sizes, batch!, weightOf);
      return { loss, divergence: divergence! };
    },
    { name: "objective", nested: false },
  );
  const seen = await run(graph, { x });
  const of = (name: string): Float32Array => weights.get(name)!.data as Float32Array;
  const dense = (v: readonly number[], layer: string, width: number): number[] =>
    Array.from({ length: width }, (_, j) =>
      v.reduce((sum, e, i) => sum + e * of(`${layer}.weight`)[i * width + j]!, of(`${layer}.bias`)[j]!),
    );
  const rectified = (v: readonly number[]): number[] => v.map((e) => Math.max(0, e));
  let [divergence, misfit] = [0, 0];
  for (let r = 0; r < 4; r++) {
    const row = Array.from((x.data as Float32Array).subarray(8 * r, 8 * r + 8));
    const bits = row.slice(0, 6);
    const code = dense(rectified(dense(bits, "e1", 5)), "e2", 4);
    const deviations = [0, 1].map((j) => Math.exp(code[j + 2]! / 2));
    for (let j = 0; j < 2; j++) divergence += gaussianDivergence(code[j]!, deviations[j]!) / 4;
    const z = [0, 1].map((j) => code[j]! + deviations[j]! * row[6 + j]!);
    const scores = dense(rectified(dense(z, "g1", 5)), "g2", 6);
    scores.forEach((score, i) => {
      const probability = 1 / (1 + Math.exp(-score));
      misfit -= Math.log(bits[i] === 1 ? probability : 1 - probability) / 4;
    });
  }
  const first = (name: string): number => Number(numbers(seen[name]!)[0]);
  return {
    divergence: Math.abs(first("divergence") - divergence) / (1 + divergence),
    loss: Math.abs(first("loss") - divergence - misfit) / (1 + divergence + misfit),
  };
}

/** Integral of q ln(q / p), q = N(mu, sigma^2), p = N(0, 1), by the rule of rectangles, which is exact to rounding here. */
function gaussianDivergence(mu: number, sigma: number): number {
  let sum = 0;
  const step = sigma / 20;
  for (let k = -200; k <= 200; k++) {
    const t = mu + k * step;
    const q = Math.exp(-(((t - mu) / sigma) ** 2) / 2) / (sigma * Math.sqrt(2 * Math.PI));
    sum += step * q * (-(((t - mu) / sigma) ** 2) / 2 - Math.log(sigma) + (t * t) / 2);
  }
  return sum;
}

type Step = Readonly<Record<string, Tensor>>;

const stepOf = (graph: Graph, weights: Weights, x: Tensor): Promise<Step> =>
  run(graph, {
    ...{ x, target: view("float32", [4, 1], new Float32Array(4)) },
    ...Object.fromEntries([...weights].map(([name, tensor]) => [weightKey(name), tensor])),
  });

const moved = (weights: Weights, name: string, at: number, by: number): Weights => {
  const old = weights.get(name)!;
  const data = (old.data as Float32Array).slice();
  data[at]! += by;
  return new Map([...weights, [name, view("float32", old.dims, encode(data, "float32"))]]);
};

/** Greatest difference between slopes and central differences of the loss: of last layers, behind which nothing bends. */
async function slopesAway(
  kind: "vae" | "gan",
  weights: Weights,
  x: Tensor,
  names: readonly string[],
): Promise<number> {
  const graph = stepGraph(kind, sizes, weights);
  const step = await stepOf(graph, weights, x);
  let away = 0;
  for (const name of names) {
    const [up, down] = [
      await stepOf(graph, moved(weights, name, 0, 0.005), x),
      await stepOf(graph, moved(weights, name, 0, -0.005), x),
    ];
    const difference = (Number(numbers(up["loss"]!)[0]) - Number(numbers(down["loss"]!)[0])) / 0.01;
    const slope = Number(numbers(step[`grad_${weightKey(name)}`]!)[0]);
    away = Math.max(away, Math.abs(slope - difference) / (1 + Math.abs(slope)));
  }
  return away;
}

/** The loss that a GAN's loop reports is the discriminator's: its own slopes must be those of that loss. */
const criticSlopesAway = (weights: Weights, x: Tensor, random: Random): Promise<number> => {
  // Noise for what is judged stands behind the latent numbers.
  const [given, noise] = [x.data as Float32Array, random.normal(24)];
  const wide = Float32Array.from({ length: 56 }, (_, k) =>
    k % 14 < 8 ? given[8 * Math.floor(k / 14) + (k % 14)]! : noise[6 * Math.floor(k / 14) + (k % 14) - 8]!,
  );
  return slopesAway("gan", weights, view("float32", [4, 14], wide), ["d2.weight", "d2.bias"]);
};

/** M exchanges directions: Q x / |x| = ((pi - t) x / |x| + sin t y / |y|) / (2 pi). */
function exchangeAway(x: Float64Array, y: Float64Array): number {
  const Q = expectedOverlap(x, y);
  const [p, q] = [Math.hypot(...x), Math.hypot(...y)];
  const angle = Math.acos(x.reduce((sum, v, i) => sum + v * y[i]!, 0) / (p * q));
  return Q.reduce((most, row, i) => {
    const applied = row.reduce((sum, v, j) => sum + (v * x[j]!) / p, 0);
    const theory = (((Math.PI - angle) * x[i]!) / p + (Math.sin(angle) * y[i]!) / q) / (2 * Math.PI);
    return Math.max(most, Math.abs(applied - theory));
  }, 0);
}
