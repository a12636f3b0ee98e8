// Products with large sparse weights, rewritten in gather form: the runtime would fill such weights out densely.
import { graph as build } from "./builder.ts";
import { type Graph, isSparse, type Node } from "./graph.ts";
import { inferTypes } from "./infer.ts";
import { operators } from "./operators/index.ts";
import { readAttributes } from "./operators/spec.ts";
import { renameNode } from "./rename.ts";
import { matrixOf } from "./sparse.ts";
import { elementCount, type FloatType, type SparseTensor, type Tensor } from "./tensor.ts";
import { canonical } from "./upgrade.ts";

/** Below this many elements, or above this share of non-zeros, a dense product is the better one. */
const [fewElements, densityLimit] = [1 << 20, 0.25];
/** A file of a hundred bytes can state a matrix of 2^40 rows; making a list of them would be the end. */
const mostRows = 1e6;

const isWorthIt = (weight: SparseTensor): boolean =>
  weight.dims.length === 2 &&
  Math.max(...weight.dims) <= mostRows &&
  elementCount(weight.dims) > fewElements &&
  weight.indices.length < densityLimit * elementCount(weight.dims);

/**
 * The graph with `MatMul` and `Gemm` by a large sparse matrix in gather form; the same object when there is none.
 * @example lowerSparse(net) // runs with a million non-zeros in a 100,000 x 100,000 matrix
 */
export function lowerSparse(original: Graph): Graph {
  const known = cache.get(original) ?? lowered(original);
  cache.set(original, known);
  return known;
}

const cache = new WeakMap<Graph, Graph>();

function lowered(original: Graph): Graph {
  const large = new Set(
    [...original.initializers].flatMap(([name, w]) => (isSparse(w) && isWorthIt(w) ? [name] : [])),
  );
  if (large.size === 0) return original;
  const graph = canonical(original);
  const types = inferTypes(graph);
  const initializers = new Map(graph.initializers);
  const nodes = graph.nodes.flatMap((node) => {
    const [left, right, bias] = node.inputs;
    const type = types.get(left ?? "");
    if (!right || !large.has(right) || type?.shape?.length !== 2) return [node];
    const transB = transposition(node);
    if (transB === undefined) return [node];
    const matrix = matrixOf(graph.initializers.get(right) as SparseTensor, !transB);
    const part = build({ x: { type: type.type as FloatType, shape: ["N", matrix.columns] } }, ({ x }) => ({
      y: x.affine(matrix),
    }));
    return splice(part, node, bias, initializers);
  });
  const used = new Set(nodes.flatMap((node) => node.inputs));
  for (const name of large) if (!used.has(name)) initializers.delete(name);
  return { ...graph, nodes, initializers };
}

/** Whether a product reads its right factor transposed; undefined when it is no plain product. */
function transposition(node: Node): boolean | undefined {
  if (node.op === "MatMul") return false;
  if (node.op !== "Gemm") return undefined;
  const { alpha, beta, transA, transB } = readAttributes(node, operators.Gemm.attributes);
  return transA === 0 && alpha === 1 && beta === 1 ? transB !== 0 : undefined;
}

/** The nodes of a product in place of the node, its weights among the graph's, its bias added. */
function splice(
  part: Graph,
  node: Node,
  bias: string | undefined,
  initializers: Map<string, Tensor | SparseTensor>,
): Node[] {
  const own = (name: string): string => `${node.outputs[0]}/${name}`;
  const result = node.outputs[0]!;
  const names = new Map([
    ["", ""],
    ["x", node.inputs[0]!],
  ]);
  for (const [name, weight] of part.initializers) {
    names.set(name, own(name));
    initializers.set(own(name), weight);
  }
  for (const name of part.nodes.flatMap((n) => n.outputs)) names.set(name, own(name));
  names.set("y", bias ? own("y") : result);
  const product = part.nodes.map((n) => renameNode(n, names, own(n.name)));
  if (!bias) return product;
  return [
    ...product,
    {
      op: "Add",
      domain: "",
      name: node.name,
      inputs: [own("y"), bias],
      outputs: [result],
      attributes: new Map(),
    },
  ];
}
