// Double descent in four ways: more features, a wider network, more examples, more steps.

import type { Figure, Panel } from "../../figure/figure.ts";
import { type EpochTask, epochRisk } from "../../generalization/double-descent/epochs.ts";
import {
  drawFeatures,
  fitFeatures,
  type Labelled,
} from "../../generalization/double-descent/random-features.ts";
import type { Random } from "../../numbers/random.ts";
import { type DenseLayers, levenbergMarquardt, meanSquare } from "../../train/levenberg-marquardt.ts";
import type { LemmaTable, RunContext } from "../lemma.ts";

const dimension = 5;
const noise = 0.3;

/** y = sin(2 x_1) + x_2 and noise, at normal inputs. */
export function taught(count: number, random: Random, deviation = noise) {
  const x = Array.from({ length: count }, () => random.normal(dimension));
  return { x, y: x.map((v) => Math.sin(2 * v[0]!) + v[1]! + deviation * random.normal()) } satisfies Labelled;
}

interface Setting {
  readonly features: number;
  readonly examples: number;
}

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2;
};

/** Medians of training and test error over fresh data and fresh features. */
export async function medianErrors(settings: readonly Setting[], draws: number, random: Random) {
  const tests = taught(60, random, 0);
  const found: { test: number; train: number }[] = [];
  for (const { features, examples } of settings) {
    const [test, train]: [number[], number[]] = [[], []];
    for (let k = 0; k < draws; k++) {
      const fit = await fitFeatures(drawFeatures(features, dimension, random), taught(examples, random));
      test.push(fit.errorOn(tests));
      train.push(fit.trainError);
    }
    found.push({ test: median(test), train: median(train) });
  }
  return found;
}

const shares = [1 / 8, 1 / 4, 1 / 2, 3 / 4, 7 / 8, 1, 9 / 8, 5 / 4, 3 / 2, 2, 4, 8, 16];

export async function complexityFigure(
  task: EpochTask,
  { random, scale, progress }: RunContext,
): Promise<{ figure: Figure; table: LemmaTable }> {
  const [m, draws] = [32, scale(9)];
  const sizes = shares.map((r) => Math.round(r * m));
  const byModel = await medianErrors(
    sizes.map((features) => ({ features, examples: m })),
    draws,
    random,
  );
  await progress(0.4);
  const bySample = await medianErrors(
    sizes.map((examples) => ({ features: m, examples })),
    draws,
    random,
  );
  await progress(0.6);
  const networks = await networkErrors(scale(3), random, progress);
  const shown = (v: number): number => Math.max(v, 1e-4);
  const panel = (
    title: string,
    x: string,
    xs: readonly number[],
    errors: readonly Errors[],
    at: number,
  ): Panel => ({
    ...{ title, x: { label: x, scale: "log" }, y: { label: "squared error", scale: "log" } },
    series: [
      { name: "test", mark: "line", points: errors.map((e, k) => [xs[k]!, e.test]) },
      {
        name: "training (no less than 1e-4)",
        mark: "line",
        points: errors.map((e, k) => [xs[k]!, shown(e.train)]),
      },
      {
        ...{ name: "threshold", mark: "line", role: "theory" },
        points: [1e-4, Math.max(...errors.map((e) => e.test))].map((y) => [at, y]),
      },
    ],
  });
  const epochs = Array.from({ length: 120 }, (_, k) => Math.round(10 ** (k / 36)));
  return {
    figure: {
      title: "Double descent: more features, more weights, more examples, more steps",
      panels: [
        panel(`Random ReLU features, ${m} examples`, "features n", sizes, byModel, m),
        panel(
          `Trained tanh networks, ${networkExamples} examples`,
          "weights",
          networks.map((e) => e.weights),
          networks,
          networkExamples,
        ),
        panel(`Random ReLU features, ${m} features`, "examples m", sizes, bySample, m),
        {
          title: "Descent on fast and slow features",
          x: { label: "steps", scale: "log" },
          y: { label: "excess risk" },
          series: [{ name: "expected", mark: "line", points: epochs.map((k) => [k, epochRisk(task, k)]) }],
        },
      ],
    },
    table: {
      title: `Medians of ${draws}: random ReLU features on ${m} examples; and ${m} features on as many examples`,
      columns: ["size", "n: test", "n: training", "m: test", "m: training"],
      rows: sizes.map((s, k) => [
        ...[s, byModel[k]!.test, byModel[k]!.train, bySample[k]!.test, bySample[k]!.train],
      ]),
    },
  };
}

interface Errors {
  readonly test: number;
  readonly train: number;
}

const networkExamples = 20;

/** Networks 2 - width - tanh - 1, trained by Levenberg and Marquardt until they fit or can no more. */
async function networkErrors(
  draws: number,
  random: Random,
  progress: RunContext["progress"],
): Promise<(Errors & { weights: number })[]> {
  const points = (count: number, deviation: number) =>
    Array.from({ length: count }, () => {
      const x = [2 * random.uniform() - 1, 2 * random.uniform() - 1];
      return { x, y: Math.sin(3 * x[0]!) * x[1]! + deviation * random.normal() };
    });
  const tests = points(100, 0);
  const found: (Errors & { weights: number })[] = [];
  for (const width of [1, 2, 3, 4, 5, 6, 8, 12, 20, 40]) {
    const [test, train]: [number[], number[]] = [[], []];
    for (let k = 0; k < draws; k++) {
      const data = points(networkExamples, 0.2);
      const layers = levenbergMarquardt(start(width, random), "tanh", data, 60);
      test.push(meanSquare(layers, "tanh", tests));
      train.push(meanSquare(layers, "tanh", data));
    }
    found.push({ weights: 4 * width + 1, test: median(test), train: median(train) });
    await progress(0.6 + width / 100);
  }
  return found;
}

const start = (width: number, random: Random): DenseLayers => [
  {
    W: Array.from({ length: width }, () => [2 * random.normal(), 2 * random.normal()]),
    b: Array.from({ length: width }, () => random.normal()),
  },
  { W: [Array.from({ length: width }, () => random.normal() / Math.sqrt(width))], b: [0] },
];
