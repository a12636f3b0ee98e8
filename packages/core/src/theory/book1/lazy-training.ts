import type { Random } from "../../numbers/random.ts";
import { mean } from "../../numbers/sum.ts";
import { atLeast, checked, equals, fitted, type Measurement } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, real } from "../parameter.ts";
import { type LazilyTrained, oneHiddenLayer, twoHiddenLayers } from "./lazily-trained.ts";
import { lazyTrainingFigure, lazyTrainingTable } from "./lazy-training-figure.ts";

/** For the exponents: sixteen widths, and about this many neurons a width in all. */
const rateWidths = [32, 37, 42, 49, 56, 64, 74, 84, 97, 111, 128, 147, 169, 194, 223, 256];
const neuronsInAll = 768;
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
    "one layer: relative distance against the width, exponent": equals("-1").rate(),
    "one layer: outputs on the data after training, less those before, the widest network, off": equals(
      String.raw`\bar J (\Theta^{(k)} - \Theta), \; \bar J \text{ the mean of the Jacobian along the line}`,
    ),
    "one layer: distance travelled over the shortest with that Jacobian, the widest network": atLeast("1"),
  },
  mutants: {
    "relative distance like 1/√n": {
      "one layer: relative distance against the width, exponent": () => -0.5,
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
        ...(hidden === "1" && {
          ...alongTheLine(shown.at(-1)!),
          "one layer: relative distance against the width, exponent": exponent(y, tau, random),
        }),
      },
    };
  },
});

/** Descent on a linear model takes the shortest way; on a network nearly, by the mean of its Jacobian on the way. */
function alongTheLine({ n, travel, line }: LazilyTrained): Record<string, Measurement> {
  const { changes, known, shortest } = line!;
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
  };
}

/** Where a hundredth of the risk is left: the way is nearly done, in a fifth of the steps. */
function exponent(y: number, tau: number, random: Random): Measurement | undefined {
  const points = rateWidths.map((n) => {
    const trained = Array.from({ length: Math.max(2, Math.round(neuronsInAll / n)) }, (_, c) =>
      oneHiddenLayer(n, {
        ...{ y, tau, steps: 1000, goal: 1e-2, withCurves: false },
        random: random.split(`rate/${n}/${c}`),
      }),
    );
    return [n, mean(trained.map((each) => each.relative.at(-1)!))] as const;
  });
  return fitted(points, -1, 0.1); // narrow networks stop short of their linear model, by a tenth at 32 neurons
}
