// Graphs of two to four operators: each reads the value before it, whose shape the runtime says.

import type { Node } from "../../src/graph/graph.ts";
import type { Tensor } from "../../src/graph/tensor.ts";
import type { Random } from "../../src/numbers/random.ts";
import { runGraph } from "../graph/operators-runtime.ts";
import { continuation } from "./continuations.ts";
import { chance, drawTensor, oneOf } from "./edge-values.ts";
import { graphOf, type Model, nodeOf } from "./model.ts";
import { inOpset } from "./older-forms.ts";

const firstShapes = [[1], [1], [2], [1, 1], [1, 2], [2, 1], [1, 3], [2, 3], [1, 2, 3], [1, 2, 4, 3]];

export async function drawChain(random: Random, opset: number): Promise<Model | undefined> {
  const type = oneOf(random, ["float32", "float32", "float32", "float64", "float16"] as const);
  const feeds = new Map([["x", drawTensor(random, type, oneOf(random, firstShapes))]]);
  const initializers = new Map<string, Tensor>();
  const values = new Map<string, Tensor>(feeds);
  const nodes: Node[] = [];
  let [last, wanted, tries] = ["x", random.integer(2, 4), 0];
  while (nodes.length < wanted && tries++ < 12) {
    const before = values.get(last)!;
    const usage = inOpset(continuation(random, before), opset);
    // In the runtime, a product over nothing is memory that nobody wrote, and the greatest of nothing ends its process.
    if (before.data.length === 0 && /^(MatMul|Gemm|Einsum|TopK)$/.test(usage.op)) continue;
    const prefix = `v${nodes.length}_`;
    const own = new Map<string, Tensor>();
    const names = usage.inputs.map((t, k) => {
      if (t === "") return "";
      // The same value once more, or an earlier one of its shape.
      if (k === 0 || t === values.get(last)) {
        const alike = [...values].filter(([, v]) => v.type === t.type && v.dims.join() === t.dims.join());
        return k > 0 && chance(random, 0.5) ? oneOf(random, alike)[0] : last;
      }
      own.set(`${prefix}w${k}`, t);
      return `${prefix}w${k}`;
    });
    while (names.at(-1) === "") names.pop();
    const node = nodeOf(usage, names, prefix);
    const weights = new Map([...initializers, ...own]);
    const graph = graphOf(feeds, weights, [...nodes, node], node.outputs, opset);
    const results = await runGraph(graph, feeds).catch(() => undefined);
    const next = results && oneOf(random, [...results]);
    if (!next) continue;
    nodes.push(node);
    for (const [name, t] of own) initializers.set(name, t);
    for (const [name, t] of results) values.set(name, t);
    last = next[0];
  }
  if (nodes.length < 2) return undefined;
  return { feeds, graph: graphOf(feeds, initializers, nodes, [last], opset) };
}
