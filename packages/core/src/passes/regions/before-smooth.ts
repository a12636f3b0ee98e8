// A network that ends in a smooth function has the regions of what that function reads.
import { describe, type Graph, type Node } from "../../graph/graph.ts";
import { inferTypes } from "../../graph/infer.ts";
import { prune } from "../../graph/prune.ts";

const smooth = new Set(["Softmax", "LogSoftmax", "Sigmoid", "Tanh"]);

/** The graph without smooth functions at its very end, and how these are called. */
export interface BeforeSmooth {
  readonly graph: Graph;
  readonly left: readonly string[];
}

/**
 * The graph whose outputs are what the smooth functions at its end read.
 * @example beforeSmooth(net).left // []
 */
export function beforeSmooth(original: Graph): BeforeSmooth {
  const left = new Set<Node>();
  const producers = new Map(
    original.nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)),
  );
  const source = (name: string): string => {
    const node = producers.get(name);
    if (node?.domain !== "") return name;
    if (node.op === "Identity") return source(node.inputs[0]!);
    if (!smooth.has(node.op)) return name;
    left.add(node);
    return source(node.inputs[0]!);
  };
  const names = original.outputs.map(({ name }) => source(name));
  if (left.size === 0) return { graph: original, left: [] };
  const types = inferTypes(original);
  const outputs = [...new Set(names)].map((name) => ({
    name,
    type: types.get(name) ?? { type: "undefined" as const },
  }));
  return { graph: prune({ ...original, outputs }), left: [...left].map(describe) };
}
