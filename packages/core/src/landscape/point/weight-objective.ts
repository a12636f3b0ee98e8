// What training minimizes, as a function of all weights of a network: loss + (decay / 2) |w|^2, its gradient, its curvature.
import { run } from "../../engine/run.ts";
import { GraphError } from "../../graph/error.ts";
import type { Graph } from "../../graph/graph.ts";
import { requiredInputs } from "../../graph/graph.ts";
import { cast, isFloat, numbers, type Tensor } from "../../graph/tensor.ts";
import { widened } from "../../graph/widen.ts";
import { batchRows } from "../../measures/predictions.ts";
import { weightsOf } from "../../measures/weight-risk.ts";
import { gradient } from "../../passes/gradient.ts";
import { hessianVectorProduct } from "../../passes/hessian.ts";
import type { TrainingData } from "../../train/advance.ts";
import { type LossName, objective } from "../../train/loss.ts";
import { weightKey } from "../../train/state.ts";
import { batchFree, weightsAsInputs } from "../../train/weights.ts";

export interface WeightObjective {
  readonly graph: Graph;
  readonly names: readonly string[];
  /** The weights as they are, one after the other. */
  readonly start: Float64Array;
  readonly examples: number;
  /** How far products may be off by rounding, relative to the greatest of them: a guess for the type. */
  readonly rounding: number;
  value(theta: Float64Array): Promise<number>;
  gradient(theta: Float64Array): Promise<Float64Array>;
  /** H v at theta. */
  curvature(theta: Float64Array, v: Float64Array): Promise<Float64Array>;
}

export interface ObjectiveOptions {
  readonly loss: LossName;
  /** The penalty is (decay / 2) |w|^2, as weight decay of train adds decay w to the gradient. */
  readonly decay?: number;
  /** Examples that are looked at together. */
  readonly batch?: number;
}

/** Up to so many weights the network is computed in f64, where that can be done. */
const wideLimit = 50_000;

/**
 * The objective of a network on data; the graphs of derivatives are written when they are asked for.
 * @example await weightObjective(denseNetwork([{ W: [[3]] }], "linear"), { x: tensor([[1]]), target: tensor([[1]]) }, { loss: "square", decay: 2 }).value(Float64Array.of(3)) // 13
 */
export function weightObjective(
  given: Graph,
  { x, target }: TrainingData,
  { loss, decay = 0, batch = 1000 }: ObjectiveOptions,
): WeightObjective {
  const own = batchFree(given);
  const isSmall = weightsOf(own).start.length <= wideLimit;
  const graph = (isSmall ? widened(own) : undefined) ?? own;
  const { names, start, tensors } = weightsOf(graph);
  if (names.length === 0) throw new GraphError("the network has no weights");
  const input = requiredInputs(graph)[0]!;
  const type = graph.initializers.get(names[0]!)!.type as "float32" | "float64";
  const typed = (t: Tensor): Tensor => (isFloat(t.type) ? cast(t, type) : t);
  const [xs, targets] = [typed(x), typed(target)];
  const keys = names.map(weightKey);
  const rename = new Map(names.map((name, k) => [name, keys[k]!]));
  const whole = objective(weightsAsInputs(graph, rename), loss);
  const slope = once(() => gradient(whole, { wrt: keys, of: ["loss"], unitSeeds: true }));
  const second = once(() => hessianVectorProduct(whole, { wrt: keys, of: ["loss"] }));
  const examples = xs.dims[0]!;
  const running = isSmall ? { threads: 1 } : {};

  const overBatches = async (
    of: Graph,
    weights: Readonly<Record<string, Tensor>>,
    outputs: readonly string[],
    take: (found: Readonly<Record<string, Tensor>>, share: number) => void,
  ): Promise<void> => {
    for (let from = 0; from < examples; from += batch) {
      const to = Math.min(examples, from + batch);
      const inputs = {
        ...weights,
        [input.name]: batchRows(xs, from, to),
        target: batchRows(targets, from, to),
      };
      take(await run(of, inputs, { ...running, outputs }), (to - from) / examples);
    }
  };
  /** Parts of a vector under these names, in the mean over batches, and what the penalty adds. */
  const vectors = async (
    of: Graph,
    weights: Readonly<Record<string, Tensor>>,
    prefix: string,
    penalized: Float64Array,
  ): Promise<Float64Array> => {
    const sum = penalized.map((w) => decay * w);
    const outputs = keys.map((key) => prefix + key);
    await overBatches(of, weights, outputs, (found, share) => {
      let at = 0;
      for (const name of outputs) for (const part of numbers(found[name]!)) sum[at++]! += share * part;
    });
    return sum;
  };
  return {
    graph,
    names,
    start,
    examples,
    rounding: type === "float64" ? 2 ** -40 : 2 ** -16,
    async value(theta) {
      let mean = 0;
      await overBatches(whole, tensors(theta, weightKey), ["loss"], (found, share) => {
        mean += share * numbers(found["loss"]!)[0]!;
      });
      return mean + (decay / 2) * theta.reduce((sum, w) => sum + w * w, 0);
    },
    gradient: (theta) => vectors(slope(), tensors(theta, weightKey), "grad_", theta),
    curvature: (theta, v) => {
      const directions = tensors(v, (name) => `vector_${weightKey(name)}`);
      return vectors(second(), { ...tensors(theta, weightKey), ...directions }, "hessian_", v);
    },
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
