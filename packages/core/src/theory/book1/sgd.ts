import { type Graph, isSparse } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import type { Random } from "../../numbers/random.ts";
import { sum } from "../../numbers/sum.ts";
import type { TrainingData } from "../../train/advance.ts";
import { denseNetwork } from "../../train/dense-network.ts";
import { weightVector } from "../../train/empirical-risk.ts";
import { weightedGradient } from "../../train/example-losses.ts";
import { permutation } from "../../train/shuffle.ts";
import { type TrainOptions, train } from "../../train/train.ts";
import { checked, equals, proved } from "../claim.ts";
import { HypothesisError, lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

const d = 3;

export default lemma({
  id: "C1a-08",
  covers: ["C1a-08"],
  kind: "algorithm",
  title: "Stochastic gradient descent in batches",
  source: "Book, chapter 1, Algorithm 1.1 and (1.8)",
  statement: String.raw`\Theta^{(k)} = \Theta^{(k-1)} - \frac{\eta_k}{m'} \sum_{z \in S'} \nabla \mathcal{L}(\Theta^{(k-1)}, z), \qquad \mathbb{E}_{S'} \Bigl[ \frac{1}{m'} \sum_{z \in S'} \nabla \mathcal{L} \Bigr] = \nabla r`,
  parameters: {
    m: integer({ min: 3, max: 8, default: 6, label: "examples" }),
    batch: integer({ min: 1, max: 4, default: 2, label: "batch size m'" }),
    n: integer({ min: 1, max: 6, default: 4, label: "hidden units" }),
    K: integer({ min: 1, max: 40, default: 20, label: "steps" }),
    order: integer({ min: 0, max: 1000, default: 1, label: "seed of the order" }),
  },
  claims: {
    "sum of the gradients of all batches, in multiples of the full one": equals(
      String.raw`\tbinom{m-1}{m'-1}: \text{ the mean over batches is the full gradient}`,
    ),
    "examples in the batches of an epoch": equals("m"),
    "gradients of an epoch's batches, added, less the full one": equals("0"),
    "sum of the weights after K steps": equals("(1.8), \\text{ written out}"),
    "batch of all examples against gradient descent": equals("0"),
    "the same seed again": equals(String.raw`0 \text{ apart}`),
    "mean of the iterates": equals(String.raw`\tfrac{1}{K} \sum_k \Theta^{(k)}`),
  },
  mutants: {
    "batches of an example counted among m, not m - 1 others": {
      "sum of the gradients of all batches, in multiples of the full one": ({ m, batch }) =>
        binomial(m, batch),
    },
    "the last, smaller batch left out": {
      "examples in the batches of an epoch": ({ m, batch }) => m - (m % batch),
    },
    "a step lost": ({ K }) => ({ K: K - 1 }),
  },
  async run({ m, batch, n, K, order }, { random, progress }) {
    if (batch > m) throw new HypothesisError("m' <= m: a batch has at most all examples");
    const { multiple, epochGap, examples } = await exactBatches(random.split("whole"), {
      m,
      batch,
      n,
      order,
    });
    await progress(0.4);
    const problem = drawLinear(random, m);
    const options = { batch, steps: K, seed: order } as const;
    const last = await descended(problem, options);
    const iterates = writtenOut(problem, K, (k) => batchOf(m, batch, order, k));
    const everything = await descended(problem, { ...options, batch: m });
    const full = await descended(problem, { ...options, batch: "full" });
    await progress(0.8);
    const averaged = await descended(problem, { ...options, averaging: "mean" });
    const mean = problem.start.map((_, j) => iterates.reduce((sum, theta) => sum + theta[j]!, 0) / K);
    // Rates of at most 1 / |x|^2 move no two points apart, so that roundings of sums of m + d products add up.
    const size = Math.max(1, ...iterates.flat().map(Math.abs));
    const tolerance = K * (m + d + 8) * 2 ** -51 * size;
    return {
      graph: problem.model,
      claims: {
        ...(multiple !== undefined && {
          "sum of the gradients of all batches, in multiples of the full one": proved(
            multiple,
            binomial(m - 1, batch - 1),
          ),
        }),
        "examples in the batches of an epoch": checked(examples, m),
        "gradients of an epoch's batches, added, less the full one": proved(epochGap, 0),
        "sum of the weights after K steps": checked(sum(last), sum(iterates.at(-1)!), {
          tolerance: d * tolerance,
        }),
        "batch of all examples against gradient descent": checked(apart(everything, full), 0, { tolerance }),
        "the same seed again": checked(apart(last, await descended(problem, options)), 0),
        "mean of the iterates": checked(apart(averaged, mean), 0, { tolerance: 2 * tolerance }),
      },
    };
  },
});

const apart = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((most, v, k) => Math.max(most, Math.abs(v - b[k]!)), 0);

const binomial = (n: number, k: number): number =>
  Array.from({ length: k }).reduce<number>((value, _, j) => (value * (n - j)) / (j + 1), 1);

/** All subsets with `size` of the numbers from `from` to m - 1. */
function subsets(m: number, size: number, from = 0): readonly (readonly number[])[] {
  if (size === 0) return [[]];
  return Array.from({ length: m - from }, (_, k) => from + k).flatMap((i) =>
    subsets(m, size - 1, i + 1).map((rest) => [i, ...rest]),
  );
}

/** The examples of step k (from 0), as the training graph draws them. */
function batchOf(m: number, batch: number, seed: number, k: number): readonly number[] {
  const perEpoch = Math.ceil(m / batch);
  const place = k % perEpoch;
  return permutation(m, seed, Math.floor(k / perEpoch)).slice(place * batch, (place + 1) * batch);
}

interface Batches {
  readonly m: number;
  readonly batch: number;
  readonly n: number;
  readonly order: number;
}

/** A ReLU network with whole weights and data: gradients of sums of losses are whole numbers, exactly. */
async function exactBatches(random: Random, { m, batch, n, order }: Batches) {
  const whole = (rows: number, columns: number) =>
    Array.from({ length: rows }, () => Array.from({ length: columns }, () => random.integer(-3, 3)));
  const model = denseNetwork(
    [
      { W: whole(n, d), b: whole(1, n)[0]! },
      { W: whole(1, n), b: [1] },
    ],
    "relu",
  );
  const data = { x: tensor(whole(m, d)), target: tensor(whole(m, 1)) };
  const slope = weightedGradient(model, "square", data);
  const { start } = weightVector(model);
  const sumOver = (chosen: readonly number[]) =>
    slope(
      start,
      Array.from({ length: m }, (_, i) => (chosen.includes(i) ? 1 : 0)),
    );
  const full = await sumOver(Array.from({ length: m }, (_, i) => i));
  const summed = async (batches: readonly (readonly number[])[]) => {
    const sum = new Float64Array(start.length);
    for (const each of batches) {
      const slopes = await sumOver(each);
      for (let k = 0; k < sum.length; k++) sum[k]! += slopes[k]!;
    }
    return sum;
  };
  const epoch = Array.from({ length: Math.ceil(m / batch) }, (_, k) => batchOf(m, batch, order, k));
  const all = await summed(subsets(m, batch));
  // The multiple where there is one: the ratio of the greatest entries, if all others have it too.
  const top = full.reduce((best, v, k) => (Math.abs(v) > Math.abs(full[best]!) ? k : best), 0);
  const found = all[top]! / full[top]!;
  const isMultiple = all.every((v, k) => (full[top] === 0 ? v === 0 : v === found * full[k]!));
  return {
    // Of a gradient that is 0, every multiple is the same.
    multiple: isMultiple ? (full[top] === 0 ? undefined : found) : Number.POSITIVE_INFINITY,
    epochGap: apart([...(await summed(epoch))], [...full]),
    examples: new Set(epoch.flat()).size,
  };
}

interface Linear {
  readonly model: Graph;
  readonly start: readonly number[];
  readonly X: readonly (readonly number[])[];
  readonly y: readonly number[];
  readonly data: TrainingData;
}

/** A linear model with inputs in the unit ball. */
function drawLinear(random: Random, m: number): Linear {
  const X = Array.from({ length: m }, () => [...random.sphere(d)]);
  const y = [...random.normal(m)];
  const start = [...random.normal(d)];
  return {
    model: denseNetwork([{ W: [start] }], "linear"),
    start,
    X,
    y,
    data: { x: tensor(X), target: tensor(y, { dims: [m, 1] }) },
  };
}

const rate = 0.5;

async function descended({ model, data }: Linear, options: Partial<TrainOptions>): Promise<number[]> {
  const trained = await train(model, data, { loss: "square", rate, threads: 1, ...options });
  const weight = trained.model.initializers.get("W1")!;
  return isSparse(weight) ? [] : Array.from(numbers(weight));
}

/** Theta^1, ..., Theta^K by (1.8). */
function writtenOut({ X, y, start }: Linear, K: number, batch: (k: number) => readonly number[]): number[][] {
  const iterates: number[][] = [];
  for (let k = 0; k < K; k++) {
    const theta: readonly number[] = iterates.at(-1) ?? start;
    const chosen = batch(k);
    const slope = theta.map(
      (_, j) =>
        chosen.reduce((sum, i) => {
          const rest = X[i]!.reduce((s, v, l) => s + v * theta[l]!, 0) - y[i]!;
          return sum + 2 * rest * X[i]![j]!;
        }, 0) / chosen.length,
    );
    iterates.push(theta.map((v, j) => v - rate * slope[j]!));
  }
  return iterates;
}
