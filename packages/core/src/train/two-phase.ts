// Two-phase training (book, chapter 2, section 2.5.3): a first part of the data shapes the gates, which are then frozen;
// all data train what is left, which is linear in the path weights.
import type { Graph } from "../graph/graph.ts";
import type { TrainingData } from "./advance.ts";
import { takeRows } from "./data/dataset.ts";
import { TrainError } from "./error.ts";
import { frozenGates } from "./frozen-gates.ts";
import { type Trained, type TrainOptions, train } from "./train.ts";
import { trainableWeights } from "./weights.ts";

export interface TwoPhaseOptions extends TrainOptions {
  /** The share of the examples, the first ones, that the first phase sees. */
  readonly alpha: number;
  /** What is different in the second phase. */
  readonly second?: Partial<TrainOptions>;
}

export interface TwoPhases {
  /** The standard phase: its model has the weights of the gates. */
  readonly first: Trained;
  /** The freeze phase: its model computes (2.3), with the gates as weights `gates.<name>`. */
  readonly second: Trained;
  /** The trained weights alone, in the architecture that was given. */
  readonly weights: Graph;
}

/**
 * Trains on the first alpha m examples, freezes the gates, and goes on with all m.
 * @example (await trainTwoPhases(initialNetwork("1-8-relu-1"), { x: tensor([[0], [1]], { type: "float32" }), target: tensor([[1], [0]], { type: "float32" }) }, { loss: "square", alpha: 0.5, steps: 2 })).second.steps // 2
 */
export async function trainTwoPhases(
  model: Graph,
  data: TrainingData,
  { alpha, second: other, ...options }: TwoPhaseOptions,
): Promise<TwoPhases> {
  const m = data.x.dims[0]!;
  const few = Math.floor(alpha * m + 1e-9); // 0.3 of 10 is 3, whatever its last digit
  if (!(few >= 1 && few <= m))
    throw new TrainError(
      `alpha = ${alpha} of ${m} examples: the first phase needs at least one, and has at most all`,
    );
  const rows = Array.from({ length: few }, (_, i) => i);
  const part = { x: takeRows(data.x, rows), target: takeRows(data.target, rows) };
  const first = await train(model, part, options);
  const weights = trainableWeights(first.model);
  const second = await train(frozenGates(first.model), data, { ...options, ...other, weights });
  const initializers = new Map(first.model.initializers);
  for (const name of weights) initializers.set(name, second.model.initializers.get(name)!);
  return { first, second, weights: { ...first.model, initializers } };
}
