// A network with what its layers read, and what comes back to their outputs from a seed at the network's output.
import { Builder } from "../../graph/builder.ts";
import { GraphError } from "../../graph/error.ts";
import { finish } from "../../graph/finish.ts";
import { type Graph, isTensorType, requiredInputs, type TensorType } from "../../graph/graph.ts";
import { inferTypes } from "../../graph/infer.ts";
import { prune } from "../../graph/prune.ts";
import type { Values } from "../../graph/value.ts";
import { widened } from "../../graph/widen.ts";
import { expand } from "../../passes/gradient/expand.ts";
import { reshapeLike, zerosLike } from "../../passes/gradient/shapes.ts";
import { gradientPass } from "../../passes/gradient.ts";
import { batchFree, trainableWeights } from "../../train/weights.ts";
import { KernelError } from "../error.ts";
import { type LayerUse, layerUse } from "./layers.ts";

export interface BackwardModel {
  /** The network itself, in float64. */
  readonly model: Graph;
  readonly input: string;
  readonly output: string;
  readonly uses: readonly LayerUse[];
  /** From the input and `seed` to `operand k` and `back k` for each use but the others. */
  readonly graph: Graph | undefined;
}

/** The names under which a use's operand and what comes back are found. */
export const operandKey = (k: number): string => `operand_${k}`;
export const backKey = (k: number): string => `back_${k}`;

/** Reads a network, and writes the graph that gives its layers' operands and what comes back to them. */
export function backwardModel(
  original: Graph,
  wrt: readonly string[] = trainableWeights(original),
): BackwardModel {
  const wide = widened(original);
  if (!wide)
    throw new KernelError("the tangent kernel of a graph with bodies or sparse weights is not supported");
  const [input, ...others] = requiredInputs(wide);
  const [output, another] = wide.outputs;
  if (!input || others.length > 0 || !output || another)
    throw new KernelError(
      `a tangent kernel is of a graph with one input and one output, not ${others.length + (input ? 1 : 0)} and ${wide.outputs.length}`,
    );
  if (wrt.length === 0) throw new KernelError("the network has no weights");
  const lost = wrt.find((name) => !wide.initializers.has(name));
  if (lost !== undefined) throw new KernelError(`the network has no weight "${lost}"`);
  const model = batchFree(wide);
  const types = inferTypes(model);
  const uses = wrt.map((weight) => layerUse(model, weight, (name) => types.get(name)?.shape?.length));
  const graph = uses.some(({ kind }) => kind !== "other") ? written(model, uses) : undefined;
  return { model, input: input.name, output: output.name, uses, graph };
}

function written(model: Graph, uses: readonly LayerUse[]): Graph {
  const [input, output] = [model.inputs[0]!, model.outputs[0]!.name];
  const wanted = new Set(uses.flatMap((use) => (use.kind === "other" ? [] : [use.output])));
  const graph = expand(model, [output], wanted);
  if (!isTensorType(input.type)) throw new GraphError(`input "${input.name}" is not a tensor`);
  const builder = new Builder();
  const types: Record<string, TensorType> = {
    [input.name]: input.type,
    seed: { type: "float64", shape: inferTypes(graph).get(output)?.shape },
  };
  const body = (given: Values): Values => {
    const values = builder.trace(graph, { [input.name]: given[input.name]! });
    const seed = given["seed"]!;
    const back = gradientPass(graph, values, new Map([[output, seed]]), wanted);
    const results: Record<string, Values[string]> = {};
    uses.forEach((use, k) => {
      if (use.kind === "other") return;
      const [y, g] = [values.get(use.output)!, back.get(use.output)];
      results[backKey(k)] = g ? reshapeLike(g, y) : zerosLike(y);
      if (use.kind !== "bias") results[operandKey(k)] = values.get(use.operand)!;
    });
    return results;
  };
  const result = finish(builder, types, body, { name: `${graph.name}_layers`, nested: false });
  return prune({ ...result, opsets: graph.opsets, functions: graph.functions });
}
