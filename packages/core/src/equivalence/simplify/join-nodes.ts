// Nodes that say with their neighbour what one can say: a product and the sum behind it are a Gemm; adding 0, multiplying
// by 1 and padding by nothing say nothing; a copy before an output is the output. The function of real numbers stays.
import { describe, type Graph, isSparse, type Node, outerReferences, subgraphs } from "../../graph/graph.ts";
import { inferTypes } from "../../graph/infer.ts";
import { isConstantWeight } from "../../graph/infer-scope.ts";
import { prune } from "../../graph/prune.ts";
import { numbers, type Tensor } from "../../graph/tensor.ts";
import { canonical } from "../../graph/upgrade.ts";
import type { RemovedUnit } from "./removal.ts";

type Types = ReturnType<typeof inferTypes>;

/** What is asked of the graph around a node. */
class Surroundings {
  readonly types: Types;
  readonly #graph: Graph;
  readonly #readers = new Map<string, number>();
  /** Outputs of the graph, and what bodies read: these names stay. */
  readonly kept: ReadonlySet<string>;

  constructor(graph: Graph) {
    this.#graph = graph;
    this.types = inferTypes(graph);
    const inner = graph.nodes.flatMap((node) =>
      subgraphs(node).flatMap((body) => [...outerReferences(body)]),
    );
    this.kept = new Set([...graph.outputs.map(({ name }) => name), ...inner]);
    for (const { inputs } of graph.nodes)
      for (const name of inputs) this.#readers.set(name, (this.#readers.get(name) ?? 0) + 1);
  }

  constant(name: string | undefined): Tensor | undefined {
    const found = name ? this.#graph.initializers.get(name) : undefined;
    return found && !isSparse(found) && isConstantWeight(this.#graph, name!) ? found : undefined;
  }

  rank(name: string): number | undefined {
    return this.types.get(name)?.shape?.length;
  }

  /** Read by one node, and by nobody else. */
  isPrivate(name: string): boolean {
    return this.#readers.get(name) === 1 && !this.kept.has(name);
  }

  isAll(name: string | undefined, value: number): boolean {
    const t = this.constant(name);
    return t !== undefined && t.type !== "string" && Array.from(numbers(t)).every((v) => v === value);
  }

  /** Has the node's output the shape and the type of this input? */
  keepsShape({ outputs }: Node, input: string): boolean {
    const [from, to] = [this.types.get(input), this.types.get(outputs[0]!)];
    return (
      from?.shape !== undefined &&
      to?.shape !== undefined &&
      from.type === to.type &&
      from.shape.length === to.shape.length &&
      from.shape.every((d, k) => d !== undefined && d === to.shape![k])
    );
  }
}

/** The input that a node hands on as it is. */
function handedOn(node: Node, around: Surroundings): string | undefined {
  const { op, domain, inputs } = node;
  if (domain !== "" || node.outputs.length !== 1) return undefined;
  const [x, y] = inputs as [string, string];
  const same = (input: string, says: boolean): string | undefined =>
    says && around.keepsShape(node, input) ? input : undefined;
  switch (op) {
    case "Identity":
      return x;
    case "Add":
      return same(x, around.isAll(y, 0)) ?? same(y, around.isAll(x, 0));
    case "Sub":
      return same(x, around.isAll(y, 0));
    case "Mul":
      return same(x, around.isAll(y, 1)) ?? same(y, around.isAll(x, 1));
    case "Div":
      return same(x, around.isAll(y, 1));
    case "Pad":
      return same(x, around.isAll(y, 0));
    default:
      return undefined;
  }
}

/** x W and the sum with a row behind it, as one Gemm. */
function asGemm(product: Node | undefined, sum: Node, around: Surroundings): Node | undefined {
  if (product?.op !== "MatMul" || product.domain !== "" || sum.op !== "Add" || sum.domain !== "")
    return undefined;
  const value = product.outputs[0]!;
  const bias = sum.inputs.find((name) => name !== value);
  const [x, w] = product.inputs as [string, string];
  const [W, b] = [around.constant(w), around.constant(bias)];
  if (!W || !b || !around.isPrivate(value) || around.rank(x) !== 2 || W.dims.length !== 2) return undefined;
  if (!/^float(16|32|64)$/.test(W.type) || W.type !== b.type) return undefined;
  const isRow = b.dims.length <= 2 && b.dims.at(-1) === W.dims[1] && (b.dims.length < 2 || b.dims[0] === 1);
  if (!isRow || !around.keepsShape(sum, value)) return undefined;
  return { ...sum, op: "Gemm", inputs: [x, w, bias!], attributes: new Map() };
}

/** The graph with neighbours joined; the graph itself if there are none. */
export function joinNodes(source: Graph): {
  readonly graph: Graph;
  readonly removed: readonly RemovedUnit[];
} {
  const graph = canonical(source);
  const around = new Surroundings(graph);
  const made = new Map(graph.nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)));
  const renamed = new Map<string, string>();
  const gone = new Set<Node>();
  const replaced = new Map<Node, Node>();
  const isInput = new Set([...graph.inputs.map(({ name }) => name), ...graph.initializers.keys()]);
  for (const node of graph.nodes) {
    const from = handedOn(node, around);
    const to = node.outputs[0]!;
    if (from !== undefined && !around.kept.has(to)) {
      renamed.set(to, from);
      gone.add(node);
      continue;
    }
    // Before an output: what makes the value makes the output, if nobody else gives it a name.
    const maker = from === undefined ? undefined : made.get(from);
    if (from !== undefined && maker && !around.kept.has(from) && !isInput.has(from) && !gone.has(maker)) {
      renamed.set(from, to);
      gone.add(node);
      continue;
    }
    const product =
      node.op === "Add"
        ? node.inputs.map((name) => made.get(name)).find((n) => n?.op === "MatMul")
        : undefined;
    const gemm = asGemm(product, node, around);
    if (!gemm || gone.has(product!)) continue;
    gone.add(product!);
    replaced.set(node, gemm);
  }
  if (gone.size === 0) return { graph: source, removed: [] };
  const final = (name: string): string => {
    const next = renamed.get(name);
    return next === undefined ? name : final(next);
  };
  const nodes = graph.nodes
    .filter((node) => !gone.has(node))
    .map((node) => replaced.get(node) ?? node)
    .map((node) => ({ ...node, inputs: node.inputs.map(final), outputs: node.outputs.map(final) }));
  return {
    graph: prune({ ...graph, nodes, valueTypes: new Map() }),
    removed: [...gone].map((node) => ({ layer: describe(node), reason: "folded" }) as const),
  };
}
