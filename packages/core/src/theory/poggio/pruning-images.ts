// Small images whose label is local, or is not, and networks that are pruned on them.
import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import type { Random } from "../../numbers/random.ts";
import { localityOf } from "../../sparse/locality.ts";
import type { TrainingData } from "../../train/advance.ts";
import type { Masks } from "../../train/masks.ts";
import { initialNetwork } from "../../train/network.ts";
import { type PruneOptions, type PruningRound, prune } from "../../train/pruning.ts";
import { score } from "../../train/score.ts";
import { train } from "../../train/train.ts";
import type { LemmaTable } from "../lemma.ts";

const hidden = 8;

export interface ImageTask {
  readonly data: TrainingData;
  readonly test: TrainingData;
}

/** Normal pixels; the target is a sum over two patches of 2 x 2, or noise ("memorize"). */
export function imageTask(
  side: number,
  count: number,
  random: Random,
  kind: "local" | "memorize",
): ImageTask {
  const corner = (): number => random.integer(0, side - 2) * side + random.integer(0, side - 2);
  const patches = [corner(), corner()].map((k) => [k, k + 1, k + side, k + side + 1]);
  const sample = (): TrainingData => {
    const x = random.normal(count * side * side);
    const y = Array.from({ length: count }, (_, i) =>
      kind === "memorize"
        ? random.normal()
        : patches.reduce(
            (sum, patch) => sum + Math.tanh(patch.reduce((s, k) => s + x[i * side * side + k]!, 0)),
            0,
          ),
    );
    return {
      x: tensor(x, { dims: [count, side * side], type: "float32" }),
      target: tensor(y, { dims: [count, 1], type: "float32" }),
    };
  };
  return { data: sample(), test: sample() };
}

export const taskNetwork = (side: number, seed: number): Graph =>
  initialNetwork(`${side * side}-${hidden}-tanh-1`, { seed, initialization: "lecun" });

export const taskOptions = (steps: number) =>
  ({ loss: "square", optimizer: "adam", rate: 0.02, batch: "full", steps, weightDecay: 1e-3 }) as const;

export const pruneImages = (
  net: Graph,
  { data }: ImageTask,
  options: PruneOptions,
  steps: number,
): Promise<readonly PruningRound[]> => prune(net, data, taskOptions(steps), options);

/** The pixels that each hidden unit still reads. */
export function readPixels(masks: Masks): readonly (readonly number[])[] {
  const mask = masks["layer1.weight"]!;
  const [pixels, units] = mask.dims as [number, number];
  const values = numbers(mask);
  return Array.from({ length: units }, (_, u) =>
    Array.from({ length: pixels }, (__, k) => k).filter((k) => values[k * units + u] === 1),
  );
}

export interface Comparison {
  readonly rows: readonly {
    readonly sparsity: number;
    /** Mean squared errors on other examples. */
    readonly ticket: number;
    readonly redrawn: number;
    readonly randomMask: number;
    readonly locality: number;
    readonly memorized: number;
  }[];
  readonly whole: number;
}

/** Tickets against the same connections with other first weights, random connections, and a task to memorize. */
export async function pruningComparison(
  side: number,
  steps: number,
  random: Random,
  progress: (fraction: number) => Promise<void>,
): Promise<Comparison> {
  const [rounds, sparsity] = [6, 0.95];
  const task = imageTask(side, 300, random, "local");
  const noise = imageTask(side, 300, random, "memorize");
  const net = taskNetwork(side, 1);
  const grid = { rows: side, columns: side };
  const lossOf = async ({ trained: { training, state } }: Pick<PruningRound, "trained">): Promise<number> =>
    (await score(training, state, task.test, {})).loss;
  const tickets = await pruneImages(net, task, { sparsity, rounds }, steps);
  await progress(0.5);
  const others = await pruneImages(net, task, { sparsity, rounds, by: "random" }, steps);
  await progress(0.7);
  const memorized = await pruneImages(net, noise, { sparsity, rounds }, steps);
  const rows: Comparison["rows"][number][] = [];
  for (const [r, ticket] of tickets.entries()) {
    if (r === 0) continue;
    const redrawn = await train(taskNetwork(side, 2), task.data, {
      ...taskOptions(steps),
      masks: ticket.masks,
    });
    rows.push({
      sparsity: ticket.sparsity,
      ticket: await lossOf(ticket),
      redrawn: await lossOf({ trained: redrawn }),
      randomMask: await lossOf(others[r]!),
      locality: localityOf(grid, readPixels(ticket.masks)).ratio,
      memorized: localityOf(grid, readPixels(memorized[r]!.masks)).ratio,
    });
    await progress(0.7 + 0.3 * (r / rounds));
  }
  return { rows, whole: await lossOf(tickets[0]!) };
}

export const pruningFigure = ({ rows, whole }: Comparison): Figure => {
  const line = (of: (row: Comparison["rows"][number]) => number) =>
    rows.map((row) => [1 - row.sparsity, of(row)] as const);
  return {
    title: "What is left when the smallest weights are cut, round by round",
    panels: [
      {
        title: "Error on other examples",
        x: { label: "share of weights left", scale: "log" },
        y: { label: "mean squared error", scale: "log" },
        series: [
          { name: "ticket", mark: "line", points: line((r) => r.ticket) },
          { name: "same connections, other first weights", mark: "line", points: line((r) => r.redrawn) },
          { name: "random connections", mark: "line", points: line((r) => r.randomMask) },
          { name: "whole network", mark: "line", role: "theory", points: line(() => whole) },
        ],
      },
      {
        title: "Locality of the pixels that units read",
        x: { label: "share of weights left", scale: "log" },
        y: { label: "neighbours over what is expected" },
        series: [
          { name: "local task", mark: "line", points: line((r) => r.locality) },
          { name: "noise to memorize", mark: "line", points: line((r) => r.memorized) },
          { name: "random sets", mark: "line", role: "theory", points: line(() => 1) },
        ],
      },
    ],
  };
};

export const pruningTable = ({ rows, whole }: Comparison): LemmaTable => ({
  title: `Pruned networks (the whole one errs by ${whole.toPrecision(3)})`,
  columns: ["cut", "ticket", "redrawn", "random connections", "locality", "locality, noise"],
  rows: rows.map((r) =>
    [r.sparsity, r.ticket, r.redrawn, r.randomMask, r.locality, r.memorized].map((v) =>
      Number(v.toPrecision(3)),
    ),
  ),
});
