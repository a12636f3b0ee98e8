// A path between two networks along which the loss is low, by training its bends (Garipov et al. 2018; Draxler et al. 2018): each
// step lowers the loss at a random place of the path.
import type { Graph } from "../../graph/graph.ts";
import { numbers, type Tensor } from "../../graph/tensor.ts";
import { weightsOf } from "../../measures/weight-risk.ts";
import { createRandom } from "../../numbers/random.ts";
import type { TrainingData } from "../../train/advance.ts";
import type { LossName } from "../../train/loss.ts";
import { train } from "../../train/train.ts";
import { curveGraph, placedExamples } from "./curve-graph.ts";
import type { PathKind } from "./weight-path.ts";

export interface CurveOptions {
  readonly loss: LossName;
  readonly kind: PathKind;
  /** Points of the path between its ends; default 2. */
  readonly bends?: number;
  /** Steps of Adam; default 4000. */
  readonly steps?: number;
  readonly rate?: number;
  readonly decay?: number;
  readonly seed?: number;
  readonly threads?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (share: number) => void;
}

/**
 * The points of a trained path from the weights of a network to others, its ends among them.
 */
export async function trainedCurve(
  graph: Graph,
  end: Float64Array,
  data: TrainingData,
  { loss, kind, bends = 2, steps = 4000, rate = 0.01, decay = 0, seed = 1, ...rest }: CurveOptions,
): Promise<readonly Float64Array[]> {
  const { names, start, tensors } = weightsOf(graph);
  const type = graph.initializers.get(names[0]!)!.type as "float32" | "float64";
  const curve = curveGraph(
    graph,
    names,
    tensors(end, (name) => name),
    kind,
    bends,
  );
  const { signal, onProgress, threads } = rest;
  const { model } = await train(curve.graph, placedExamples(data, type, createRandom(seed).split("places")), {
    ...{ loss, steps, rate, seed, optimizer: "adam", schedule: "cosine", batch: 128 },
    // Of the bends, not of the path's points: it guides the search alone.
    ...(decay > 0 ? { weightDecay: decay } : {}),
    weights: curve.bends.flat(),
    ...(threads === undefined ? {} : { threads }),
    ...(signal ? { signal } : {}),
    onProgress: ({ step }) => {
      onProgress?.(step / steps);
      return undefined;
    },
  });
  const joined = (of: readonly string[]): Float64Array =>
    Float64Array.from(of.flatMap((name) => [...numbers(model.initializers.get(name) as Tensor)]));
  return [start, ...curve.bends.map(joined), end];
}
