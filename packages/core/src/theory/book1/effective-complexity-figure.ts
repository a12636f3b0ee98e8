// Double descent: more features, a wider network, more examples for both, more steps.

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
  const widths = [1, 2, 3, 4, 5, 6, 7, 9, 15, 30];
  const counts = [8, 15, 22, 27, 31, 36, 45, 62, 124];
  const wider = await networkErrors(
    widths.map((width) => ({ width, examples: networkExamples })),
    scale(3),
    random,
    (done) => progress(0.6 + 0.2 * done),
  );
  const fuller = await networkErrors(
    counts.map((examples) => ({ width: networkWidth, examples })),
    scale(3),
    random,
    (done) => progress(0.8 + 0.2 * done),
  );
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
          widths.map(weightsOf),
          wider,
          networkExamples,
        ),
        panel(`Random ReLU features, ${m} features`, "examples m", sizes, bySample, m),
        panel(
          `Trained tanh networks, ${weightsOf(networkWidth)} weights`,
          "examples m",
          counts,
          fuller,
          weightsOf(networkWidth),
        ),
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

const [networkInputs, networkExamples, networkWidth] = [3, 30, 6];
const weightsOf = (width: number): number => width * (networkInputs + 2) + 1;

/** Networks 3 - width - tanh - 1 on noisy labels, all weights trained by Levenberg and Marquardt until they fit or can no more. */
async function networkErrors(
  settings: readonly { readonly width: number; readonly examples: number }[],
  draws: number,
  random: Random,
  progress: RunContext["progress"],
): Promise<Errors[]> {
  const points = (count: number, deviation: number) =>
    Array.from({ length: count }, () => {
      const x = [...random.normal(networkInputs)];
      return { x, y: Math.tanh(2 * x[0]!) + 0.5 * x[1]! * x[2]! + deviation * random.normal() };
    });
  const tests = points(300, 0);
  const found: Errors[] = [];
  for (const { width, examples } of settings) {
    const [test, train]: [number[], number[]] = [[], []];
    for (let k = 0; k < draws; k++) {
      const data = points(examples, 0.6);
      const layers = levenbergMarquardt(start(width, random), "tanh", data, 100);
      test.push(meanSquare(layers, "tanh", tests));
      train.push(meanSquare(layers, "tanh", data));
    }
    found.push({ test: median(test), train: median(train) });
    await progress(found.length / settings.length);
  }
  return found;
}

const start = (width: number, random: Random): DenseLayers => [
  {
    W: Array.from({ length: width }, () => [...random.normal(networkInputs)]),
    b: [...random.normal(width)],
  },
  { W: [[...random.normal(width)].map((v) => v / Math.sqrt(width))], b: [0] },
];
