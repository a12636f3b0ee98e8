// How relevant each word of a batch of questions is, by three methods, and which words are most often among the first.
import { run } from "../engine/run.ts";
import { Builder } from "../graph/builder.ts";
import { finish } from "../graph/finish.ts";
import { type Graph, requiredInputs, type TensorType } from "../graph/graph.ts";
import { numbers, type Tensor, tensor } from "../graph/tensor.ts";
import type { Values } from "../graph/value.ts";
import { gradient } from "../passes/gradient.ts";

type Rows = readonly (readonly number[])[];

/** A network in f64 from vectors of words [N, steps, size], and other inputs of N rows, to scores [N, classes]. */
export interface WordModel {
  readonly graph: Graph;
  readonly words: string;
  readonly scores: string;
}

type Inputs = Readonly<Record<string, Tensor>>;

/** The rows of a tensor along its first axis. */
function rowsOf(t: Tensor): Rows {
  const values = Array.from(numbers(t));
  const size = values.length / t.dims[0]!;
  return Array.from({ length: t.dims[0]! }, (_, n) => values.slice(n * size, (n + 1) * size));
}

/**
 * The sum over the numbers of each word's vector: from [N, steps, size] to N rows of steps.
 * @example perWord(tensor([[[1, 2], [3, 4]]])) // [[3, 7]]
 */
export function perWord(t: Tensor): Rows {
  const [, steps, size] = t.dims as [number, number, number];
  return rowsOf(t).map((row) =>
    Array.from({ length: steps }, (_, k) => row.slice(k * size, (k + 1) * size).reduce((s, v) => s + v, 0)),
  );
}

/** The scores of each question. */
export async function scoresOf({ graph, scores }: WordModel, inputs: Inputs): Promise<Rows> {
  return rowsOf((await run(graph, inputs, { threads: 1, outputs: [scores] }))[scores]!);
}

/**
 * The place of the greatest number.
 * @example greatest([1, 3, 2]) // 1
 */
export const greatest = (values: readonly number[]): number => values.indexOf(Math.max(...values));

/** x times the gradient of the greatest score, summed over each word's vector. */
export async function wordGradientTimesInput(model: WordModel, inputs: Inputs): Promise<Rows> {
  const scores = await scoresOf(model, inputs);
  const chosen = scores.map((row) => row.map((_, k) => (k === greatest(row) ? 1 : 0)));
  const builder = new Builder();
  const types = Object.fromEntries(requiredInputs(model.graph).map((i) => [i.name, i.type as TensorType]));
  const body = (given: Values): Values => {
    const { chosen: mask, ...own } = given;
    return { score: builder.inline(model.graph, own)[model.scores]!.mul(mask!).sum([0, 1]) };
  };
  const all = { ...types, chosen: { type: "float64", shape: ["N", scores[0]!.length] } as TensorType };
  const scored = finish(builder, all, body, { name: "chosen", nested: false });
  const slope = gradient(scored, { wrt: [model.words], of: ["score"], unitSeeds: true });
  const name = `grad_${model.words}`;
  const found = await run(slope, { ...inputs, chosen: tensor(chosen) }, { threads: 1, outputs: [name] });
  const [x, g] = [numbers(inputs[model.words]!), numbers(found[name]!)];
  const { dims } = inputs[model.words]!;
  return perWord(
    tensor(
      Float64Array.from(x, (v, k) => v * g[k]!),
      { type: "float64", dims },
    ),
  );
}

const softmax = (scores: readonly number[]): readonly number[] => {
  const most = Math.max(...scores);
  const powers = scores.map((v) => Math.exp(v - most));
  const sum = powers.reduce((s, v) => s + v, 0);
  return powers.map((v) => v / sum);
};

/** The drop of the probability of the greatest score when a word's vector is set to zero. */
export async function wordOcclusion(model: WordModel, inputs: Inputs): Promise<Rows> {
  const scores = await scoresOf(model, inputs);
  const x = inputs[model.words]!;
  const [, steps, size] = x.dims as [number, number, number];
  const drops: number[][] = scores.map(() => []);
  for (let t = 0; t < steps; t++) {
    const isTaken = (k: number): boolean => Math.floor(k / size) % steps === t;
    const without = tensor(
      Float64Array.from(numbers(x), (v, k) => (isTaken(k) ? 0 : v)),
      {
        type: "float64",
        dims: x.dims,
      },
    );
    const after = await scoresOf(model, { ...inputs, [model.words]: without });
    scores.forEach((row, n) => {
      const c = greatest(row);
      drops[n]!.push(softmax(row)[c]! - softmax(after[n]!)[c]!);
    });
  }
  return drops;
}

/**
 * The places of the `count` words with the greatest |relevance|, the greatest first; of equal ones the earlier first.
 * @example topWords([0.1, -3, 2], 2) // [1, 2]
 */
export const topWords = (values: readonly number[], count: number): readonly number[] =>
  values
    .map((_, k) => k)
    .toSorted((a, b) => Math.abs(values[b]!) - Math.abs(values[a]!) || a - b)
    .slice(0, count);

/**
 * How often each word occurs, the most frequent first.
 * @example wordFrequencies(["is", "red", "is"]) // [["is", 2], ["red", 1]]
 */
export function wordFrequencies(words: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
}
