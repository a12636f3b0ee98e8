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
import { type SplitGraph, splitGraph } from "./split.ts";

export interface BackwardModel {
  /** The network itself, in float64. */
  readonly model: Graph;
  readonly input: string;
  readonly output: string;
  readonly uses: readonly LayerUse[];
  /** From the input to `operand k` for each use but the others, and from there and `seed` to `back k`. */
  readonly layers: SplitGraph | undefined;
  /** The outputs of `layers.late` with what comes back to each use; uses to which the same comes back share one. */
  readonly backs: readonly (string | undefined)[];
}

/** The name of what comes from behind. */
export const seedKey = "seed";
/** The name under which a use's operand is found. */
export const operandKey = (k: number): string => `operand_${k}`;

const models = new WeakMap<Graph, Map<string, BackwardModel>>();

/** Reads a network, and writes the graphs that give its layers' operands and what comes back to them; `wrt`: else all weights. */
export function backwardModel(original: Graph, wrt?: readonly string[]): BackwardModel {
  const known = models.get(original) ?? new Map<string, BackwardModel>();
  models.set(original, known);
  const key = JSON.stringify(wrt ?? null);
  const found = known.get(key) ?? newBackwardModel(original, wrt);
  known.set(key, found);
  return found;
}

function newBackwardModel(original: Graph, asked: readonly string[] | undefined): BackwardModel {
  const wide = widened(original);
  if (!wide)
    throw new KernelError("the tangent kernel of a graph with bodies or sparse weights is not supported");
  const wrt = asked ?? trainableWeights(wide);
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
  const given = { model, input: input.name, output: output.name, uses };
  if (uses.every(({ kind }) => kind === "other")) return { ...given, layers: undefined, backs: [] };
  const { graph, backs } = written(model, uses);
  return { ...given, layers: splitGraph(graph, seedKey), backs };
}

function written(
  model: Graph,
  uses: readonly LayerUse[],
): { readonly graph: Graph; readonly backs: readonly (string | undefined)[] } {
  const [input, output] = [model.inputs[0]!, model.outputs[0]!.name];
  const wanted = new Set(uses.flatMap((use) => (use.kind === "other" ? [] : [use.output])));
  const graph = expand(model, [output], wanted);
  if (!isTensorType(input.type)) throw new GraphError(`input "${input.name}" is not a tensor`);
  const builder = new Builder();
  const types: Record<string, TensorType> = {
    [input.name]: input.type,
    [seedKey]: { type: "float64", shape: inferTypes(graph).get(output)?.shape },
  };
  const backs: (string | undefined)[] = [];
  const body = (given: Values): Values => {
    const values = builder.trace(graph, { [input.name]: given[input.name]! });
    const seed = given[seedKey]!;
    const back = gradientPass(graph, values, new Map([[output, seed]]), wanted);
    const results: Record<string, Values[string]> = {};
    const keys = new Map<string, string>();
    uses.forEach((use, k) => {
      if (use.kind === "other") return;
      const [y, g] = [values.get(use.output)!, back.get(use.output)];
      const d = g ? reshapeLike(g, y) : zerosLike(y);
      backs[k] = keys.get(d.name) ?? `back_${k}`;
      keys.set(d.name, backs[k]);
      results[backs[k]] = d;
      if (use.kind !== "bias") results[operandKey(k)] = values.get(use.operand)!;
    });
    return results;
  };
  const result = finish(builder, types, body, { name: `${graph.name}_layers`, nested: false });
  return { graph: prune({ ...result, opsets: graph.opsets, functions: graph.functions }), backs };
}
