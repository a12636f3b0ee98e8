// Where f(-z) = 1 - f(z) (the sigmoid), a unit can be negated if every next layer has a bias of its own for the 1.
import { type Graph, isSparse, type Node, outerReferences, subgraphs } from "../../graph/graph.ts";
import { elementCount } from "../../graph/tensor.ts";

/** W and b of a layer: b takes ratio sum_i W_i (1 - s_i) / 2 when inputs i are negated where s_i = -1. */
export interface Absorber {
  readonly weights: string;
  /** The axis of the weights that is summed over, and the one of the bias. */
  readonly summed: number;
  readonly kept: number;
  readonly bias: string;
  readonly ratio: number;
  /** The axis of the layer's input that is summed over. */
  readonly inputAxis: number;
}

/** Who reads each value: nodes, their subgraphs, and the outputs of the graph. */
export function usesOf(graph: Graph): ReadonlyMap<string, readonly (Node | "output")[]> {
  const uses = new Map<string, (Node | "output")[]>();
  const add = (name: string, by: Node | "output") => uses.set(name, [...(uses.get(name) ?? []), by]);
  for (const node of graph.nodes) {
    for (const name of node.inputs) if (name) add(name, node);
    for (const inner of subgraphs(node)) for (const name of outerReferences(inner)) add(name, node);
  }
  for (const { name } of graph.outputs) add(name, "output");
  return uses;
}

/** How this node can take the 1, if it can. */
export function absorberOf(
  graph: Graph,
  node: Node,
  input: string,
  uses: ReturnType<typeof usesOf>,
): Absorber | undefined {
  const [x, weights = "", bias = ""] = node.inputs;
  const W = graph.initializers.get(weights);
  if (x !== input || !W || isSparse(W) || node.inputs.indexOf(input, 1) > 0) return undefined;
  const isOwnBias = (name: string, size: number) => {
    const b = graph.initializers.get(name);
    return (
      b !== undefined &&
      !isSparse(b) &&
      b.dims.at(-1) === size &&
      elementCount(b.dims) === size &&
      uses.get(name)?.length === 1
    );
  };
  if (node.op === "Gemm") {
    const number = (key: string, otherwise: number) => Number(node.attributes.get(key)?.value ?? otherwise);
    const [transA, transB, beta] = [number("transA", 0), number("transB", 0), number("beta", 1)];
    const [kept, summed] = transB ? [0, 1] : [1, 0];
    if (transA !== 0 || beta === 0 || !isOwnBias(bias, W.dims[kept]!)) return undefined;
    return { weights, summed, kept, bias, ratio: number("alpha", 1) / beta, inputAxis: 1 };
  }
  if (node.op !== "MatMul" || W.dims.length !== 2) return undefined;
  const [add, ...others] = uses.get(node.outputs[0]!) ?? [];
  if (!add || add === "output" || others.length > 0 || add.op !== "Add") return undefined;
  const offset = add.inputs.find((name) => name !== node.outputs[0]) ?? "";
  if (!isOwnBias(offset, W.dims[1]!)) return undefined;
  return { weights, summed: 0, kept: 1, bias: offset, ratio: 1, inputAxis: -1 };
}
