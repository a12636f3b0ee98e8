import { type FeatureLaw, featureLaw } from "../../dynamics/lazy/feature-law.ts";
import { drawTwoLayer, featureMatrix, gramMatrix, padded } from "../../dynamics/lazy/features.ts";
import { flatWeights, squaredLength } from "../../dynamics/lazy/squared-risk.ts";
import { kernelRegression } from "../../dynamics/lazy/tangent-model.ts";
import type { Random } from "../../numbers/random.ts";
import { atLeast, checked, equals, type Measurement, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, real } from "../parameter.ts";
import { inputs, type LazilyTrained, labels, oneHiddenLayer, twoHiddenLayers } from "./lazily-trained.ts";
import { lazyTrainingFigure, lazyTrainingTable } from "./lazy-training-figure.ts";

/** Neurons of the law by the width, whose kernel has four rows: enough for tolerances of a tenth or so. */
const wide = 2 ** 15;
/** How often Chebyshev's inequality may fail. */
const delta = 0.1;
/** Of what is drawn: those of Fig. 1.16 for two hidden layers, up to 2^14 where one layer lets us. */
const shownWidths = {
  "1": {
    cheap: [32, 256],
    live: [64, 256, 1024, 4096],
    thorough: [64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384],
  },
  "2": { cheap: [16, 128], live: [20, 100, 300], thorough: [20, 100, 500, 2500] },
} as const;

export default lemma({
  id: "C1b-25",
  covers: ["C1b-25"],
  kind: "experiment",
  title: "Lazy training",
  source: "Book, chapter 1, sect. 1.5.2, Fig. 1.16",
  statement: String.raw`\frac{\|\Theta^{(k)} - \Theta\|}{\|\Theta\|} \sim \frac1n, \qquad \Phi(\cdot, \Theta^{(k)}) \approx \Phi(\cdot, \Theta) + K_\Theta(\cdot, X) K_\Theta(X, X)^{-1} (y - \Phi(X, \Theta))`,
  parameters: {
    hidden: choice(["1", "2"], { label: "hidden layers: one of tanh, two of ReLUs" }),
    y: real({ min: 0.02, max: 1, default: 0.5, label: "size of the labels" }),
    tau: real({ min: 0, max: 1, default: 0, label: "one layer: size of the outer weights, times √n" }),
  },
  claims: {
    "networks that reach a ten-thousandth of their risk": equals(String.raw`\text{all}`),
    "n times the relative distance that the last layer of n neurons needs for y": equals(
      String.raw`\sqrt{\tfrac12 \langle y, K_\infty^{-1} y \rangle}, \; (K_\infty)_{il} = \mathbb{E} \tanh \langle g, \tilde x_i \rangle \tanh \langle g, \tilde x_l \rangle, \text{ by Chebyshev}`,
    ).probable(),
    "one layer: outputs on the data after training, less those before, the widest network, off": equals(
      String.raw`\bar J (\Theta^{(k)} - \Theta), \; \bar J \text{ the mean of the Jacobian along the line}`,
    ),
    "one layer: distance travelled over the shortest with that Jacobian, the widest network": atLeast("1"),
    "one layer: distance travelled over the linear model's shortest to these outputs, the widest network":
      atLeast(String.raw`1 / (1 + \epsilon), \; \epsilon = \|(J_0 J_0^T)^{-1/2} (\bar J - J_0)\|`),
  },
  mutants: {
    "relative distance like 1/√n": {
      "n times the relative distance that the last layer of n neurons needs for y": (_, { theory }) =>
        theory * Math.sqrt(wide),
    },
    "tangents that do not turn": {
      "one layer: distance travelled over the linear model's shortest to these outputs, the widest network":
        () => 1,
    },
    "a way with detours": {
      "one layer: distance travelled over the shortest with that Jacobian, the widest network": () => 1.1,
    },
  },
  async run({ hidden, y, tau }, { random, budget, progress, scale }) {
    const shown: LazilyTrained[] = [];
    const widths = shownWidths[hidden][budget];
    const work = widths.map((n) => n ** Number(hidden));
    const total = work.reduce((s, v) => s + v, 0);
    let done = 0;
    for (const [k, n] of widths.entries()) {
      const options = { y, steps: scale(20_000), random: random.split(`shown/${n}`) };
      const report = (step: number) => progress((done + (work[k]! * step) / options.steps) / total);
      shown.push(
        hidden === "1"
          ? oneHiddenLayer(n, { ...options, tau })
          : await twoHiddenLayers(n, { ...options, progress: report }),
      );
      done += work[k]!;
      await progress(done / total);
    }
    return {
      ...(budget !== "cheap" && { figure: lazyTrainingFigure(shown, y), table: lazyTrainingTable(shown) }),
      claims: {
        "networks that reach a ten-thousandth of their risk": checked(
          shown.filter((each) => each.hasFitted).length,
          shown.length,
        ),
        ...(hidden === "1" && alongTheLine(shown.at(-1)!)),
        "n times the relative distance that the last layer of n neurons needs for y": relativeDistance(
          y,
          random.split("wide"),
        ),
      },
    };
  },
});

/** Descent on a linear model takes the shortest way; on a network nearly, by the mean of its Jacobian on the way. */
function alongTheLine({ n, travel, line }: LazilyTrained): Record<string, Measurement> {
  const { changes, known, shortest, shortestAtStart, turn } = line!;
  const gap = Math.max(...changes.map((v, i) => Math.abs(v - known[i]!)));
  return {
    // Sums over n neurons of numbers up to the outputs' size and the travel.
    "one layer: outputs on the data after training, less those before, the widest network, off": checked(
      gap,
      0,
      { tolerance: 2 ** -46 * n * (1 + travel) },
    ),
    "one layer: distance travelled over the shortest with that Jacobian, the widest network": checked(
      travel / shortest,
      1,
      { tolerance: 2 ** -40 },
    ),
    // The singular values of J are those of J_0 times 1 ± epsilon at most, so that its shortest way is no shorter than this.
    "one layer: distance travelled over the linear model's shortest to these outputs, the widest network":
      checked(travel / shortestAtStart, 1 / (1 + turn), { tolerance: 2 ** -40 }),
  };
}

/** The examples never change. */
let law: FeatureLaw | undefined;

/**
 * N |A^T (A A^T)^{-1} y| / |Theta| for the features A of N neurons, whose weights Theta have variance 1. With
 * psi = K^{-1/2} phi, K the limit, A A^T = N K^{1/2} (I + D) K^{1/2} and E |D|^2 = (E |psi|^4 - m) / N; |Theta|^2 / 2N has the
 * variance 1 / N. Each is at most as large as Chebyshev's inequality says, but for half of delta.
 */
function relativeDistance(y: number, random: Random): Measurement {
  const points = inputs.map((x) => padded([x]));
  const values = labels(y);
  const network = drawTwoLayer("tanh", wide, 2, { inner: 1, outer: 0 }, random);
  const size = Math.sqrt(squaredLength(flatWeights({ ...network, sigma: "tanh" })));
  law ??= featureLaw(points);
  const { kernel, fourthMoment } = law;
  const measured =
    (wide * kernelRegression(gramMatrix(featureMatrix(network, points)), values).travel) / size;
  const theory = kernelRegression(kernel, values).travel / Math.SQRT2;
  const [gram, length] = [fourthMoment - points.length, 1].map((v) => Math.sqrt((2 * v) / (wide * delta)));
  return sampled(measured, theory, {
    delta,
    tolerance: theory * (1 / Math.sqrt((1 - gram!) * (1 - length!)) - 1),
  });
}
