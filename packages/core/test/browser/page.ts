// Runs in the browser (and, for comparison, in Node): the same library calls, results as plain JSON.

import { run } from "../../src/engine/run.ts";
import { float32, float64, graph } from "../../src/graph/builder.ts";
import { equalGraphs } from "../../src/graph/equal.ts";
import { readModel, writeModel } from "../../src/graph/onnx/index.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { findLemma } from "../../src/theory/registry.ts";
import { twoMoons } from "../../src/train/data/plane.ts";
import { initialNetwork } from "../../src/train/network.ts";
import { score } from "../../src/train/score.ts";
import { train } from "../../src/train/train.ts";

export interface Findings {
  readonly claims: readonly (readonly [string, number, boolean])[];
  readonly outputs: Readonly<Record<string, readonly number[]>>;
  readonly random: readonly number[];
  readonly roundTrip: boolean;
}

export async function findings(): Promise<Findings> {
  const lemma = await (await findLemma("T-27")).run({ i: 5 });
  const affine = (type: typeof float32) =>
    graph({ x: type("N", 2) }, ({ x }) => ({
      y: x
        .affine(
          [
            [1, -2],
            [0.5, 3],
          ],
          [0.25, -1],
        )
        .relu(),
    }));
  const outputs: Record<string, number[]> = {};
  for (const [name, type] of [
    ["float32", float32],
    ["float64", float64],
  ] as const) {
    const { y } = await run(
      affine(type),
      {
        x: tensor(
          [
            [0.1, 0.2],
            [3, -4],
          ],
          { type: name },
        ),
      },
      { threads: 1 },
    );
    outputs[name] = [...numbers(y!)];
  }
  const random = createRandom(42);
  return {
    claims: lemma.claims.map((c) => [c.name, c.measured, c.holds] as const),
    outputs,
    random: [
      ...random.uniform(3),
      ...random.normal(1000).subarray(990),
      ...random.permutation(5),
      ...random.sphere(3),
    ],
    roundTrip: equalGraphs(lemma.graph!, readModel(writeModel(lemma.graph!))),
  };
}

export interface TrainingFindings {
  readonly losses: readonly number[];
  readonly accuracy: number;
  readonly steps: number;
}

/** The loop of a whole training run, as one graph: batches, shuffling, Adam. */
export async function trainingFindings(): Promise<TrainingFindings> {
  const { x, y } = twoMoons(200, { seed: 3, noise: 0.1 });
  const data = { x: tensor(numbers(x), { type: "float64", dims: x.dims }), target: y };
  const net = initialNetwork("2-16-tanh-16-tanh-2", { seed: 1, type: "float64" });
  const options = {
    loss: "cross-entropy",
    optimizer: "adam",
    rate: 0.02,
    batch: 32,
    epochs: 30,
    seed: 5,
  } as const;
  const result = await train(net, data, { ...options, threads: 1 });
  const { accuracy } = await score(result.training, result.state, data, { threads: 1 });
  return { losses: result.losses, accuracy: accuracy!, steps: result.state.step };
}
