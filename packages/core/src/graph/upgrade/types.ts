// What is known of values while a graph is being rewritten: nodes are looked at only when a rule asks.
import { GraphError } from "../error.ts";
import { type Graph, isTensorType, type Node } from "../graph.ts";
import { inferNode, inferWeight, isConstantWeight, merge } from "../infer-scope.ts";
import type { Inferred } from "../operators/spec.ts";
import type { SparseTensor, Tensor } from "../tensor.ts";

export class KnownTypes {
  readonly #graph: Graph;
  readonly #weights: ReadonlyMap<string, Tensor | SparseTensor>;
  readonly #nodes: readonly Node[];
  readonly #outer: KnownTypes | undefined;
  readonly #values = new Map<string, Inferred>();
  #seen = 0;

  /** `nodes` and `weights` grow as the graph is rewritten. */
  constructor(
    graph: Graph,
    weights: ReadonlyMap<string, Tensor | SparseTensor>,
    nodes: readonly Node[],
    outer?: KnownTypes,
  ) {
    this.#graph = graph;
    this.#weights = weights;
    this.#nodes = nodes;
    this.#outer = outer;
    for (const { name, type } of [...graph.inputs, ...graph.outputs])
      if (isTensorType(type)) this.#values.set(name, type);
    for (const [name, type] of graph.valueTypes) if (isTensorType(type)) this.#values.set(name, type);
  }

  of(name: string): Inferred | undefined {
    for (; this.#seen < this.#nodes.length; this.#seen++) this.#look(this.#nodes[this.#seen]!);
    return this.#find(name);
  }

  #find(name: string): Inferred | undefined {
    const weight = this.#weights.get(name);
    if (weight && isConstantWeight(this.#graph, name)) return inferWeight(weight);
    return this.#values.get(name) ?? this.#outer?.of(name);
  }

  #look(node: Node): void {
    const found = inferred(
      node,
      node.inputs.map((name) => (name ? this.#find(name) : undefined)),
    );
    node.outputs.forEach((name, k) => {
      const stated = this.#values.get(name);
      const known = merge(found[k], stated);
      if (known) this.#values.set(name, known);
    });
  }
}

/** A contradiction is reported by the inference proper, on the finished graph. */
function inferred(node: Node, inputs: readonly (Inferred | undefined)[]): readonly (Inferred | undefined)[] {
  try {
    return inferNode(node, inputs);
  } catch (error) {
    if (error instanceof GraphError) return [];
    throw error;
  }
}
