// The cases of the operator table as points at which a derivative exists: in float64, away from kinks, ties and poles.

import { run } from "../../src/engine/run.ts";
import { graph } from "../../src/graph/builder.ts";
import type { Graph, Node, TensorType } from "../../src/graph/graph.ts";
import { inferTypes } from "../../src/graph/infer.ts";
import type { OperatorName } from "../../src/graph/operators/index.ts";
import { prune } from "../../src/graph/prune.ts";
import {
  cast,
  elementCount,
  isFloat,
  type NumericType,
  type Tensor,
  tensor,
} from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { gradient } from "../../src/passes/gradient.ts";
import { graphOfCase, inputName, nodeWith, type OperatorCase } from "../graph/operators-runtime.ts";
import { randomTensor } from "./gradient-check.ts";

type Range = readonly [number, number];
const positive: Range = [0.3, 2];
const unit: Range = [-0.85, 0.85];
/** Where the function is defined and its third derivative is small enough for central differences. */
const domains: Partial<Record<OperatorName, Range>> = {
  Div: positive,
  Mod: positive,
  Pow: positive,
  Reciprocal: positive,
  Log: positive,
  Sqrt: positive,
  ReduceLogSum: positive,
  Acosh: [1.2, 3],
  Asin: unit,
  Acos: unit,
  Atanh: unit,
  Tan: unit,
  Dropout: unit,
  Range: positive,
};

/**
 * Different numbers of a grid of hundredths that is shifted off all kinks of the operators (multiples of 0.1), so that
 * neither a tie nor a kink is nearer than a central difference reaches.
 */
export function gridPoints(count: number, [low, high]: Range, seed: number): number[] {
  const random = createRandom(seed);
  const size = Math.floor((high - low) / 0.01) - 1;
  if (count > size) throw new Error(`${count} different points do not fit into ${low} .. ${high}`);
  const places = Array.from({ length: size }, (_, k) => k);
  return Array.from({ length: count }, (_, k) => {
    const at = k + Math.floor(random.uniform() * (size - k));
    [places[k], places[at]] = [places[at]!, places[k]!];
    return Math.round(low * 100) / 100 + 0.01 * places[k]! + 0.0037;
  });
}

export interface SmoothCase {
  readonly graph: Graph;
  readonly inputs: Readonly<Record<string, Tensor>>;
}

/** A case with all its floating-point tensors as inputs; outputs that are no floats are cast to such. */
export function smoothCase(
  op: OperatorName,
  usage: OperatorCase,
  seed = 1,
  typeOf?: (t: Tensor, k: number) => TensorType,
): SmoothCase {
  const domain = domains[op] ?? [-2.2, 2.3];
  const float = (t: Tensor | ""): t is Tensor => t !== "" && isFloat(t.type);
  const counts = usage.inputs.map((t) => (float(t) ? elementCount(t.dims) : 0));
  const points = gridPoints(
    counts.reduce((a, b) => a + b, 0),
    domain,
    seed,
  );
  const inputs = usage.inputs.map((t, k) => {
    if (!float(t)) return t;
    const from = counts.slice(0, k).reduce((a, b) => a + b, 0);
    return tensor(points.slice(from, from + counts[k]!), { type: "float64", dims: t.dims });
  });
  const weights = usage.weights?.filter((k) => !float(usage.inputs[k]!));
  const graph = withFloatOutputs(graphOfCase(op, { ...usage, inputs, weights }, typeOf));
  const fed = inputs.flatMap((t, k) =>
    t === "" || weights?.includes(k) ? [] : [[inputName(k), t] as const],
  );
  return { graph, inputs: Object.fromEntries(fed) };
}

/** The same case in float32. */
export function smoothCaseInFloat32(op: OperatorName, usage: OperatorCase, seed: number): SmoothCase {
  const single = (t: Tensor): Tensor => (t.type === "float64" ? cast(t, "float32") : t);
  const { graph, inputs } = smoothCase(op, usage, seed, (t) => ({ type: single(t).type, shape: t.dims }));
  return { graph, inputs: Object.fromEntries(Object.entries(inputs).map(([name, t]) => [name, single(t)])) };
}

/** Outputs that are no floats are cast to such. */
export function withFloatOutputs(graph: Graph): Graph {
  const types = inferTypes(graph);
  const casts: Node[] = [];
  const outputs = graph.outputs.map(({ name }) => {
    if (isFloat(types.get(name)?.type ?? "undefined")) return { name, type: { type: types.get(name)!.type } };
    casts.push(nodeWith("Cast", [name], [`${name}_float`], { to: { type: "int", value: 11n } }));
    return { name: `${name}_float`, type: { type: "float64" as const } };
  });
  return {
    ...graph,
    nodes: [...graph.nodes, ...casts.map((node) => ({ ...node, name: node.outputs[0]! }))],
    outputs,
  };
}

/** Declares every dimension under a name of its own. */
export const dimensionsByName = ({ type, dims }: Tensor, k: number): TensorType => ({
  type,
  shape: dims.map((_, axis) => `${inputName(k)}_${axis}`),
});

/** The gradients alone, as a function of the inputs and of the cotangents, which are random numbers here. */
export async function gradientAsFunction(
  original: Graph,
  inputs: Readonly<Record<string, Tensor>>,
): Promise<SmoothCase> {
  const derivative = gradient(original);
  const values = await run(original, inputs, { threads: 1 });
  const own = (name: string) => name.replace(/^seed_/, "cotangent_");
  const types = Object.fromEntries(derivative.inputs.map((i) => [own(i.name), i.type as TensorType]));
  const cotangents = derivative.inputs
    .filter((i) => i.name.startsWith("seed_"))
    .map(
      (i, k) =>
        [
          own(i.name),
          cast(randomTensor(values[i.name.slice(5)]!.dims, 31 + k), i.type.type as NumericType),
        ] as const,
    );
  const alone = graph(types, (given) => {
    const fed = Object.fromEntries(derivative.inputs.map((i) => [i.name, given[own(i.name)]!]));
    const outputs = Object.values(given)[0]!.builder.inline(derivative, fed);
    return Object.fromEntries(
      Object.entries(outputs)
        .filter(([name]) => name.startsWith("grad_"))
        .map(([name, value]) => [`d_${name}`, value]),
    );
  });
  return { graph: prune(alone), inputs: { ...inputs, ...Object.fromEntries(cotangents) } };
}
