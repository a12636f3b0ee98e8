// How the weights of a network enter: as a dense layer, as a window, as a bias, or in some other way.
import type { Graph, Node } from "../../graph/graph.ts";
import { operatorSpec } from "../../graph/operators/index.ts";
import { readAttributes } from "../../graph/operators/spec.ts";
import type { WindowAttributes } from "../../graph/operators/window.ts";
import { elementCount } from "../../graph/tensor.ts";

/** The gradient by the weight W of one example, with what comes back to the layer's output (d) and its operand (h). */
export type LayerUse =
  /** d h^T: the kernel is <d, d'> <h, h'> and nobody needs the gradient. */
  | { readonly kind: "dense"; readonly weight: string; readonly operand: string; readonly output: string }
  /** d itself, summed over positions. */
  | { readonly kind: "bias"; readonly weight: string; readonly output: string; readonly units: Units }
  /** sum over positions of d[p] h[p]^T, h[p] a position's units. */
  | { readonly kind: "sequence"; readonly weight: string; readonly operand: string; readonly output: string }
  /** The same, h[p] the window of a convolution. */
  | {
      readonly kind: "window";
      readonly weight: string;
      readonly operand: string;
      readonly output: string;
      readonly kernel: readonly number[];
      readonly attributes: WindowAttributes;
    }
  /** By the Jacobian of each example. */
  | { readonly kind: "other"; readonly weight: string };

/** Where the units of a layer's output stand: its only axis besides the examples', the last one, the one after them. */
export type Units = "only" | "last" | "first";

type RankOf = (name: string) => number | undefined;

const attributesOf = <T>(node: Node): T =>
  readAttributes(node, operatorSpec(node.op, node.domain)!.attributes) as T;

interface GemmAttributes {
  readonly alpha: number;
  readonly beta: number;
  readonly transA: number;
}

/** How one weight is used, if it is used once and in a way that has a form of its own. */
export function layerUse(graph: Graph, weight: string, rankOf: RankOf): LayerUse {
  const uses = graph.nodes.filter(({ inputs }) => inputs.includes(weight));
  const [node] = uses;
  const dims = graph.initializers.get(weight)!.dims;
  const isOnce = uses.length === 1 && node!.inputs.filter((name) => name === weight).length === 1;
  return (isOnce && node!.domain === "" && use(node!, weight, dims, rankOf)) || { kind: "other", weight };
}

function use(node: Node, weight: string, dims: readonly number[], rankOf: RankOf): LayerUse | undefined {
  const [operand, output] = [node.inputs[0]!, node.outputs[0]!];
  const place = node.inputs.indexOf(weight);
  const rank = rankOf(output);
  switch (node.op) {
    case "Gemm": {
      const { alpha, beta, transA } = attributesOf<GemmAttributes>(node);
      if (transA || alpha !== 1 || beta !== 1 || place === 0) return undefined;
      if (place === 1) return { kind: "dense", weight, operand, output };
      return isRow(dims) ? { kind: "bias", weight, output, units: "only" } : undefined;
    }
    case "MatMul":
      if (place !== 1 || dims.length !== 2 || rank === undefined || rank < 2) return undefined;
      return { kind: rank === 2 ? "dense" : "sequence", weight, operand, output };
    case "Add":
      return isRow(dims) && rank !== undefined && rank >= 2 && elementCount(dims) > 1
        ? { kind: "bias", weight, output, units: rank === 2 ? "only" : "last" }
        : undefined;
    case "Conv": {
      const attributes = attributesOf<WindowAttributes & { readonly group: number }>(node);
      if (place === 2) return { kind: "bias", weight, output, units: "first" };
      if (place !== 1 || attributes.group !== 1) return undefined;
      return { kind: "window", weight, operand, output, kernel: dims.slice(2), attributes };
    }
    default:
      return undefined;
  }
}

/** One number for each place of the last axis. */
const isRow = (dims: readonly number[]): boolean => dims.length > 0 && elementCount(dims) === dims.at(-1);
