// A whole training run as one graph: a chunk of steps goes through ONNX Runtime in one call.

import { Builder } from "../graph/builder.ts";
import { finish } from "../graph/finish.ts";
import { type Graph, isSparse, type TensorType } from "../graph/graph.ts";
import { inferTypes } from "../graph/infer.ts";
import type { Types, Values } from "../graph/value.ts";
import { gradient } from "../passes/gradient.ts";
import { checkOptions } from "./check-options.ts";
import { TrainError } from "./error.ts";
import { objective } from "./loss.ts";
import { checkMasks } from "./masks.ts";
import { defaultCoefficients, optimizers } from "./optimizer.ts";
import { shortened } from "./shortcuts.ts";
import { averageKey, maskKey, slotKey, weightKey } from "./state.ts";
import { epochs, wholeBatches } from "./training/loop.ts";
import type { TrainingOptions } from "./training/options.ts";
import { batchFree, trainableWeights, weightsAsInputs } from "./weights.ts";

/** A training run before it starts: the graph of its steps, and the state it starts from. */
export interface Training {
  /**
   * Inputs: `x`, `target`, the state, `step`, `until`, `rates` (one a step from `step` on), `seed`, `limit` and `floor`
   * (the loop ends after a loss not below the one, or not above the other). Outputs: the state, `step`, and `losses`
   * and `accuracies` of each step.
   */
  readonly graph: Graph;
  readonly model: Graph;
  readonly options: TrainingOptions;
  readonly weights: readonly string[];
  /** Outputs an example, where the graph says. */
  readonly outputs: number | undefined;
  /** Names of state tensors: weights, what the optimizer remembers, averages. */
  readonly stateNames: readonly string[];
}

/** How many examples a step sees. */
export const batchOf = ({ batch, optimizer }: TrainingOptions): number | "full" =>
  batch ?? (optimizer === "gd" ? "full" : 128);

/**
 * The training graph of a network with one input and one output.
 * @example training(initialNetwork("2-8-relu-1"), { loss: "logistic" }).stateNames[0] // "weight/layer1.weight"
 */
export function training(original: Graph, options: TrainingOptions): Training {
  checkOptions(options);
  const model = batchFree(original);
  const weights = options.weights ?? trainableWeights(model);
  if (weights.length === 0) throw new TrainError(`graph "${model.name}" has no weights to train`);
  checkMasks(model, weights, options.masks);
  const step = stepGraph(model, weights, options);
  const optimizer = optimizers[options.optimizer ?? "sgd"]({ ...defaultCoefficients, ...options });
  const stateNames = weights.flatMap((name) => [
    weightKey(name),
    ...Array.from({ length: optimizer.slots }, (_, k) => slotKey(name, k)),
    ...(options.averaging === undefined ? [] : [averageKey(name)]),
  ]);
  const types = Object.fromEntries(
    stateNames.map((key) => [key, typeOfWeight(model, key.slice(key.indexOf("/") + 1))]),
  );
  const graph = chunkGraph(step, types, weights, options);
  const width = inferTypes(model).get(model.outputs[0]!.name)?.shape?.[1] ?? 1;
  return {
    graph,
    model,
    options,
    weights,
    stateNames,
    outputs: typeof width === "number" ? width : undefined,
  };
}

function typeOfWeight(model: Graph, name: string): TensorType {
  const weight = model.initializers.get(name);
  if (!weight) throw new TrainError(`graph "${model.name}" has no weight "${name}"`);
  if (isSparse(weight)) throw new TrainError(`weight "${name}" is sparse: it cannot be trained`);
  return { type: weight.type, shape: weight.dims };
}

/** Loss, accuracy and gradients of one batch, with the weights as inputs `weight/<name>`. */
function stepGraph(model: Graph, weights: readonly string[], options: TrainingOptions): Graph {
  const rename = new Map(weights.map((name) => [name, weightKey(name)]));
  const whole = objective(weightsAsInputs(model, rename), options.loss, options);
  const of = whole.outputs.some((o) => o.name === "penalized") ? "penalized" : "loss";
  return gradient(whole, { wrt: [...rename.values()], of: [of], unitSeeds: true });
}

const scalar = (type: "int64" | "float64" | "float32"): TensorType => ({ type, shape: [] });

/** A chunk of steps of any step graph: outputs `loss` and, for each weight, its gradient. */
export function chunkGraph(
  step: Graph,
  states: Types,
  weights: readonly string[],
  options: TrainingOptions,
): Graph {
  const inner = new Set([...weights.map(weightKey), "target", "signs"]);
  const [x, ...others] = step.inputs.filter((i) => !inner.has(i.name));
  if (!x || others.length > 0)
    throw new TrainError(`training needs a graph with one input, not ${others.length + (x ? 1 : 0)}`);
  const target = step.inputs.find((i) => i.name === "target")!;
  const float = states[weightKey(weights[0]!)]!.type as "float32";
  const masked = weights.filter((name) => options.masks?.[name] !== undefined);
  const inputs: Types = {
    x: allExamples(x.type as TensorType),
    target: allExamples(target.type as TensorType),
    step: scalar("int64"),
    until: scalar("int64"),
    rates: { type: float, shape: ["steps"] },
    seed: scalar("int64"),
    limit: scalar(float),
    floor: scalar(float),
    ...states,
    ...Object.fromEntries(masked.map((name) => [maskKey(name), states[weightKey(name)]!])),
  };
  const builder = new Builder();
  const short = shortened(step);
  const body = (given: Values): Values => {
    const run = { step: short, input: x.name, given, weights, options };
    const batch = batchOf(options);
    const result = batch === "full" ? wholeBatches(run) : epochs(run, batch);
    const { step: reached, ...after } = result.states;
    const named = Object.fromEntries(Object.entries(after).map(([key, v]) => [`${key}:next`, v]));
    return { ...named, reached: reached!, ...result.traces };
  };
  return finish(builder, inputs, body, { name: "training", nested: false });
}

const allExamples = ({ type, shape }: TensorType): TensorType => ({
  type,
  ...(shape ? { shape: ["M", ...shape.slice(1)] } : {}),
});
