// Iterative magnitude pruning: train, cut the smallest weights, go back to the start with what is left, train again.
import type { Graph } from "../graph/graph.ts";
import { numbers, type Tensor } from "../graph/tensor.ts";
import { createRandom } from "../numbers/random.ts";
import { type TrainingData, trainedModel } from "./advance.ts";
import { TrainError } from "./error.ts";
import { type Masks, maskOf, matrixNames } from "./masks.ts";
import { type Trained, type TrainOptions, train } from "./train.ts";
import { trainableWeights } from "./weights.ts";

export interface PruneOptions {
  /** The share of the weights of matrices and kernels that is gone at the end. */
  readonly sparsity: number;
  /** Cuts until then, each of the same share of what is left; default 5. */
  readonly rounds?: number;
  /** "rewind": from the first weights again, as for lottery tickets (default); "continue": from the trained ones. */
  readonly restart?: "rewind" | "continue";
  /** Cut the same share of each layer (default), or the smallest weights of all layers together. */
  readonly scope?: "layer" | "global";
  /** By magnitude (default), or at random, for comparison. */
  readonly by?: "magnitude" | "random";
}

export interface PruningRound {
  /** The share of weights that were gone in this round's training. */
  readonly sparsity: number;
  readonly masks: Masks;
  readonly trained: Trained;
}

export const pruneDefaults = { rounds: 5, restart: "rewind", scope: "layer", by: "magnitude" } as const;

/**
 * The share of weights that is left after each cut: (1 - sparsity)^(r / rounds), so that each cut takes the same share.
 * @example keptShares(0.75, 2) // [1, 0.5, 0.25]
 */
export const keptShares = (sparsity: number, rounds: number): readonly number[] =>
  Array.from({ length: rounds + 1 }, (_, r) => (1 - sparsity) ** (r / rounds));

/**
 * The masks that keep the greatest weights among those that are left: round(share n) of n, in each layer or in all together.
 * @example Object.values(largestWeights({ w: tensor([[3, -1], [2, -4]]) }, 0.5))[0].data // Float64Array [1, 0, 0, 1]
 */
export function largestWeights(
  weights: Readonly<Record<string, Tensor>>,
  share: number,
  { masks = {}, scope = "layer" }: { readonly masks?: Masks; readonly scope?: "layer" | "global" } = {},
): Masks {
  const size = (name: string): Float64Array => {
    const left = masks[name] && numbers(masks[name]);
    return Float64Array.from(numbers(weights[name]!), (w, k) => (left && !left[k] ? -1 : Math.abs(w)));
  };
  return keptGreatest(weights, share, scope, size);
}

/** The same, of weights that are ranked at random. */
function randomWeights(
  weights: Readonly<Record<string, Tensor>>,
  share: number,
  { masks, scope, seed }: { masks: Masks; scope: "layer" | "global"; seed: string },
): Masks {
  return keptGreatest(weights, share, scope, (name) => {
    const [left, drawn] = [
      masks[name] && numbers(masks[name]),
      createRandom(seed).split(name).uniform(weights[name]!.data.length),
    ];
    return drawn.map((u, k) => (left && !left[k] ? -1 : u));
  });
}

/** Masks of the greatest ranks; of equal ones the first are kept. */
function keptGreatest(
  weights: Readonly<Record<string, Tensor>>,
  share: number,
  scope: "layer" | "global",
  rankOf: (name: string) => Float64Array,
): Masks {
  const ranks = Object.keys(weights).map((name) => ({ name, rank: rankOf(name) }));
  const groups = scope === "layer" ? ranks.map((each) => [each]) : [ranks];
  const masks: Record<string, Tensor> = {};
  for (const group of groups) {
    const entries = group.flatMap(({ rank }, g) => Array.from(rank, (value, k) => ({ value, g, k })));
    const count = Math.round(share * entries.length);
    const kept = group.map(() => new Set<number>());
    // The sort is stable: the order among equal ranks is that of the entries.
    for (const { g, k } of entries.toSorted((a, b) => b.value - a.value).slice(0, count)) kept[g]!.add(k);
    group.forEach(({ name }, g) => {
      masks[name] = maskOf(weights[name]!, (k) => kept[g]!.has(k));
    });
  }
  return masks;
}

/** Zeros among the entries of masks. */
export function sparsityOf(masks: Masks): number {
  const all = Object.values(masks).map((mask) => numbers(mask));
  const kept = all.reduce((sum, values) => sum + values.filter((v) => v === 1).length, 0);
  const count = all.reduce((sum, values) => sum + values.length, 0);
  return count === 0 ? 0 : 1 - kept / count;
}

/**
 * Trains, cuts, and trains again what is left, `rounds` times; the first round is the whole network.
 * @example (await prune(initialNetwork("1-8-tanh-1"), { x: tensor([[0], [1]], { type: "float32" }), target: tensor([[1], [0]], { type: "float32" }) }, { loss: "square", epochs: 1 }, { sparsity: 0.75, rounds: 2 })).map((r) => r.sparsity) // [0, 0.5, 0.75]
 */
export async function prune(
  model: Graph,
  data: TrainingData,
  options: TrainOptions,
  pruning: PruneOptions,
  onRound?: (round: PruningRound) => Promise<void> | void,
): Promise<readonly PruningRound[]> {
  const { sparsity, rounds, restart, scope, by } = { ...pruneDefaults, ...pruning };
  if (!(sparsity > 0 && sparsity < 1))
    throw new TrainError(`the share to prune is a number between 0 and 1, not ${sparsity}`);
  if (!(Number.isInteger(rounds) && rounds > 0))
    throw new TrainError(`pruning takes a whole number of rounds, not ${rounds}`);
  const names = matrixNames(model, options.weights ?? trainableWeights(model));
  if (names.length === 0) throw new TrainError(`graph "${model.name}" has no matrix to prune`);
  const found: PruningRound[] = [];
  let [start, masks]: [Graph, Masks] = [model, options.masks ?? {}];
  for (const [r, share] of keptShares(sparsity, rounds).entries()) {
    if (r > 0) {
      const { trained } = found.at(-1)!;
      const learned = trainedModel(trained.training, trained.state);
      const weights = Object.fromEntries(
        names.map((name) => [name, learned.initializers.get(name) as Tensor]),
      );
      masks =
        by === "magnitude"
          ? largestWeights(weights, share, { masks, scope })
          : randomWeights(weights, share, { masks, scope, seed: `prune/${options.seed ?? 0}` });
      if (restart === "continue") start = learned;
    }
    const trained = await train(start, data, { ...options, masks });
    found.push({ sparsity: sparsityOf(masks), masks, trained });
    await onRound?.(found.at(-1)!);
    if (trained.ended === "diverged" || trained.ended === "stopped") break;
  }
  return found;
}
