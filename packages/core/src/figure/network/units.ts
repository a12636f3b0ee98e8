// Reads a graph as a chain of dense layers, for a picture of its units and weights.
import { type Graph, isSparse, type Node, requiredInputs } from "../../graph/graph.ts";
import { isFloat, numbers, type Tensor } from "../../graph/tensor.ts";

export interface UnitLayer {
  readonly units: number;
  /** Operators behind the product, such as "Relu". */
  readonly operators: readonly string[];
  /** One row a unit, one column a unit of the layer before; none for the input. */
  readonly weights?: readonly Float64Array[];
  readonly biases?: Float64Array;
}

/** Operators that act on each unit by itself. */
const activations: ReadonlySet<string> = new Set(
  `Relu LeakyRelu PRelu Elu Selu Celu Gelu Mish Softplus Softsign Sigmoid HardSigmoid HardSwish Tanh Erf Exp Sin Cos Abs
  Sign Clip ThresholdedRelu Swish Softmax LogSoftmax Neg Sqrt Atan`.split(/\s+/),
);
const layouts: ReadonlySet<string> = new Set(["Flatten", "Identity", "Dropout", "Cast"]);

const isMatrix = (t: Tensor | undefined): t is Tensor => t?.dims.length === 2;

function constantsOf(graph: Graph): ReadonlyMap<string, Tensor> {
  const found = new Map<string, Tensor>();
  for (const [name, t] of graph.initializers) if (!isSparse(t) && isFloat(t.type)) found.set(name, t);
  for (const node of graph.nodes) {
    const value = node.op === "Constant" ? node.attributes.get("value") : undefined;
    if (value?.type === "tensor" && isFloat(value.value.type)) found.set(node.outputs[0]!, value.value);
  }
  return found;
}

/** Rows of a matrix, or those of its transpose, times a factor. */
function rowsOf(matrix: Tensor, transposed: boolean, factor: number): readonly Float64Array[] {
  const [rows, columns] = matrix.dims as [number, number];
  const entries = numbers(matrix);
  return transposed
    ? Array.from({ length: columns }, (_, i) =>
        Float64Array.from({ length: rows }, (_, j) => factor * entries[j * columns + i]!),
      )
    : Array.from({ length: rows }, (_, i) =>
        Float64Array.from({ length: columns }, (_, j) => factor * entries[i * columns + j]!),
      );
}

function attribute(node: Node, name: string, otherwise: number): number {
  const found = node.attributes.get(name);
  return found?.type === "int" || found?.type === "float" ? Number(found.value) : otherwise;
}

/** The rows of the matrix by which a node multiplies a value, if it does. */
function productRows(
  node: Node,
  value: string,
  constants: ReadonlyMap<string, Tensor>,
): readonly Float64Array[] | undefined {
  const [left, right] = [constants.get(node.inputs[0]!), constants.get(node.inputs[1]!)];
  if (node.op === "MatMul") {
    if (node.inputs[0] === value && isMatrix(right)) return rowsOf(right, true, 1);
    return node.inputs[1] === value && isMatrix(left) ? rowsOf(left, false, 1) : undefined;
  }
  if (node.op !== "Gemm" || node.inputs[0] !== value || !isMatrix(right)) return undefined;
  if (attribute(node, "transA", 0) !== 0) return undefined;
  return rowsOf(right, attribute(node, "transB", 0) === 0, attribute(node, "alpha", 1));
}

/** A constant with one number a unit, as numbers. */
const biasOf = (t: Tensor | undefined, units: number): Float64Array | undefined => {
  const found = t && numbers(t);
  return found && found.length === units ? Float64Array.from(found) : undefined;
};

/**
 * The layers of a chain of dense layers, the input first; undefined where the graph is something else.
 * @example unitLayers(denseNetwork([{ W: [[1, 2], [3, 4], [5, 6]] }, { W: [[1, 1, 1]] }], "relu"))?.map((l) => l.units) // [2, 3, 1]
 */
export function unitLayers(graph: Graph): readonly UnitLayer[] | undefined {
  const [input, ...others] = requiredInputs(graph);
  if (!input || others.length > 0 || graph.outputs.length !== 1) return undefined;
  const constants = constantsOf(graph);
  const layers: UnitLayer[] = [];
  let value = input.name;
  let waiting: readonly string[] = [];
  for (const node of graph.nodes) {
    if (node.op === "Constant") continue;
    if (node.domain !== "" || !node.inputs.includes(value) || node.outputs.filter((o) => o).length !== 1)
      return undefined;
    const last = layers.at(-1);
    const rows = productRows(node, value, constants);
    const other = constants.get(node.inputs.find((name) => name !== value) ?? "");
    const unary = node.inputs.filter((name) => name !== "" && !constants.has(name)).length === 1;
    if (!unary) return undefined;
    if (rows) {
      const columns = rows[0]?.length ?? 0;
      if (last && last.units !== columns) return undefined;
      if (!last) layers.push({ units: columns, operators: waiting });
      const beta = attribute(node, "beta", 1);
      const biases =
        node.op === "Gemm" ? biasOf(constants.get(node.inputs[2] ?? ""), rows.length) : undefined;
      layers.push({
        units: rows.length,
        operators: [],
        weights: rows,
        ...(biases ? { biases: biases.map((b) => beta * b) } : {}),
      });
    } else if (last && node.op === "Add" && !last.biases && last.operators.length === 0) {
      const biases = biasOf(other, last.units);
      if (!biases) return undefined;
      layers[layers.length - 1] = { ...last, biases };
    } else if (activations.has(node.op) || (!last && (node.op === "Sub" || node.op === "Div"))) {
      if (last) layers[layers.length - 1] = { ...last, operators: [...last.operators, node.op] };
      else waiting = [...waiting, node.op];
    } else if (!layouts.has(node.op)) return undefined;
    value = node.outputs.find((o) => o)!;
  }
  return layers.length > 1 && graph.outputs[0]!.name === value ? layers : undefined;
}

/** Weights that are not 0. */
export const unitEdges = (layers: readonly UnitLayer[]): number =>
  layers.reduce(
    (sum, { weights = [] }) => sum + weights.reduce((s, row) => s + row.filter((w) => w !== 0).length, 0),
    0,
  );
