// Nodes that say nothing: what only constants and shapes decide, what another node computes already, and what moves
// nothing. Their values become weights, or those of the node before.
import { describe, type Graph, isSparse, type Node, subgraphs } from "../../graph/graph.ts";
import { inferTypes } from "../../graph/infer.ts";
import { isConstantWeight } from "../../graph/infer-scope.ts";
import { prune } from "../../graph/prune.ts";
import { renameNode } from "../../graph/rename.ts";
import { elementCount, type SparseTensor, type Tensor } from "../../graph/tensor.ts";
import { canonical } from "../../graph/upgrade.ts";
import { foldedConstants, isExactlyFolded } from "../normal/fold-constant.ts";
import type { RemovedUnit } from "./removal.ts";

/** Larger constants than this are left to the node that makes them, unless they are no larger than what it reads. */
const mostElements = 2 ** 16;
/** Drawn anew at each run, or whole numbers on purpose. */
const isLeft = ({ op, domain }: Node): boolean =>
  domain !== "" || /^(Random|Bernoulli|Multinomial)|uantize|^(Dropout|Loop|If|Scan)/.test(op);

export interface FoldedConstants {
  readonly graph: Graph;
  readonly removed: readonly RemovedUnit[];
  /** No number was rounded. */
  readonly exact: boolean;
}

type Types = ReturnType<typeof inferTypes>;

/** A text that is the same for nodes that compute the same. */
const deedOf = ({ op, domain, inputs, outputs, attributes }: Node): string | undefined => {
  const parts: string[] = [];
  for (const [name, a] of [...attributes].toSorted(([p], [q]) => (p < q ? -1 : 1))) {
    if (a.type === "tensor") {
      if (typeof a.value.data[0] === "string" || a.value.data.length > 64) return undefined;
      parts.push(
        `${name}=${a.value.type}[${a.value.dims}]${Array.from(a.value.data as ArrayLike<number>, String)}`,
      );
    } else if (/^(int|float|string|ints|floats|strings)$/.test(a.type)) {
      const list = Array.isArray(a.value) ? a.value : [a.value];
      parts.push(`${name}=${a.type}${list.map((v) => (Object.is(v, -0) ? "-0" : String(v))).join("\u0001")}`);
    } else return undefined;
  }
  return [domain, op, inputs.join("\u0001"), outputs.length, ...parts].join("\u0002");
};

/** Does the node hand on its first input as it is? */
function isIdle({ op, domain, inputs, outputs, attributes }: Node, types: Types): boolean {
  if (domain !== "" || outputs.length !== 1) return false;
  const [from, to] = [types.get(inputs[0]!)?.shape, types.get(outputs[0]!)?.shape];
  const isSame =
    from !== undefined &&
    to !== undefined &&
    from.length === to.length &&
    from.every((d, k) => typeof d === "number" && d === to[k]);
  if (op === "Concat") return inputs.length === 1;
  if (op === "Transpose") {
    const perm = attributes.get("perm");
    return perm?.type === "ints" && perm.value.every((axis, k) => Number(axis) === k);
  }
  if (op === "Slice") {
    const steps = inputs[4] ? types.get(inputs[4])?.value : undefined;
    const isForward =
      !inputs[4] || (steps && Array.from(steps.data as ArrayLike<unknown>, Number).every((s) => s === 1));
    return isSame && Boolean(isForward);
  }
  return isSame && /^(Reshape|Flatten|Squeeze|Unsqueeze|Expand)$/.test(op);
}

/** What nodes inside of others read keeps its name. */
const hasBodies = (graph: Graph): boolean => graph.nodes.some((node) => subgraphs(node).length > 0);

/** The graph without nodes that constants, shapes or other nodes decide; the graph itself if there are none. */
export function foldConstants(source: Graph, exactOnly: boolean): FoldedConstants {
  const graph = canonical(source);
  const same: FoldedConstants = { graph: source, removed: [], exact: true };
  if (hasBodies(graph)) return same;
  const types = inferTypes(graph);
  const outputs = new Set(graph.outputs.map(({ name }) => name));
  const weights = new Map<string, Tensor | SparseTensor>(graph.initializers);
  const constantOf = (name: string): Tensor | undefined => {
    const found = weights.get(name);
    return found && !isSparse(found) && isConstantWeight(graph, name) ? found : undefined;
  };
  const renamed = new Map<string, string>();
  const seen = new Map<string, Node>();
  const removed: RemovedUnit[] = source.nodes
    .filter((node) => node.op === "Constant" && node.domain === "" && !outputs.has(node.outputs[0] ?? ""))
    .map((node) => ({ layer: describe(node), reason: "folded" }) as const);
  let exact = true;
  const nodes: Node[] = [];
  for (const original of graph.nodes) {
    const node = original.inputs.some((name) => renamed.has(name))
      ? renameNode(original, renamed, original.name)
      : original;
    const isShown = node.outputs.some((name) => outputs.has(name));
    const drop = (): void => {
      removed.push({ layer: describe(node), reason: "folded" });
    };
    if (isShown || isLeft(node)) {
      nodes.push(node);
      continue;
    }
    const values = foldedValues(node, types, constantOf, exactOnly);
    if (values) {
      node.outputs.forEach((name, k) => {
        if (name) weights.set(name, values.tensors[k]!);
      });
      exact &&= values.exact;
      drop();
      continue;
    }
    const before = isIdle(node, types) ? node.inputs[0] : undefined;
    const deed = deedOf(node);
    const twin = deed === undefined ? undefined : seen.get(deed);
    if (before !== undefined) {
      renamed.set(node.outputs[0]!, before);
      drop();
    } else if (twin?.outputs.every((name, k) => name || !node.outputs[k])) {
      node.outputs.forEach((name, k) => {
        if (name) renamed.set(name, twin.outputs[k]!);
      });
      drop();
    } else {
      if (deed !== undefined) seen.set(deed, node);
      nodes.push(node);
    }
  }
  if (removed.length === 0) return same;
  return { graph: prune({ ...graph, nodes, initializers: weights, valueTypes: new Map() }), removed, exact };
}

/** The outputs of a node that only shapes or constants decide. */
function foldedValues(
  node: Node,
  types: Types,
  constantOf: (name: string) => Tensor | undefined,
  exactOnly: boolean,
): { readonly tensors: readonly (Tensor | undefined)[]; readonly exact: boolean } | undefined {
  const known = node.outputs.map((name) => (name ? types.get(name)?.value : undefined));
  const isWhole = (t: Tensor | undefined): boolean => t !== undefined && /^u?int|^bool/.test(t.type);
  if (node.outputs.every((name, k) => !name || isWhole(known[k]))) return { tensors: known, exact: true };
  const inputs = node.inputs.map((name) => (name ? constantOf(name) : undefined));
  if (node.inputs.length === 0 || node.inputs.some((name, k) => name && !inputs[k])) return undefined;
  const tensors = foldedConstants(node, inputs);
  if (!tensors) return undefined;
  const read = inputs.reduce((n, t) => n + (t ? elementCount(t.dims) : 0), 0);
  const made = tensors.reduce((n, t) => n + elementCount(t.dims), 0);
  if (made > Math.max(mostElements, read)) return undefined;
  const exact = isExactlyFolded(node, inputs);
  return exact || !exactOnly ? { tensors, exact } : undefined;
}
