// The score of a network around one example, as the methods take it.
import type { Graph } from "../graph/graph.ts";
import { type Tensor, tensor } from "../graph/tensor.ts";
import type { Target } from "../passes/relevance.ts";
import { prepare } from "./prepare.ts";
import { ScoreModel } from "./score-model.ts";

/**
 * The score of a class at an example, in f64; batch normalization and a softmax at the end are taken care of.
 * @example (await modelAt(net, { x: tensor([[0.5]]) }, { kind: "class", index: 0 })).size // 1
 */
export const modelAt = async (
  graph: Graph,
  inputs: Readonly<Record<string, Tensor>>,
  target: Exclude<Target, { kind: "predicted" | "given" }> = { kind: "class", index: 0 },
): Promise<ScoreModel> => ScoreModel.create(await prepare(graph, inputs, { precision: "float64" }), target);

/** An example of one row: `{ x: [1, d] }`. */
export const row = (x: ArrayLike<number>): { readonly x: Tensor } => ({
  x: tensor(Float64Array.from(x), { type: "float64", dims: [1, x.length] }),
});
