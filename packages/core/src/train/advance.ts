// Takes a training run forward by some steps.
import { run } from "../engine/run.ts";
import { type Graph, isSparse } from "../graph/graph.ts";
import { elementCount, encode, numbers, type Tensor, tensor } from "../graph/tensor.ts";
import { TrainError } from "./error.ts";
import { maskedTensor } from "./masks.ts";
import { averageKey, maskKey, weightKey } from "./state.ts";
import type { Training } from "./training.ts";

export interface TrainingData {
  /** Examples along the first axis. */
  readonly x: Tensor;
  /** Classes [M] (int64) or numbers in the shape of the outputs. */
  readonly target: Tensor;
}

/** All that a run carries from step to step: with it and the data, the run goes on bit by bit as if never stopped. */
export interface TrainingState {
  /** Steps made. */
  readonly step: number;
  readonly seed: number;
  readonly tensors: Readonly<Record<string, Tensor>>;
}

export interface Advance {
  readonly state: TrainingState;
  /** The loss of each step's batch, before the step. */
  readonly losses: readonly number[];
  /** The share of each step's batch that was classified right; empty for numbers as targets. */
  readonly accuracies: readonly number[];
  /** Why the loop ended before its time: a loss at or below `floor`, or at or above `limit` (or not a number). */
  readonly stopped?: "floor" | "limit";
}

export interface AdvanceOptions {
  /** The learning rate of each step to make. */
  readonly rates: readonly number[];
  readonly floor?: number;
  readonly limit?: number;
  readonly threads?: number;
}

/** The state before the first step: weights as the model has them (0 where masked), all else zero. */
export function initialState({ model, stateNames, options }: Training, seed = 0): TrainingState {
  if (!(Number.isSafeInteger(seed) && seed >= 0))
    throw new TrainError(`a seed is a whole number, not ${seed}`);
  const tensors = stateNames.map((key) => {
    const [kind, name] = [key.slice(0, key.indexOf("/")), key.slice(key.indexOf("/") + 1)];
    const weight = model.initializers.get(name);
    if (!weight || isSparse(weight)) throw new TrainError(`graph "${model.name}" has no weight "${name}"`);
    const zeros = () => encode(new Float64Array(elementCount(weight.dims)), weight.type as "float32");
    const mask = options.masks?.[name];
    if (kind !== "weight") return [key, { ...weight, data: zeros() }] as const;
    return [key, mask ? maskedTensor(weight, mask) : weight] as const;
  });
  return { step: 0, seed, tensors: Object.fromEntries(tensors) };
}

/** Makes one step for each rate, unless the loss ends the loop before. */
export async function advance(
  { graph, stateNames, weights, options: { masks } }: Training,
  state: TrainingState,
  data: TrainingData,
  { rates, floor = Number.NEGATIVE_INFINITY, limit = Number.POSITIVE_INFINITY, threads }: AdvanceOptions,
): Promise<Advance> {
  const type = graph.inputs.find((i) => i.name === "rates")!.type.type as "float32";
  const integer = (value: number) => tensor(value, { type: "int64" });
  const inputs = {
    x: data.x,
    target: data.target,
    step: integer(state.step),
    until: integer(state.step + rates.length),
    rates: tensor([...rates], { type, dims: [rates.length] }),
    seed: integer(state.seed),
    floor: tensor(floor, { type }),
    limit: tensor(limit, { type }),
    ...state.tensors,
    ...Object.fromEntries(
      weights.flatMap((name) => (masks?.[name] ? [[maskKey(name), masks[name]] as const] : [])),
    ),
  };
  const results = await run(graph, inputs, threads === undefined ? {} : { threads });
  const list = (name: string) => (results[name] ? Array.from(numbers(results[name])) : []);
  const tensors = Object.fromEntries(stateNames.map((key) => [key, results[`${key}:next`]!]));
  const found = list("losses");
  const last = found.at(-1) ?? 0;
  const stopped = !(last < limit) ? "limit" : last <= floor ? "floor" : undefined;
  return {
    state: { ...state, step: Number(numbers(results.reached!)[0]), tensors },
    losses: found,
    accuracies: list("accuracies"),
    ...(stopped ? { stopped } : {}),
  };
}

/** The model with the weights of a state: the last ones, or their average where the run keeps one. */
export function trainedModel(
  { model, weights, options }: Training,
  { tensors }: TrainingState,
  { average = options.averaging !== undefined } = {},
): Graph {
  const initializers = new Map(model.initializers);
  for (const name of weights) {
    const key = average ? averageKey(name) : weightKey(name);
    const value = tensors[key];
    if (!value) throw new TrainError(`the run keeps no ${key}`);
    initializers.set(name, value);
  }
  return { ...model, initializers };
}
