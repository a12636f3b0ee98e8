// The figure of C3-05: the three errors by the number of examples, and by the steps of the training.

import type { Figure } from "../../figure/figure.ts";
import {
  descendRisk,
  drawRisk,
  type Hats,
  type Law,
  leastRisk,
  squareRisk,
} from "../../generalization/error-decomposition.ts";
import type { Random } from "../../numbers/random.ts";

const sampleSizes = [50, 100, 200, 400, 800, 1600, 3200];
const stepCounts = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];
const draws = 20;

export function decompositionFigure(
  law: Law,
  best: Hats,
  { m, steps, rate }: { readonly m: number; readonly steps: number; readonly rate: number },
  random: Random,
): Figure {
  const pieces = best.length - 1;
  const [least, bayes] = [squareRisk(best, law), law.spread ** 2 / 3];
  const means = (size: number, made: number): readonly [number, number] => {
    const stream = random.split(`${size} ${made}`);
    let [training, estimation] = [0, 0];
    for (let k = 0; k < draws; k++) {
      const sample = drawRisk(law, pieces, size, stream);
      const risk = squareRisk(leastRisk(sample), law);
      training += Math.abs(squareRisk(descendRisk(sample, rate, made), law) - risk) / draws;
      estimation += (risk - least) / draws;
    }
    return [training, estimation];
  };
  const panel = (
    title: string,
    label: string,
    xs: readonly number[],
    at: (x: number) => readonly [number, number],
  ) => {
    const found = xs.map(at);
    const series = (name: string, values: readonly number[]) => ({
      name,
      mark: "line" as const,
      points: xs.map((x, k) => [x, values[k]!] as const),
    });
    return {
      title,
      x: { label, scale: "log" as const },
      y: { label: "risk", scale: "log" as const },
      series: [
        series(
          "training error",
          found.map((pair) => pair[0]),
        ),
        series(
          "estimation error",
          found.map((pair) => pair[1]),
        ),
        series(
          "approximation error",
          xs.map(() => least - bayes),
        ),
      ],
    };
  };
  return {
    title: `Where the risk comes from: ${pieces} pieces, means of ${draws} samples`,
    panels: [
      panel(`By examples, ${steps} steps`, "examples m", sampleSizes, (size) => means(size, steps)),
      panel(`By steps, ${m} examples`, "steps", stepCounts, (made) => means(m, made)),
    ],
  };
}
