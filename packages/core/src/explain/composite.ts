// Composites: which rule meets which layer. The names are those that people know from zennit, iNNvestigate and the book.
import type { Graph, Node } from "../graph/graph.ts";
import { dependents } from "../passes/backward.ts";
import { type LinearLayer, relevanceLayers, sumsOfLayers } from "../passes/relevance/layers.ts";
import { wayOf } from "../passes/relevance/operators.ts";
import {
  type Assignment,
  type Bounds,
  type ProductRule,
  parseRule,
  type Rule,
  ruleText,
  shownName,
  usualLayerRule,
  zBox,
} from "../passes/relevance.ts";
import { ExplainError } from "./error.ts";

/**
 * Where a rule holds: `first` are the layers that nothing but movers and activations lies before, `last` those that none
 * lies behind; a node by its name or its operator.
 */
export type Place =
  | "first"
  | "first-convolution"
  | "last"
  | "lower"
  | "convolution"
  | "dense"
  | "layer"
  | "sum"
  | "activation"
  | { readonly node: string }
  | { readonly operator: string };

export interface CompositeLine {
  readonly at: Place;
  readonly rule: Rule;
}

export interface Composite {
  readonly name: string;
  /** The first line whose place a node is at gives its rule. */
  readonly lines: readonly CompositeLine[];
  readonly product: ProductRule;
  /** Gradients: they start with 1, not with the score, and are the rule where no line says another. */
  readonly start?: "one";
}

export type { Bounds };

const line = (at: Place, rule: string | Rule): CompositeLine => ({
  at,
  rule: typeof rule === "string" ? parseRule(rule) : rule,
});
const epsilon = "epsilon=0.000001";
const plain = (name: string, lines: readonly CompositeLine[]): Composite => ({ name, lines, product: "all" });

/** Gradients, but for what comes back through a Relu. */
const shown = (name: string, rule: "guided" | "deconvolution"): Composite => ({
  ...plain(name, [line({ operator: "Relu" }, { kind: rule })]),
  start: "one",
});

/** By name; bounds of the input are for composites that use them at the first layer. */
const presets: Readonly<Record<string, (bounds: Bounds) => Composite>> = {
  "epsilon-plus": () => plain("epsilon-plus", [line("convolution", "z-plus"), line("dense", epsilon)]),
  "epsilon-plus-flat": () =>
    plain("epsilon-plus-flat", [
      line("first", "flat"),
      line("convolution", "z-plus"),
      line("dense", epsilon),
    ]),
  "epsilon-alpha2-beta1": () =>
    plain("epsilon-alpha2-beta1", [line("convolution", "alpha-beta=2,1"), line("dense", epsilon)]),
  "epsilon-alpha2-beta1-flat": () =>
    plain("epsilon-alpha2-beta1-flat", [
      line("first", "flat"),
      line("convolution", "alpha-beta=2,1"),
      line("dense", epsilon),
    ]),
  "epsilon-gamma-box": (bounds) =>
    plain("epsilon-gamma-box", [
      line("first-convolution", zBox(bounds)),
      line("convolution", "gamma=0.25"),
      line("dense", epsilon),
    ]),
  /** As in zennit: with the share of the bias, which the method as first published leaves out. */
  "excitation-backprop": () =>
    plain("excitation-backprop", [line("layer", "z-plus"), line("activation", "gradient")]),
  "guided-backprop": () => shown("guided-backprop", "guided"),
  deconvnet: () => shown("deconvnet", "deconvolution"),
  /** Figure 5.1 of the book. */
  "epsilon-alpha1-beta0": () =>
    plain("epsilon-alpha1-beta0", [line("convolution", "alpha-beta=1,0"), line("dense", epsilon)]),
  /** Without a parameter: alpha 1, beta 0 in every layer (the book's proposal where nothing is to be chosen). */
  "alpha1-beta0": () => plain("alpha1-beta0", [line("layer", "alpha-beta=1,0")]),
  /** From the top: 0, epsilon, gamma, and the box of the pixels at the bottom. */
  montavon: (bounds) =>
    plain("montavon", [
      line("first", zBox(bounds)),
      line("last", "zero"),
      line("lower", "gamma=0.25"),
      line("layer", "epsilon=0.25rms"),
    ]),
  /** The same for inputs that have no bounds. */
  "montavon-real": () =>
    plain("montavon-real", [
      line("first", "w-square"),
      line("last", "zero"),
      line("lower", "gamma=0.25"),
      line("layer", "epsilon=0.25rms"),
    ]),
  /** Each layer by the Taylor expansion at the root that its inputs allow. */
  "deep-taylor": (bounds) =>
    plain("deep-taylor", [line("first", zBox(bounds)), line("layer", { kind: "z-plus", bias: false })]),
  /** Words: epsilon everywhere, in the sums of a cell's state too. */
  text: () => plain("text", [line("layer", "epsilon=0.001"), line("sum", "epsilon=0.001")]),
};

export const compositeNames = Object.keys(presets) as readonly string[];

