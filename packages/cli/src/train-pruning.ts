// What the command line says about connections: which there are, and how many are cut while training.
import { readNpz } from "@lemmata/core/data";
import { type Graph, isFloat, numbers, type Tensor, tensor } from "@lemmata/core/graph";
import {
  type Masks,
  masksFromLists,
  masksFromZeros,
  type PruneOptions,
  type PruningRound,
  pruneDefaults,
  type Score,
  score,
  trainableWeights,
} from "@lemmata/core/train";
import { oneOf } from "./choice.ts";
import { readBytes } from "./files.ts";
import { loadGraph } from "./model.ts";
import { percent } from "./train-course.ts";
import type { Task } from "./train-data.ts";
import type { TrainCommandOptions } from "./train-options.ts";
import { UsageError } from "./usage-error.ts";

/**
 * The masks of `--sparsity-graph`: the zeros of a network (an ONNX file, or "zeros" for the one that is trained), lists
 * of inputs a unit in JSON, or arrays of zeros and ones in an .npz file.
 */
export async function connections(
  model: Graph,
  { sparsityGraph: file }: TrainCommandOptions,
): Promise<Masks | undefined> {
  if (file === undefined) return undefined;
  if (file === "zeros") return masksFromZeros(model);
  if (/\.onnx$/i.test(file)) {
    const other = await loadGraph(file);
    if (!trainableWeights(model).some((name) => other.initializers.has(name)))
      throw new UsageError(`--sparsity-graph ${file}: none of its weights has a name of this network's`);
    const known = Object.entries(masksFromZeros(other)).filter(([name]) => model.initializers.has(name));
    return Object.fromEntries(known.map(([name, mask]) => [name, typed(model, name, mask)]));
  }
  if (/\.npz$/i.test(file)) {
    const arrays = readNpz(readBytes(file), { file });
    return Object.fromEntries(Object.entries(arrays).map(([name, mask]) => [name, typed(model, name, mask)]));
  }
  if (/\.json$/i.test(file)) return masksFromLists(model, parsedLists(file));
  throw new UsageError(`--sparsity-graph ${file}: an .onnx, .json or .npz file, or "zeros"`);
}

/** The mask in the element type of its weight. */
function typed(model: Graph, name: string, mask: Tensor): Tensor {
  const type = model.initializers.get(name)?.type;
  return type !== undefined && isFloat(type) && type !== mask.type
    ? tensor(Array.from(numbers(mask)), { type, dims: mask.dims })
    : mask;
}

function parsedLists(file: string): Record<string, number[][]> {
  const wrong = (): never => {
    throw new UsageError(
      `--sparsity-graph ${file}: write {"layer1.weight": [[0, 1], [2, 3]]}, the inputs that each unit reads`,
    );
  };
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(readBytes(file)));
  } catch (error) {
    if (error instanceof SyntaxError) wrong();
    throw error;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) wrong();
  const isList = (list: unknown): boolean =>
    Array.isArray(list) &&
    list.every((unit) => Array.isArray(unit) && unit.every((i) => typeof i === "number"));
  if (!Object.values(value as object).every(isList)) wrong();
  return value as Record<string, number[][]>;
}

/** How `--prune` cuts; undefined without it. */
export function pruneOptions(options: TrainCommandOptions): PruneOptions | undefined {
  const { prune: sparsity, pruneRounds: rounds, pruneRestart, pruneScope, pruneBy } = options;
  if (sparsity === undefined) {
    const alone = { pruneRounds: rounds, pruneRestart, pruneScope, pruneBy };
    if (Object.values(alone).some((v) => v !== undefined))
      throw new UsageError(
        "--prune-rounds, --prune-restart, --prune-scope and --prune-by need --prune SHARE",
      );
    return undefined;
  }
  for (const name of ["checkpoint", "patience"] as const)
    if (options[name] !== undefined) throw new UsageError(`--prune and --${name} exclude each other`);
  return {
    sparsity,
    rounds: rounds ?? pruneDefaults.rounds,
    restart: oneOf("--prune-restart", pruneRestart ?? pruneDefaults.restart, ["rewind", "continue"] as const),
    scope: oneOf("--prune-scope", pruneScope ?? pruneDefaults.scope, ["layer", "global"] as const),
    by: oneOf("--prune-by", pruneBy ?? pruneDefaults.by, ["magnitude", "random"] as const),
  };
}

export interface RoundScore {
  readonly sparsity: number;
  readonly train: Score;
  readonly test?: Score;
}

export async function roundScore(
  { sparsity, trained: { training, state } }: PruningRound,
  task: Task,
  options: TrainCommandOptions,
): Promise<RoundScore> {
  return {
    sparsity,
    train: await score(training, state, task.train, options),
    ...(task.test ? { test: await score(training, state, task.test, options) } : {}),
  };
}

export const roundCells = ({ sparsity, train, test }: RoundScore): string[] => [
  percent(sparsity),
  train.loss.toPrecision(4),
  train.accuracy === undefined ? "" : percent(train.accuracy),
  ...(test ? [test.loss.toPrecision(4), test.accuracy === undefined ? "" : percent(test.accuracy)] : []),
];

export const roundJson = ({ sparsity, train, test }: RoundScore) => ({
  sparsity,
  trainLoss: train.loss,
  trainAccuracy: train.accuracy ?? null,
  testLoss: test?.loss ?? null,
  testAccuracy: test?.accuracy ?? null,
});
