// A two-layer ReLU network as the sum of its neurons, and as such in a graph.
import type { Graph, Node } from "../../graph/graph.ts";
import { isSparse } from "../../graph/graph.ts";
import { numbers } from "../../graph/tensor.ts";
import { canonical } from "../../graph/upgrade.ts";
import { LandscapeError } from "../error.ts";

/** u relu(<v, x>): `incoming` is v, with the bias as its last number where there are biases; `outgoing` is u. */
export interface Neuron {
  readonly incoming: Float64Array;
  readonly outgoing: Float64Array;
}

export interface TwoLayer {
  readonly neurons: readonly Neuron[];
  /** Neurons have biases: inputs are read with a 1 at their end. */
  readonly hasBias: boolean;
  /** Of the outputs, where they have one. */
  readonly offset?: Float64Array;
}

/** Inputs as neurons read them. */
export const paddedInputs = (x: readonly Float64Array[], { hasBias }: Pick<TwoLayer, "hasBias">) =>
  hasBias ? x.map((row) => Float64Array.of(...row, 1)) : x;

/** outputs[k][i] of example i, inputs padded already. */
export function outputsOf(
  { neurons, offset }: TwoLayer,
  x: readonly Float64Array[],
  outputs: number,
): Float64Array[] {
  const z = Array.from({ length: outputs }, (_, k) => new Float64Array(x.length).fill(offset?.[k] ?? 0));
  for (const { incoming, outgoing } of neurons)
    x.forEach((row, i) => {
      let sum = 0;
      for (let c = 0; c < row.length; c++) sum += incoming[c]! * row[c]!;
      if (sum > 0) for (let k = 0; k < outputs; k++) z[k]![i]! += outgoing[k]! * sum;
    });
  return z;
}

/**
 * How far those outputs may be from the real ones, u = 2^-53: d products and sums, one product with the outgoing weight and a sum
 * for each neuron, (d + n + 2) u of the sizes that are added; twice that, and what underflows.
 */
export function outputErrors(
  { neurons, offset }: TwoLayer,
  x: readonly Float64Array[],
  outputs: number,
): Float64Array[] {
  const [n, d] = [neurons.length, x[0]?.length ?? 0];
  const sizes = Array.from({ length: outputs }, (_, k) =>
    new Float64Array(x.length).fill(Math.abs(offset?.[k] ?? 0)),
  );
  const lost = new Float64Array(outputs).fill(n * 2 ** -1070);
  for (const { incoming, outgoing } of neurons) {
    x.forEach((row, i) => {
      let sum = 0;
      for (let c = 0; c < d; c++) sum += Math.abs(incoming[c]! * row[c]!);
      for (let k = 0; k < outputs; k++) sizes[k]![i]! += Math.abs(outgoing[k]!) * sum;
    });
    for (let k = 0; k < outputs; k++) lost[k]! += Math.abs(outgoing[k]!) * d * 2 ** -1070;
  }
  return sizes.map((row, k) => row.map((size) => (n + d + 6) * 2 ** -52 * (size + lost[k]!) + 2 * lost[k]!));
}

/** (|u|^2 + |v|^2) / 2 over all neurons, and half the square of the offset: what weight decay multiplies. */
export const penaltyOf = ({ neurons, offset }: TwoLayer): number => {
  const square = (v: Float64Array): number => v.reduce((sum, w) => sum + w * w, 0);
  const sum = neurons.reduce((s, { incoming, outgoing }) => s + square(incoming) + square(outgoing), 0);
  return (sum + (offset ? square(offset) : 0)) / 2;
};

/** A layer that was read: rows are outputs. */
interface Affine {
  readonly rows: readonly Float64Array[];
  readonly bias?: Float64Array;
  readonly output: string;
}

/**
 * Reads affine map, ReLU, affine map; an error says what else there is.
 * @example readTwoLayer(denseNetwork([{ W: [[1], [2]] }, { W: [[3, 4]] }], "relu")).neurons.length // 2
 */