/** Which composites ask for the bounds of the inputs. */
export const usesBounds = (name: string): boolean => /^(epsilon-gamma-box|montavon|deep-taylor)$/.test(name);

/**
 * One rule in every layer.
 * @example uniform(parseRule("epsilon=0.1")).name // "uniform(epsilon=0.1)"
 */
export const uniform = (rule: Rule, text: string = ruleText(rule)): Composite => {
  if (rule.kind === "gradient") return { ...plain(`uniform(${text})`, []), start: "one" };
  const everywhere: readonly Place[] = rule.kind === "zero" ? ["layer", "sum"] : ["layer"];
  return plain(
    `uniform(${text})`,
    everywhere.map((at) => ({ at, rule })),
  );
};

/**
 * A composite by its name.
 * @example composite("uniform(gamma=0.25)").lines.length // 1
 */
export function composite(name: string, bounds: Bounds = { low: 0, high: 1 }): Composite {
  const one = /^uniform\((.*)\)$/.exec(name)?.[1];
  if (one !== undefined) return uniform(parseRule(one), one);
  const found = Object.hasOwn(presets, name) ? presets[name] : undefined;
  if (!found)
    throw new ExplainError(`no composite "${name}": there are ${compositeNames.join(", ")}, uniform(RULE)`);
  return found(bounds);
}

/** Whether a node is at a place. */
interface Whereabouts {
  readonly layers: ReadonlyMap<Node, LinearLayer>;
  /** Of the parts of a sum of layers, the Add at its top. */
  readonly tops: ReadonlyMap<Node, Node>;
  /** The linear layers on the way from each value down to the inputs, and up to the output: how many at most. */
  readonly below: ReadonlyMap<Node, number>;
  readonly above: ReadonlyMap<Node, number>;
}

function whereabouts(graph: Graph, wrt: ReadonlySet<string>): Whereabouts {
  const active = dependents(graph, wrt);
  const layers = relevanceLayers(graph, (name) => active.has(name));
  const tops = sumsOfLayers(graph, layers, (name) => active.has(name));
  const below = new Map<Node, number>();
  const depth = new Map<string, number>();
  for (const node of graph.nodes) {
    const before = Math.max(0, ...node.inputs.filter((n) => active.has(n)).map((n) => depth.get(n) ?? 0));
    below.set(node, before);
    for (const output of node.outputs) depth.set(output, before + (layers.has(node) ? 1 : 0));
  }
  const above = new Map<Node, number>();
  const height = new Map<string, number>();
  for (const node of graph.nodes.toReversed()) {
    const behind = Math.max(0, ...node.outputs.map((n) => height.get(n) ?? 0));
    above.set(node, behind);
    const here = behind + (layers.has(node) ? 1 : 0);
    for (const input of node.inputs) height.set(input, Math.max(here, height.get(input) ?? 0));
  }
  return { layers, tops, below, above };
}

function isAt(place: Place, node: Node, { layers, below, above }: Whereabouts): boolean {
  if (typeof place === "object")
    return "node" in place ? shownName(node) === place.node : node.op === place.operator;
  const layer = layers.get(node);
  const [b, a] = [below.get(node) ?? 0, above.get(node) ?? 0];
  switch (place) {
    case "first":
      return layer !== undefined && b === 0;
    case "first-convolution":
      return layer?.kind === "convolution" && b === 0;
    case "last":
      return layer !== undefined && a === 0;
    case "lower":
      return layer !== undefined && b <= a;
    case "layer":
      return layer !== undefined;
    case "convolution":
    case "dense":
      return layer?.kind === place;
    case "sum":
      return wayOf(node) === "sum";
    case "activation":
      return wayOf(node) === "pass";
  }
}

/** Which rule each node of a graph gets. The epsilon of a layer in several parts is added once, to the sum of them. */
export function assign(composite: Composite, graph: Graph, wrt: ReadonlySet<string>): Assignment {
  const where = whereabouts(graph, wrt);
  for (const { at } of composite.lines)
    if (typeof at === "object" && "node" in at && !graph.nodes.some((node) => isAt(at, node, where)))
      throw new ExplainError(`${composite.name} has a rule for node "${at.node}", and there is none`);
  const stated = (node: Node): Rule | undefined =>
    composite.lines.find(({ at }) => isAt(at, node, where))?.rule ??
    (composite.start === "one" ? { kind: "gradient" } : undefined);
  const ofSum = new Map<Node, Rule>();
  for (const [part, top] of where.tops) {
    if (!where.layers.has(part) || (stated(part) ?? usualLayerRule).kind !== "epsilon") continue;
    const rule = stated(top) ?? stated(part) ?? usualLayerRule;
    if (rule.kind === "epsilon") ofSum.set(top, rule);
  }
  return {
    product: composite.product,
    ruleOf: (node) => ofSum.get(node) ?? (ofSum.has(where.tops.get(node)!) ? { kind: "zero" } : stated(node)),
  };
}
