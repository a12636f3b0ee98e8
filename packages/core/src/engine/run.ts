// Runs a graph on ONNX Runtime.
import { type Graph, isTensorType, type OutputsOf, requiredInputs, type ValueInfo } from "../graph/graph.ts";
import type { Tensor } from "../graph/tensor.ts";
import { EngineError } from "./error.ts";
import { type SessionOptions, withSession } from "./session.ts";

export interface RunOptions extends SessionOptions {
  /** Names of the outputs to compute; default: all. */
  readonly outputs?: readonly string[];
}

/**
 * The outputs of a graph for these inputs, by name.
 * @example (await run(net, { x: tensor([[1]]) })).y // x^2 at 1
 */
export async function run<G extends Graph>(
  graph: G,
  inputs: Readonly<Record<string, Tensor>>,
  { outputs, ...options }: RunOptions = {},
): Promise<Record<OutputsOf<G>, Tensor>> {
  checkInputs(graph, inputs);
  checkOutputs(graph, outputs);
  return withSession(graph, options, (session) => session.run(inputs, outputs));
}

/**
 * Writes outputs of a graph over the data of tensors that have their shapes: where the same is run again and again, new
 * arrays would cost as much as a small product.
 */
export async function runInto(
  graph: Graph,
  inputs: Readonly<Record<string, Tensor>>,
  outputs: Readonly<Record<string, Tensor>>,
  options: SessionOptions = {},
): Promise<void> {
  checkInputs(graph, inputs);
  checkOutputs(graph, Object.keys(outputs));
  await withSession(graph, options, (session) => session.runInto(inputs, outputs));
}

interface Signature {
  readonly inputs: ReadonlyMap<string, ValueInfo>;
  readonly required: readonly string[];
}
const signatures = new WeakMap<Graph, Signature>();

function signatureOf(graph: Graph): Signature {
  const known = signatures.get(graph);
  if (known) return known;
  const signature: Signature = {
    inputs: new Map(graph.inputs.map((i) => [i.name, i])),
    required: requiredInputs(graph).map((i) => i.name),
  };
  signatures.set(graph, signature);
  return signature;
}

/** Says which input is missing, unknown, or of the wrong type or shape. */
export function checkInputs(graph: Graph, inputs: Readonly<Record<string, Tensor>>): void {
  const { inputs: declared, required } = signatureOf(graph);
  for (const name of required) {
    if (!Object.hasOwn(inputs, name)) throw new EngineError(`input "${name}" is missing`);
  }
  const bound = new Map<string, number>();
  for (const name in inputs) {
    const declaration = declared.get(name);
    if (!declaration) {
      const known = required.map((n) => `"${n}"`).join(", ") || "none";
      throw new EngineError(`the graph has no input "${name}"; its inputs: ${known}`);
    }
    checkInput(declaration, inputs[name]!, bound);
  }
}

/** ONNX Runtime hands only tensors to JavaScript. */
function checkOutputs(graph: Graph, asked: readonly string[] | undefined): void {
  for (const { name, type } of graph.outputs)
    if (!isTensorType(type) && (asked?.includes(name) ?? true))
      throw new EngineError(
        `output "${name}" is a ${type.description}: only outputs that are tensors can be read`,
      );
}

function checkInput({ name, type }: ValueInfo, given: Tensor, bound: Map<string, number>): void {
  if (!isTensorType(type)) throw new EngineError(`input "${name}" is a ${type.description}, not a tensor`);
  if (type.type !== given.type)
    throw new EngineError(
      `input "${name}" is ${type.type}, not ${given.type}: tensor(numbers, { type: "${type.type}" }) makes one that fits`,
    );
  const { shape } = type;
  if (!shape) return;
  const wrong = () => {
    const wanted = shape.map((d) =>
      typeof d === "string" && bound.has(d) ? `${d}=${bound.get(d)}` : (d ?? "?"),
    );
    return new EngineError(
      `input "${name}" has shape [${wanted.join(", ")}], not [${given.dims.join(", ")}]`,
    );
  };
  if (shape.length !== given.dims.length) throw wrong();
  shape.forEach((dim, axis) => {
    const size = given.dims[axis]!;
    if (typeof dim === "string") {
      if ((bound.get(dim) ?? size) !== size) throw wrong();
      bound.set(dim, size);
    } else if (dim !== undefined && dim !== size) throw wrong();
  });
}
