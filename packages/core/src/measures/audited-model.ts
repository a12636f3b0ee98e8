// The model as the measures read it: its scores before a softmax, for batches of any size where it allows them.
import { EngineError } from "../engine/error.ts";
import { run } from "../engine/run.ts";
import { GraphError } from "../graph/error.ts";
import { type Graph, isTensorType, type Node, requiredInputs, type TensorType } from "../graph/graph.ts";
import { inferTypes } from "../graph/infer.ts";
import { prune } from "../graph/prune.ts";
import { cast, elementCount, isFloat, type NumericType, numbers, type Tensor } from "../graph/tensor.ts";
import { canonical } from "../graph/upgrade.ts";
import type { Examples } from "../train/data/dataset.ts";
import { batchFree } from "../train/weights.ts";

/** Below this number of weights one thread is enough. */
const smallModel = 50_000;

const weightCount = ({ initializers }: Graph): number =>
  [...initializers.values()].reduce((n, w) => n + elementCount(w.dims), 0);

/** Examples that are looked at together. */
export const batchSize = 250;

export type AuditedTask = "classification" | "regression";

/** Targets that are whole numbers are classes; so is what has no targets yet. */
export const auditedTask = (data: Pick<Examples, "y"> | undefined): AuditedTask =>
  data && data.y.type !== "int64" ? "regression" : "classification";

export interface AuditedModel {
  /** With one input and one output [N, K]; a softmax at the end is left out. */
  readonly graph: Graph;
  readonly input: string;
  /** Of one example. */
  readonly inputDims: readonly number[];
  readonly type: NumericType;
  readonly output: string;
  readonly outputs: number;
  /** The operator at the end that was left out. */
  readonly without?: string;
  /** 1 where the graph is written for one example at a time. */
  readonly batch: number;
  /** How to run it: waiting for other threads costs more than small products. */
  readonly running: { readonly threads?: number };
}

/**
 * Reads a network for measuring; an error says what is missing.
 * @example (await auditedModel(net)).outputs // how many numbers it gives an example
 */
export async function auditedModel(
  original: Graph,
  task: AuditedTask = "classification",
): Promise<AuditedModel> {
  const { graph: scores, without } = scoreGraph(canonical(original), task);
  const [input, another] = requiredInputs(scores);
  if (!input || another)
    throw new GraphError(`a model to measure has one input, not ${requiredInputs(scores).length}`);
  if (!isTensorType(input.type) || !input.type.shape || !isFloat(input.type.type))
    throw new GraphError(`input "${input.name}" is not a tensor of floating-point numbers with a shape`);
  const dims = input.type.shape.slice(1);
  if (!dims.every((d) => typeof d === "number"))
    throw new GraphError(`input "${input.name}" has an open dimension besides its first one`);
  const about = {
    input: input.name,
    inputDims: dims as readonly number[],
    type: input.type.type,
    output: scores.outputs[0]!.name,
    ...(without ? { without } : {}),
    running: weightCount(scores) < smallModel ? { threads: 1 } : {},
  };
  const free = batchFree(scores);
  const probe = async (graph: Graph, batch: number): Promise<number | undefined> => {
    const found = await tried(graph, about, batch);
    const rows = found && elementCount(found.dims) / batch;
    return found && found.dims[0] === batch && Number.isInteger(rows) ? rows : undefined;
  };
  const many = await probe(free, 3); // not 2: shapes of a file fit that by chance
  if (many !== undefined)
    return { ...about, graph: withShape(free, about.output, many), outputs: many, batch: batchSize };
  const one = await tried(withOne(scores), about, 1);
  if (!one) throw new GraphError(`the model does not run on an input [1, ${dims.join(", ")}]`);
  return { ...about, graph: withOne(scores), outputs: elementCount(one.dims), batch: 1 };
}

/** The batch as a number 1. */
const withOne = (graph: Graph): Graph => ({
  ...graph,
  inputs: graph.inputs.map(({ name, type }) =>
    isTensorType(type) && type.shape && !graph.initializers.has(name)
      ? { name, type: { ...type, shape: [1, ...type.shape.slice(1)] } }
      : { name, type },
  ),
});

