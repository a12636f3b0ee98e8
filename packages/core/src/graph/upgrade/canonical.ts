// The walk that brings a graph and its subgraphs into canonical form.
import { checkHidden } from "../check.ts";
import { GraphError } from "../error.ts";
import { type Attribute, type Graph, type Node, subgraphs } from "../graph.ts";
import type { SparseTensor, Tensor } from "../tensor.ts";
import { constantValue } from "./constant.ts";
import { allNames, FreshNames } from "./names.ts";
import { beside, type Rewriting } from "./rewriting.ts";
import { upgradeRules } from "./rules.ts";
import { KnownTypes } from "./types.ts";

/** The opset whose operator forms all passes read, and that the builder writes. */
export const canonicalOpset = 20;
/** The oldest version of the file format that opset 20 goes with. */
const canonicalIrVersion = 9;
/** Graphs nested deeper than this are refused rather than walked. */
const depthLimit = 64;

const cache = new WeakMap<Graph, Graph>();

/**
 * The graph in canonical form: opset 20 forms, constants as initializers, subgraphs likewise.
 * Values and nodes keep their names; new ones are named after the node that they replace.
 * @example opsetOf(canonical(readModel(bytes))) // at least 20
 */
export function canonical(graph: Graph): Graph {
  const known = cache.get(graph);
  if (known) return known;
  checkHidden(graph);
  const version = graph.opsets.get("") ?? graph.opsets.get("ai.onnx");
  const opset = version ?? canonicalOpset;
  const result = isCanonical(graph, opset) ? graph : upgraded(graph, opset, version !== undefined);
  cache.set(graph, result);
  cache.set(result, result);
  return result;
}

const isOnnx = ({ domain }: Node): boolean => domain === "" || domain === "ai.onnx";

/** A graph that needs no change is given back as it is. */
const isCanonical = (graph: Graph, opset: number): boolean =>
  opset >= canonicalOpset &&
  graph.irVersion >= 4 &&
  graph.nodes.every(
    (n) => !(isOnnx(n) && n.op === "Constant") && subgraphs(n).every((g) => isCanonical(g, opset)),
  );

function upgraded(graph: Graph, opset: number, stated: boolean): Graph {
  const opsets = new Map(graph.opsets);
  if (stated) {
    opsets.delete("ai.onnx");
    opsets.set("", Math.max(opset, canonicalOpset));
  }
  const irVersion = Math.max(graph.irVersion, canonicalIrVersion);
  const names = new FreshNames(allNames(graph));
  const constantInputs = graph.irVersion < 4;
  const result = upgradeScope(graph, { opset, names, opsets, irVersion }, undefined, 0);
  // Before IR version 4 a weight had to be listed as an input; since then that would make it changeable.
  const inputs = constantInputs
    ? graph.inputs.filter(({ name }) => !graph.initializers.has(name))
    : graph.inputs;
  return { ...result, inputs };
}

interface Setting extends Pick<Graph, "opsets" | "irVersion"> {
  readonly opset: number;
  readonly names: FreshNames;
}

function upgradeScope(graph: Graph, setting: Setting, outer: KnownTypes | undefined, depth: number): Graph {
  if (depth > depthLimit)
    throw new GraphError(`graph "${graph.name}" is nested more than ${depthLimit} deep`);
  const { opset, names, opsets, irVersion } = setting;
  const initializers = new Map<string, Tensor | SparseTensor>(graph.initializers);
  const nodes: Node[] = [];
  const types = new KnownTypes(graph, initializers, nodes, outer);
  const outputs = new Set(graph.outputs.map((o) => o.name));
  const at: Rewriting = {
    opset,
    fresh: (node, part) => names.fresh(`${node.name || node.outputs[0] || node.op}/${part}`),
    weight: (node, part, value) => {
      const name = at.fresh(node, part);
      initializers.set(name, value);
      return name;
    },
    typeOf: (name) => types.of(name),
    isUsed: (name) => outputs.has(name) || names.isRead(name),
  };
  for (const node of graph.nodes) {
    const name = node.outputs[0] ?? "";
    if (isOnnx(node) && node.op === "Constant" && node.attributes.size > 0) {
      // An output is always made by a node: the runtimes differ on outputs that are weights.
      const weight = outputs.has(name) ? at.fresh(node, "value") : name;
      initializers.set(weight, constantValue(node));
      if (weight !== name) nodes.push({ ...beside("Identity", [weight], name), name: node.name });
      continue;
    }
    const inner = withSubgraphs(node, (g) => upgradeScope(g, setting, types, depth + 1));
    const rule = isOnnx(node) && Object.hasOwn(upgradeRules, node.op) ? upgradeRules[node.op] : undefined;
    nodes.push(...(rule && opset < rule.since && opset < canonicalOpset ? rule.rewrite(inner, at) : [inner]));
  }
  return { ...graph, nodes, initializers, opsets, irVersion };
}

function withSubgraphs(node: Node, change: (graph: Graph) => Graph): Node {
  if (subgraphs(node).length === 0) return node;
  const attributes = [...node.attributes].map(([key, a]): [string, Attribute] => {
    if (a.type === "graph") return [key, { type: "graph", value: change(a.value) }];
    return [key, a.type === "graphs" ? { type: "graphs", value: a.value.map(change) } : a];
  });
  return { ...node, attributes: new Map(attributes) };
}
