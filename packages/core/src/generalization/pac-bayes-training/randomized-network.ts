// A network whose weights are normal random variables: each weight has a mean and a standard deviation, as inputs.
import { Builder } from "../../graph/builder.ts";
import { finish } from "../../graph/finish.ts";
import { type Graph, isSparse, isTensorType, type Node, type TensorType } from "../../graph/graph.ts";
import { inferNode } from "../../graph/infer.ts";
import { renameNode } from "../../graph/rename.ts";
import { type Types, Value, type Values } from "../../graph/value.ts";
import { TrainError } from "../../train/error.ts";
import { batchFree } from "../../train/weights.ts";

export const meanKey = (name: string): string => `mean/${name}`;
export const deviationKey = (name: string): string => `deviation/${name}`;

export interface RandomizedNetwork {
  readonly outputs: Values;
  /**
   * Whether each example has weights of its own: so it is where every weight is in one dense layer, since then the
   * sums x W are normal and independent given x, and they are drawn instead. Else all examples of a batch share a draw.
   */
  readonly perExample: boolean;
}

/** Standard normal numbers in the shape of a value. */
export type Noise = (like: Value) => Value;

interface Walk {
  readonly builder: Builder;
  readonly values: Map<string, Value>;
  readonly weights: ReadonlyMap<string, { readonly mean: Value; readonly deviation: Value }>;
  readonly noise: Noise;
  /** Added to variances, so that their roots have derivatives. */
  readonly guard: number;
  readonly uses: ReadonlyMap<string, number>;
  shared: boolean;
}

/** Writes the randomized network into a graph; `given` holds its input, and mean and deviation of each weight. */
export function writeRandomized(
  model: Graph,
  weights: readonly string[],
  { builder, given, noise, guard = 0 }: { builder: Builder; given: Values; noise: Noise; guard?: number },
): RandomizedNetwork {
  const uses = new Map<string, number>();
  for (const { inputs } of model.nodes) for (const name of inputs) uses.set(name, (uses.get(name) ?? 0) + 1);
  const walk: Walk = {
    ...{ builder, noise, guard, uses, shared: false, values: new Map() },
    weights: new Map(
      weights.map((name) => [name, { mean: given[meanKey(name)]!, deviation: given[deviationKey(name)]! }]),
    ),
  };
  for (const { name } of model.inputs) if (given[name]) walk.values.set(name, given[name]);
  for (const [name, weight] of model.initializers)
    if (!walk.weights.has(name)) walk.values.set(name, builder.weight(weight, name));
  for (const node of model.nodes) {
    const drawn = denseSum(node, walk) ?? biasSum(node, walk);
    if (drawn) walk.values.set(node.outputs[0]!, drawn);
    else copy(node, walk, model);
  }
  const outputs = Object.fromEntries(model.outputs.map(({ name }) => [name, walk.values.get(name)!]));
  return { outputs, perExample: !walk.shared };
}

const isRows = (value: Value | undefined): boolean => value?.type.shape?.length === 2;
const attribute = ({ attributes }: Node, name: string, fallback: number): number => {
  const found = attributes.get(name);
  return found && (found.type === "int" || found.type === "float") ? Number(found.value) : fallback;
};

/** x W + b, drawn as N(x W + b, x^2 s_W^2 + s_b^2): one draw of the weights for each row of x. */
function denseSum(node: Node, walk: Walk): Value | undefined {
  const [input, matrix, bias] = node.inputs;
  const x = walk.values.get(input ?? "");
  const W = walk.weights.get(matrix ?? "");
  if (!x || !W || !isRows(x) || walk.uses.get(matrix!) !== 1) return undefined;
  if (node.op === "MatMul") return normal(walk, x.matmul(W.mean), x.mul(x).matmul(square(W.deviation)));
  const isPlain = ["alpha", "beta"].every((name) => attribute(node, name, 1) === 1);
  if (node.op !== "Gemm" || !isPlain || attribute(node, "transA", 0) !== 0) return undefined;
  const b = walk.weights.get(bias ?? "");
  if (b && walk.uses.get(bias!) !== 1) return undefined;
  const transB = attribute(node, "transB", 0);
  const mean = x.op("Gemm", [W.mean, b ? b.mean : walk.values.get(bias ?? "")], { transB });
  const variance = x.mul(x).op("Gemm", [square(W.deviation), b && square(b.deviation)], { transB });
  return normal(walk, mean, variance);
}