/** What follows needs to know that the output is [N, K]. */
function withShape(graph: Graph, output: string, count: number): Graph {
  const known = inferTypes(graph).get(output);
  if (!known?.shape) return graph;
  const type = { type: known.type, shape: [known.shape[0], count] };
  return { ...graph, outputs: [{ name: output, type }] };
}

async function tried(
  graph: Graph,
  { input, inputDims, type, output }: Pick<AuditedModel, "input" | "inputDims" | "type" | "output">,
  batch: number,
): Promise<Tensor | undefined> {
  const dims = [batch, ...inputDims];
  const zeros = cast({ type: "float64", dims, data: new Float64Array(elementCount(dims)) }, type);
  try {
    return (await run(graph, { [input]: zeros }, { threads: 1 }))[output];
  } catch (error) {
    if (error instanceof EngineError || error instanceof GraphError) return undefined;
    throw error;
  }
}

/**
 * Classes are judged by their scores: a softmax at the end keeps their order but not their margins, and a sigmoid of one
 * score is above 1/2 where the score is above 0. Of a regression the end is part of the answer.
 */
function scoreGraph(graph: Graph, task: AuditedTask): { readonly graph: Graph; readonly without?: string } {
  const [output] = graph.outputs;
  if (!output) throw new GraphError("the model has no output");
  const last = graph.nodes.find((n) => n.outputs.includes(output.name));
  const types = inferTypes(graph);
  const width = types.get(output.name)?.shape?.slice(1);
  const isSingle = width?.every((d) => d === 1) === true;
  const isLeftOut =
    task === "classification" &&
    (last?.op === "Softmax" || last?.op === "LogSoftmax" || (last?.op === "Sigmoid" && isSingle));
  const name = isLeftOut ? last.inputs[0]! : output.name;
  const type = types.get(name);
  if (!type || !isFloat(type.type))
    throw new GraphError(`output "${name}" does not hold floating-point numbers`);
  const rows = inRows(prune({ ...graph, outputs: [{ name, type: plainType(type) }] }), type);
  return { graph: rows, ...(isLeftOut ? { without: last.op } : {}) };
}

const plainType = ({ type, shape }: TensorType): TensorType => (shape ? { type, shape } : { type });

/** An output that is not [N, K] by itself is flattened. */
function inRows(graph: Graph, type: TensorType): Graph {
  if (type.shape?.length === 2) return graph;
  const { name } = graph.outputs[0]!;
  const output = `${name}/rows`;
  const flat: Node = {
    op: "Flatten",
    domain: "",
    name: output,
    inputs: [name],
    outputs: [output],
    attributes: new Map([["axis", { type: "int", value: 1n }]]),
  };
  return {
    ...graph,
    nodes: [...graph.nodes, flat],
    outputs: [{ name: output, type: { type: type.type, shape: [undefined, undefined] } }],
  };
}

/** Examples in the shape and type of a model's input; an error says how they differ. */
export function fittedExamples(model: AuditedModel, { x, y }: Examples, name: string): Examples {
  const [n, size] = [x.dims[0] ?? 0, elementCount(model.inputDims)];
  if (elementCount(x.dims.slice(1)) !== size)
    throw new GraphError(
      `${name}: an example has shape [${x.dims.slice(1)}], but the model reads [${model.inputDims}]`,
    );
  if ((y.dims[0] ?? 0) !== n) throw new GraphError(`${name}: ${n} examples, but ${y.dims[0] ?? 0} targets`);
  if (n === 0) throw new GraphError(`${name}: there are no examples`);
  if (y.type === "int64") checkClasses(y, Math.max(2, model.outputs), name);
  else if (elementCount(y.dims) !== n * model.outputs)
    throw new GraphError(
      `${name}: targets have shape [${y.dims}], but the model gives ${model.outputs} numbers an example`,
    );
  return { x: cast({ ...x, dims: [n, ...model.inputDims] }, model.type), y };
}

function checkClasses(y: Tensor, classes: number, name: string): void {
  const labels = numbers(y);
  const wrong = labels.findIndex((c) => !(c >= 0 && c < classes));
  if (wrong < 0) return;
  const isFromOne = labels.every((c) => c >= 1 && c <= classes);
  throw new GraphError(
    `${name}: class ${labels[wrong]} of example ${wrong + 1}, but the model has ${classes} classes, 0 to ${classes - 1}${isFromOne ? ": subtract 1 from the labels" : ""}`,
  );
}
