// A sequence task whose outputs depend on few tokens, and an attention layer that learns which.
import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, type Tensor, tensor } from "../../graph/tensor.ts";
import type { Random } from "../../numbers/random.ts";
import { edgeRecovery, scoreMatrix, softmaxRows, supportOf, thresholded } from "../../sparse/attention.ts";
import { initialNetwork } from "../../train/network.ts";
import { train } from "../../train/train.ts";
import type { LemmaTable } from "../lemma.ts";

export interface LearnedSupport {
  readonly model: Graph;
  /** The tokens that each output is the mean of. */
  readonly graph: readonly (readonly number[])[];
  /** A row a token: its attention weights. */
  readonly weights: readonly (readonly number[])[];
  /** Mean participation and loss at the beginning and after so many steps. */
  readonly course: readonly {
    readonly step: number;
    readonly participation: number;
    readonly loss: number;
  }[];
}

interface LearnOptions {
  readonly steps: number;
  /** After which shares of the steps one looks at the weights; adam begins again there, with a rate that falls. */
  readonly looks: readonly number[];
  readonly onProgress: (fraction: number) => Promise<void>;
}

/**
 * Tokens are a number and their position (one-hot); output i is the mean of `reads` tokens' numbers. One head of
 * attention can compute it: its scores depend on positions, its values are the numbers.
 */
export async function learnedSupport(
  T: number,
  reads: number,
  random: Random,
  { steps, looks, onProgress }: LearnOptions,
): Promise<LearnedSupport> {
  const features = T + 1;
  const graph = Array.from({ length: T }, () =>
    Array.from(random.permutation(T).subarray(0, reads)).toSorted((a, b) => a - b),
  );
  const examples = 128;
  const values = random.normal(examples * T);
  const x = new Float32Array(examples * T * features);
  const target = new Float32Array(examples * T);
  for (let e = 0; e < examples; e++)
    for (let i = 0; i < T; i++) {
      x[(e * T + i) * features] = values[e * T + i]!;
      x[(e * T + i) * features + 1 + i] = 2; // long enough for scores that tell tokens apart
      target[e * T + i] = graph[i]!.reduce((sum, j) => sum + values[e * T + j]!, 0) / reads;
    }
  const data = {
    x: tensor(x, { dims: [examples, T, features], type: "float32" }),
    target: tensor(target, { dims: [examples, T], type: "float32" }),
  };
  const net = initialNetwork(`${T}x${features}-attention(1)-tokens(1)-flatten`, {
    seed: random.integer(0, 1e6),
    initialization: "glorot-normal",
  });
  const weights = (model: Graph) => positionWeights(model, T);
  const meanParticipation = (model: Graph) =>
    weights(model).reduce((sum, row) => sum + supportOf(row).participation, 0) / T;
  const course: { step: number; participation: number; loss: number }[] = [];
  let model = net;
  course.push({ step: 0, participation: meanParticipation(model), loss: Number.NaN });
  let step = 0;
  for (const look of looks) {
    const end = Math.ceil(steps * look);
    const result = await train(model, data, {
      ...{
        loss: "square",
        optimizer: "adam",
        rate: 0.05 * 0.7 ** Math.floor((5 * step) / steps),
        batch: "full",
      },
      steps: end - step,
    });
    model = result.model;
    step = end;
    course.push({ step, participation: meanParticipation(model), loss: result.losses.at(-1)! });
    if (course.length === 2) course[0] = { ...course[0]!, loss: result.losses[0]! };
    await onProgress(look);
  }
  return { model, graph, weights: weights(model), course };
}

/** The attention of the trained layer for tokens whose numbers are 0: what the positions alone ask for. */
function positionWeights(model: Graph, T: number): number[][] {
  const features = T + 1;
  const part = (name: string): number[][] => {
    const values = numbers(model.initializers.get(`layer1.${name}.weight`) as Tensor);
    return Array.from({ length: features }, (_, i) =>
      Array.from(values.slice(i * features, (i + 1) * features)),
    );
  };
  const X = Array.from({ length: T }, (_, i) =>
    Array.from({ length: features }, (__, k) => (k === i + 1 ? 2 : 0)),
  );
  return softmaxRows(scoreMatrix(X, part("query"), part("key")), 1 / Math.sqrt(features));
}

export function plantedFigure({ course, weights, graph }: LearnedSupport, T: number, reads: number): Figure {
  const sorted = weights.map((row, i) => ({
    inside: graph[i]!.map((j) => row[j]!),
    outside: row.filter((_, j) => !graph[i]!.includes(j)),
  }));
  return {
    title: `Each of ${T} outputs depends on ${reads} of ${T} tokens: attention finds them`,
    panels: [
      {
        title: "Tokens that a row reads, while it learns",
        x: { label: "step + 1", scale: "log" },
        y: { label: "participation, mean of the rows" },
        series: [
          { name: "measured", mark: "line", points: course.map((c) => [c.step + 1, c.participation]) },
          {
            name: "planted",
            ...{ mark: "line", role: "theory" },
            points: [0, course.at(-1)!.step].map((step) => [step + 1, reads]),
          },
        ],
      },
      {
        title: "Attention weights at the end",
        x: { label: "token" },
        y: { label: "weight" },
        series: [
          {
            name: "planted dependencies",
            mark: "dots",
            points: sorted.flatMap(({ inside }, i) => inside.map((a) => [i, a] as const)),
          },
          {
            name: "all others",
            mark: "dots",
            points: sorted.flatMap(({ outside }, i) => outside.map((a) => [i, a] as const)),
          },
        ],
      },
    ],
  };
}

/** What a threshold on the weights makes of the graph. */
export const plantedTable = ({ weights, graph }: LearnedSupport): LemmaTable => ({
  title: "Edges of the thresholded attention against the planted ones",
  columns: ["threshold", "precision", "recall", "F1"],
  rows: [0, 0.001, 0.01, 0.05, 0.1, 0.2, 0.3].map((threshold) => {
    const { precision, recall, f1 } = edgeRecovery(thresholded(weights, threshold), graph);
    return [threshold, ...[precision, recall, f1].map((v) => Number(v.toFixed(3)))];
  }),
});
