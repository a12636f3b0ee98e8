// One run: its state, steps forward, and what the network of a state does.
import { release, run as runGraph } from "@lemmata/core/engine";
import {
  elementCount,
  type Graph,
  isSparse,
  numbers,
  type Tensor,
  tensor,
  writeModel,
} from "@lemmata/core/graph";
import {
  advance,
  initialNetwork,
  initialState,
  objective,
  rates,
  type TrainingState,
  trainedModel,
  training,
} from "@lemmata/core/train";
import { marginsFrom } from "./margins.ts";
import { gridSize, type PlaneBox, type Score, type Weight } from "./messages.ts";
import { batchFor, specOf, stepsPerEpoch } from "./run-plan.ts";
import type { Settings } from "./settings.ts";
import type { Part, Task } from "./task.ts";

/** A loss so many times the first one (or this many, if that is more) will not come back. */
const diverging = 1e8;

export interface Divergence {
  readonly loss: number;
  readonly badStep: number;
}

export interface Judged extends Score {
  readonly scores: Float32Array;
  readonly margins: Float32Array;
}

export interface Trainer {
  readonly step: number;
  readonly parameters: number;
  /** Numbers of one input. */
  readonly inputs: number;
  readonly perEpoch: number;
  /** Makes steps of a run of `steps`; where the loss diverges, the weights from before stay. */
  readonly advance: (count: number, plan: Settings, steps: number) => Promise<Divergence | undefined>;
  readonly reset: () => void;
  /** Marks the weights of now as good, or goes back to those that last were. */
  readonly keep: () => void;
  readonly back: () => void;
  readonly scores: (x: Tensor) => Promise<Float32Array>;
  readonly judge: (part: Part) => Promise<Judged>;
  readonly weights: () => readonly Weight[];
  readonly model: () => Uint8Array;
  /** Frees what the runtime holds. */
  readonly close: () => Promise<void>;
}

export function trainerFor(settings: Settings, task: Task): Trainer {
  const { loss, optimizer, weightDecay, l1, proximalL1, seed } = settings;
  const examples = task.train.classes.length;
  const run = training(initialNetwork(specOf(settings), { seed, type: "float32" }), {
    ...{ loss, optimizer, weightDecay, l1, proximalL1 },
    batch: batchFor(settings, examples),
  });
  const start = initialState(run, seed);
  const forward = withOpenWeights(run.model, run.weights);
  const judgement = objective(forward, loss);
  const output = forward.outputs[0]!.name;
  const input = forward.inputs[0]!.name;
  const parameters = run.weights.reduce((n, name) => n + start.tensors[`weight/${name}`]!.data.length, 0);
  let [state, good]: [TrainingState, TrainingState] = [start, start];
  let limit = Number.MAX_VALUE;
  const given = () => Object.fromEntries(run.weights.map((name) => [name, state.tensors[`weight/${name}`]!]));
  const scores = async (x: Tensor): Promise<Float32Array> => {
    const found = await runGraph(forward, { ...given(), [input]: x }, { threads: 1 });
    return found[output]!.data as Float32Array;
  };
  return {
    get step() {
      return state.step;
    },
    parameters,
    inputs: elementCount(task.train.x.dims.slice(1)),
    perEpoch: stepsPerEpoch(settings, examples),
    async advance(count, { rate, schedule }, steps) {
      const until = Math.min(steps, state.step + count);
      const plan = rates({ rate, schedule }, state.step, until, steps);
      const next = await advance(run, state, task.train, { rates: plan, limit, threads: 1 });
      if (next.stopped === "limit")
        return { loss: next.losses.at(-1)!, badStep: state.step + next.losses.length };
      if (limit === Number.MAX_VALUE) limit = diverging * Math.max(1, next.losses[0] ?? 1);
      state = next.state;
      return undefined;
    },
    reset() {
      [state, good, limit] = [start, start, Number.MAX_VALUE];
    },
    keep() {
      good = state;
    },
    back() {
      state = good;
    },
    scores,
    async judge({ x, target, classes }) {
      const found = await runGraph(judgement, { ...given(), [input]: x, target }, { threads: 1 });
      const all = await scores(x);
      const margins = marginsFrom(all, classes);
      const right = margins.reduce((n, m) => (m > 0 ? n + 1 : n), 0);
      return {
        loss: numbers(found["loss"]!)[0]!,
        accuracy: right / classes.length,
        scores: all,
        margins,
      };
    },
    weights: () =>
      run.weights.map((name) => {
        const { dims, data } = state.tensors[`weight/${name}`]!;
        return { name, dims, data: data as Float32Array };
      }),
    model: () => writeModel(trainedModel(run, state)),
    close: async () => {
      for (const graph of [run.graph, forward, judgement]) await release(graph);
    },
  };
}

/** The network with its weights as inputs: one session for all states of a run. */
function withOpenWeights(model: Graph, names: readonly string[]): Graph {
  const open = new Set(names);
  const inputs = names.map((name) => {
    const weight = model.initializers.get(name);
    if (!weight || isSparse(weight)) throw new Error(`the network has no weight "${name}"`);
    return { name, type: { type: weight.type, shape: weight.dims } };
  });
  return {
    ...model,
    inputs: [...model.inputs, ...inputs],
    initializers: new Map([...model.initializers].filter(([name]) => !open.has(name))),
  };
}

/** The centres of the cells of a square, row by row from the top. */
export function gridOf({ lower, upper }: PlaneBox): Tensor {
  const points = new Float32Array(2 * gridSize ** 2);
  const at = (axis: 0 | 1, k: number) => lower[axis] + ((upper[axis] - lower[axis]) * (k + 0.5)) / gridSize;
  for (let row = 0; row < gridSize; row++)
    for (let column = 0; column < gridSize; column++) {
      const place = 2 * (row * gridSize + column);
      points[place] = at(0, column);
      points[place + 1] = at(1, gridSize - 1 - row);
    }
  return tensor(points, { type: "float32", dims: [gridSize ** 2, 2] });
}