export function readTwoLayer(original: Graph): TwoLayer {
  const graph = canonical(original);
  const input = graph.inputs.find((i) => !graph.initializers.has(i.name));
  let at = through(graph, input?.name ?? "");
  const first = affine(graph, at);
  const [relu, another] = readers(graph, first.output);
  if (relu?.op !== "Relu" || another)
    throw new LandscapeError(
      `--certify reads affine map, ReLU, affine map; after the first map comes ${relu?.op ?? "nothing"}`,
    );
  at = relu.outputs[0]!;
  const second = affine(graph, at);
  if (second.output !== graph.outputs[0]?.name || graph.outputs.length !== 1)
    throw new LandscapeError(
      "--certify reads networks with one hidden layer: there is more after the second affine map",
    );
  if (second.rows[0]!.length !== first.rows.length)
    throw new LandscapeError("the layers do not fit each other");
  const { bias } = first;
  return {
    neurons: first.rows.map((row, j) => ({
      incoming: bias ? Float64Array.of(...row, bias[j]!) : row,
      outgoing: Float64Array.from(second.rows, (out) => out[j]!),
    })),
    hasBias: bias !== undefined,
    ...(second.bias ? { offset: second.bias } : {}),
  };
}

const readers = ({ nodes }: Graph, name: string): readonly Node[] =>
  nodes.filter((n) => n.inputs.includes(name));

/** What only gives rows another shape is passed by. */
function through(graph: Graph, name: string): string {
  const [next, another] = readers(graph, name);
  return next && !another && (next.op === "Flatten" || next.op === "Identity")
    ? through(graph, next.outputs[0]!)
    : name;
}

function affine(graph: Graph, name: string): Affine {
  const [node, another] = readers(graph, name);
  if (!node || another || (node.op !== "Gemm" && node.op !== "MatMul"))
    throw new LandscapeError(
      `--certify reads affine map, ReLU, affine map, but ${node?.op ?? "nothing"} reads "${name}"`,
    );
  const weight = matrix(graph, node.inputs[1]!);
  const value = (key: string, fallback: number): number => {
    const a = node.attributes.get(key);
    return a?.type === "int" || a?.type === "float" ? Number(a.value) : fallback;
  };
  if (value("alpha", 1) !== 1 || value("beta", 1) !== 1 || value("transA", 0) !== 0)
    throw new LandscapeError(`node "${node.name}": --certify reads plain products`);
  const isRows = node.op === "Gemm" && value("transB", 0) === 1;
  const [height, width] = weight.dims as readonly [number, number];
  const rows = Array.from({ length: isRows ? height : width }, (_, i) =>
    Float64Array.from(
      { length: isRows ? width : height },
      (__, j) => weight.values[isRows ? i * width + j : j * width + i]!,
    ),
  );
  const own = node.op === "Gemm" ? node.inputs[2] : undefined;
  if (own) return { rows, bias: vector(graph, own, rows.length), output: node.outputs[0]! };
  const [next, more] = readers(graph, node.outputs[0]!);
  if (next?.op !== "Add" || more) return { rows, output: node.outputs[0]! };
  const other = next.inputs.find((i) => i !== node.outputs[0])!;
  return { rows, bias: vector(graph, other, rows.length), output: next.outputs[0]! };
}

function matrix({ initializers }: Graph, name: string) {
  const weight = initializers.get(name);
  if (!weight || isSparse(weight) || weight.dims.length !== 2)
    throw new LandscapeError(`"${name}" is no matrix of stored weights`);
  return { dims: weight.dims, values: numbers(weight) };
}

function vector({ initializers }: Graph, name: string, size: number): Float64Array {
  const weight = initializers.get(name);
  const values = weight && !isSparse(weight) ? Float64Array.from(numbers(weight)) : undefined;
  if (values?.length !== size) throw new LandscapeError(`"${name}" is no bias of ${size} numbers`);
  return values;
}
