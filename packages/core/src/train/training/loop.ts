// The loops of a training graph: steps within an epoch, epochs within a chunk.

import type { Graph } from "../../graph/graph.ts";
import { loop, seen, type Turn } from "../../graph/looping.ts";
import { tensor } from "../../graph/tensor.ts";
import type { Values } from "../../graph/value.ts";
import { Value } from "../../graph/value.ts";
import { defaultCoefficients, optimizers } from "../optimizer.ts";
import { averaged, clippedByNorm, penalized, proximal } from "../penalty.ts";
import { shuffled, signs } from "../shuffle.ts";
import { averageKey, maskKey, slotKey, weightKey } from "../state.ts";
import type { TrainingOptions } from "./options.ts";

/** What the loops of a chunk read. */
export interface Chunk {
  /** Loss and gradients of a batch. */
  readonly step: Graph;
  /** The name of the network's input there. */
  readonly input: string;
  /** The inputs of the training graph. */
  readonly given: Values;
  readonly weights: readonly string[];
  readonly options: TrainingOptions;
}

interface Chunked {
  /** The state after the last step, and `step`, how many steps there have been since the beginning of the run. */
  readonly states: Values;
  readonly traces: Values;
}

const integer = (like: Value, value: number): Value =>
  like.builder.weight(tensor(value, { type: "int64" }), "i");
const statesOf = ({ given }: Chunk): Values =>
  Object.fromEntries(Object.entries(given).filter(([key]) => key.includes("/") && !key.startsWith("mask/")));
const lengthOf = (list: Value): Value => list.op("Shape", [], { start: 0, end: 1 }).reshape([]);

/** Every step sees all examples. */
export function wholeBatches(chunk: Chunk): Chunked {
  const { x, target, step, until } = chunk.given;
  const { states, traces } = loop(until!.sub(step!), statesOf(chunk), (turn, now) => {
    const [input, wanted] = [seen(x!, turn.builder), seen(target!, turn.builder)];
    return oneStep(chunk, now, { input, wanted, done: turn });
  });
  return { states: { ...states, step: step!.add(lengthOf(traces.losses!)) }, traces };
}

/** Epochs in random order, in batches; the last batch of an epoch may be smaller. A chunk may begin and end anywhere. */
export function epochs(chunk: Chunk, batch: number): Chunked {
  const { x, step, until, seed } = chunk.given;
  const examples = lengthOf(x!);
  const perEpoch = examples.add(integer(x!, batch - 1)).div(integer(x!, batch));
  const float = chunk.given.rates!.type.type as "float32";
  const empty = x!.builder.weight(tensor([], { type: float, dims: [0] }), "none");
  const none = new Value(x!.builder, empty.name, { type: float, shape: [undefined] }); // it grows
  const first = { ...statesOf(chunk), step: step!, losses: none, accuracies: none };
  // No chunk has more epochs than steps.
  const { states } = loop(until!.sub(step!), first, (_, { step: now, losses, accuracies, ...state }) => {
    const here = (value: Value) => seen(value, now!.builder);
    const epoch = now!.div(here(perEpoch));
    const from = now!.sub(epoch.mul(here(perEpoch)));
    const order = shuffled(here(examples), here(seed!), epoch);
    const turns = here(perEpoch).sub(from).min(here(until!).sub(now!));
    const inner = loop(turns, state, (turn, at) =>
      batchStep(chunk, at, { turn, from, now: now!, order, batch }),
    );
    const next = now!.add(lengthOf(inner.traces.losses!));
    const last = inner.traces.losses!.op("Gather", [integer(now!, -1)], { axis: 0 });
    return {
      go: goesOn(chunk, last).op("And", [next.op("Less", [until!])]),
      states: {
        ...inner.states,
        step: next,
        losses: losses!.concat([inner.traces.losses!], 0),
        accuracies: inner.traces.accuracies ? accuracies!.concat([inner.traces.accuracies], 0) : accuracies!,
      },
      traces: {},
    };
  });
  const { losses, accuracies, ...rest } = states;
  return { states: rest, traces: { losses: losses!, accuracies: accuracies! } };
}

