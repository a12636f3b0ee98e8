// Double descent in six ways: more features, weights, examples or steps, of random features and of networks.

import type { Figure, Panel } from "../../figure/figure.ts";
import { type EpochTask, epochRisk } from "../../generalization/double-descent/epochs.ts";
import {
  drawFeatures,
  fitFeatures,
  type Labelled,
} from "../../generalization/double-descent/random-features.ts";
import type { Random } from "../../numbers/random.ts";
import type { LemmaTable, RunContext } from "../lemma.ts";
import {
  type Errors,
  epochUnits,
  fixedExamples,
  fixedWeights,
  fixedWidth,
  linearInTime,
  networkErrors,
  risksInTime,
  weightsOf,
} from "./network-descent.ts";

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
  const networkDraws = 2 * scale(6) + 1;
  const widths = [1, 2, 3, 4, 6, 8, 12, 16, 32];
  const wider: Errors[] = [];
  for (const width of widths) {
    wider.push(networkErrors(width, fixedExamples, networkDraws, random));
    await progress(0.6 + (0.2 * wider.length) / widths.length);
  }
  const counts = [3, 6, 9, 12, 16, 20, 23, 26, 30, 38, 50, 100];
  const fuller: Errors[] = [];
  for (const count of counts) {
    fuller.push(networkErrors(fixedWidth, count, networkDraws, random));
    await progress(0.8 + (0.2 * fuller.length) / counts.length);
  }
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
  const inTime = [...new Set(Array.from({ length: 60 }, (_, k) => Math.round(10 ** (k / 23))))];
  const risks = risksInTime(inTime, random);
  return {
    figure: {
      title: "Double descent: more features, more weights, more examples, more steps",
      panels: [
        panel(`Random ReLU features, ${m} examples`, "features n", sizes, byModel, m),
        panel(
          `Trained tanh networks, ${fixedExamples} examples`,
          "weights",
          widths.map(weightsOf),
          wider,
          fixedExamples,
        ),
        panel(`Random ReLU features, ${m} features`, "examples m", sizes, bySample, m),
        panel(`Trained tanh networks, ${fixedWeights} weights`, "examples m", counts, fuller, fixedWeights),
        {
          title: "Descent on fast and slow features",
          x: { label: "steps", scale: "log" },
          y: { label: "excess risk" },
          series: [{ name: "expected", mark: "line", points: epochs.map((k) => [k, epochRisk(task, k)]) }],
        },
        {
          title: `Fast and slow inputs, ${epochUnits} tanh units`,
          x: { label: "steps", scale: "log" },
          y: { label: "excess risk" },
          series: [
            { name: "network", mark: "line", points: inTime.map((k, i) => [k, risks[i]!]) },
            {
              ...{ name: "linear model", mark: "line", role: "theory" },
              points: inTime.map((k) => [k, epochRisk(linearInTime, k)]),
            },
          ],
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