/** h + b, where h has a row for each example and b is a row. */
function biasSum(node: Node, walk: Walk): Value | undefined {
  if (node.op !== "Add") return undefined;
  const [first, second] = node.inputs as [string, string];
  const name = walk.weights.has(second) ? second : first;
  const [h, b] = [walk.values.get(name === second ? first : second), walk.weights.get(name)];
  if (!h || !b || !isRows(h) || b.mean.type.shape?.length !== 1 || walk.uses.get(name) !== 1)
    return undefined;
  const mean = h.add(b.mean);
  return mean.add(walk.noise(mean).mul(b.deviation));
}

const square = (value: Value): Value => value.mul(value);
function normal({ noise, guard, builder }: Walk, mean: Value, variance: Value): Value {
  const safe = guard === 0 ? variance : variance.add(builder.lift(guard, variance.type.type));
  return mean.add(noise(mean).mul(safe.sqrt()));
}

/** Any other node, as it is; a weight that it reads is drawn once for the whole batch. */
function copy(node: Node, walk: Walk, model: Graph): void {
  const { builder, values, weights } = walk;
  for (const name of node.inputs) {
    const weight = weights.get(name);
    if (!weight || values.has(name)) continue;
    walk.shared = true;
    values.set(name, weight.mean.add(walk.noise(weight.mean).mul(weight.deviation)));
  }
  const rename = new Map<string, string>([["", ""]]);
  for (const [name, value] of values) rename.set(name, value.name);
  for (const output of node.outputs) if (output) rename.set(output, builder.fresh(output));
  const renamed = renameNode(node, rename, builder.fresh(node.name || node.op.toLowerCase()));
  const types = inferNode(
    renamed,
    node.inputs.map((name) => values.get(name)?.type),
  );
  builder.nodes.push(renamed);
  node.outputs.forEach((name, k) => {
    const stated = model.valueTypes.get(name);
    const type = types[k] ?? (stated && isTensorType(stated) ? stated : { type: "undefined" as const });
    if (name) values.set(name, new Value(builder, renamed.outputs[k]!, type));
  });
}

/** The input of a network and the types of its weights; one input, one output, no sparse weights. */
export function signature(
  model: Graph,
  weights: readonly string[],
): { readonly input: string; readonly inputType: TensorType; readonly types: Types } {
  const inputs = model.inputs.filter(({ name }) => !model.initializers.has(name));
  if (inputs.length !== 1 || model.outputs.length !== 1)
    throw new TrainError(`PAC-Bayes needs a network with one input and one output, not "${model.name}"`);
  const types = weights.map((name) => {
    const weight = model.initializers.get(name);
    if (!weight || isSparse(weight))
      throw new TrainError(`graph "${model.name}" has no dense weight "${name}"`);
    return [name, { type: weight.type, shape: weight.dims }] as const;
  });
  return {
    input: inputs[0]!.name,
    inputType: inputs[0]!.type as TensorType,
    types: Object.fromEntries(types),
  };
}

export interface DrawnNetwork {
  /** Inputs: that of the network, `mean/<w>`, `deviation/<w>` and `noise/<k>`. */
  readonly graph: Graph;
  /** The shape of each noise input without its batch axis, if it has one. */
  readonly noises: readonly { readonly name: string; readonly type: TensorType }[];
  readonly perExample: boolean;
}

/** The randomized network with its noise as inputs `noise/1`, `noise/2`, ...: whoever runs it draws the numbers. */
export function drawnNetwork(original: Graph, weights: readonly string[]): DrawnNetwork {
  const model = batchFree(original);
  const { input, inputType, types } = signature(model, weights);
  const builder = new Builder();
  const noises: { readonly name: string; readonly type: TensorType }[] = [];
  let perExample = false;
  const inputs: Types = {
    [input]: inputType,
    ...Object.fromEntries(
      weights.flatMap((name) => [
        [meanKey(name), types[name]!],
        [deviationKey(name), types[name]!],
      ]),
    ),
  };
  const graph = finish(
    builder,
    inputs,
    (given) => {
      const noise: Noise = (like) => {
        const name = `noise/${noises.length + 1}`;
        const type = { type: like.type.type, ...(like.type.shape ? { shape: like.type.shape } : {}) };
        noises.push({ name, type });
        return builder.input(name, type);
      };
      const written = writeRandomized(model, weights, { builder, given, noise });
      perExample = written.perExample;
      return written.outputs;
    },
    { name: "randomized", nested: false },
  );
  return { graph: { ...graph, inputs: [...graph.inputs, ...noises] }, noises, perExample };
}