interface Place {
  readonly turn: Value;
  readonly from: Value;
  readonly now: Value;
  readonly order: Value;
  readonly batch: number;
}

function batchStep(chunk: Chunk, state: Values, { turn, from, now, order, batch }: Place): Turn {
  const { builder } = turn;
  const start = turn.add(from).mul(integer(turn, batch)).reshape([1]);
  const [examples] = builder.apply("Slice", [order, start, start.add(integer(turn, batch))]);
  const rows = (data: Value): Value => builder.apply("Gather", [data, examples], { axis: 0 })[0]!;
  const done = turn.add(now).sub(chunk.given.step!);
  return oneStep(chunk, state, { input: rows(chunk.given.x!), wanted: rows(chunk.given.target!), done });
}

interface Batch {
  readonly input: Value;
  readonly wanted: Value;
  /** Steps since the beginning of the chunk. */
  readonly done: Value;
}

function oneStep(chunk: Chunk, state: Values, { input, wanted, done }: Batch): Turn {
  const { builder } = done;
  const { step, given, weights, options } = chunk;
  const coins: Values = options.darc ? { signs: signsOf(chunk, input, done) } : {};
  const found = builder.inline(step, { ...state, [chunk.input]: input, target: wanted, ...coins });
  const rate = builder.apply("Gather", [given.rates, done], { axis: 0 })[0]!;
  const time = done.add(given.step!).cast("float64");
  const plain = weights.map((name) => {
    const [slope, mask] = [found[`grad_${weightKey(name)}`]!, given[maskKey(name)]];
    return mask ? slope.mul(mask) : slope; // a weight that is 0 with slope 0 stays 0 under every optimizer and penalty
  });
  const gradients = options.clip === undefined ? plain : clippedByNorm(plain, options.clip);
  const states = Object.assign(
    {},
    ...weights.map((name, k) => updated(chunk, state, { name, gradient: gradients[k]!, rate, time })),
  );
  const accuracy = found.accuracy;
  return {
    go: goesOn(chunk, found.loss!),
    states,
    traces: { losses: found.loss!, ...(accuracy ? { accuracies: accuracy } : {}) },
  };
}

/** A sign for each example of the batch, another draw in every step. */
const signsOf = ({ given }: Chunk, input: Value, done: Value): Value =>
  signs(lengthOf(input), seen(given.seed!, done.builder), done.add(given.step!)).op("CastLike", [
    given.rates!,
  ]);

interface Gradient {
  readonly name: string;
  readonly gradient: Value;
  readonly rate: Value;
  readonly time: Value;
}

const adamwDecay = 0.01;

/** The next value of a weight and of all that goes with it. */
function updated({ options }: Chunk, state: Values, { name, gradient, rate, time }: Gradient): Values {
  const decoupled = options.optimizer === "adamw";
  const optimizer = optimizers[options.optimizer ?? "sgd"]({ ...defaultCoefficients, ...options });
  const weight = state[weightKey(name)]!;
  const { proximalL1, averaging } = options;
  const weightDecay = options.weightDecay ?? (decoupled ? adamwDecay : 0);
  const after = optimizer.update({
    weight: decoupled && weightDecay ? weight.sub(weight.mul(rate.mul(weightDecay))) : weight,
    gradient: penalized(gradient, weight, decoupled ? { ...options, weightDecay: 0 } : options),
    rate,
    step: time,
    slots: Array.from({ length: optimizer.slots }, (_, k) => state[slotKey(name, k)]!),
  });
  const next = proximalL1 ? proximal(after.weight, rate, proximalL1) : after.weight;
  const average = state[averageKey(name)];
  const decay = typeof averaging === "number" ? averaging : undefined;
  return {
    [weightKey(name)]: next,
    ...Object.fromEntries(after.slots.map((slot, k) => [slotKey(name, k), slot])),
    ...(average ? { [averageKey(name)]: averaged(average, next, time, decay) } : {}),
  };
}

/** Below the limit (which a NaN is not) and above the floor. */
function goesOn({ given }: Chunk, loss: Value): Value {
  return loss.op("Less", [given.limit]).op("And", [loss.op("Greater", [given.floor])]);
}
