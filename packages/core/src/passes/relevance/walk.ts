// The relevance pass itself: for each node the way back that its operator has, by the rule that its layer was given.
import type { Graph, Node } from "../../graph/graph.ts";
import { type BackwardPass, type BackwardRules, backwardPass, type Step } from "../backward.ts";
import { zerosLike } from "../gradient/shapes.ts";
import { gates } from "./gates.ts";
import { type Added, throughLayer } from "./layer-way.ts";
import { type LinearLayer, relevanceLayers } from "./layers.ts";
import { type Account, sumOf } from "./ledger.ts";
import { operatorsWithWay, rulesOfWay, type Way, wayOf } from "./operators.ts";
import {
  arrivedAt,
  byGradient,
  type ProductRule,
  route,
  stop,
  throughActivation,
  throughBilinear,
  throughFirst,
  throughProduct,
  throughSum,
} from "./other-ways.ts";
import { defaultStabilizer, type Rule, ruleText } from "./rule.ts";
import type { AnyRule, Attributes, Found } from "./step.ts";
import { keepsZeros, nonnegative, rectified } from "./values.ts";

export type { ProductRule } from "./other-ways.ts";

export interface Assignment {
  /** The rule of a layer, sum, pooling or activation; undefined: `epsilon` for layers, `norm` for sums, else `pass`. */
  ruleOf(node: Node): Rule | undefined;
  readonly product: ProductRule;
}

export interface RelevanceWalk {
  readonly pass: BackwardPass;
  /** Filled while the pass runs: from the output down. */
  readonly accounts: readonly Account[];
}

/** Of layers that are given no rule. */
export const usualLayerRule = { kind: "epsilon", epsilon: defaultStabilizer } as const satisfies Rule;

const usual = {
  layer: usualLayerRule,
  sum: { kind: "norm" },
  pass: { kind: "pass" },
} as const satisfies Record<string, Rule>;

/** Rules that send nothing to inputs that are 0. */
const inputRules = /^(zero|epsilon|gamma|z-plus|alpha-beta|norm)$/;

/** Whether no relevance arrives below a Relu that is closed: nothing above the first layers spreads it over zeros. */
function isSparse(graph: Graph, layers: ReadonlyMap<Node, LinearLayer>, { ruleOf }: Assignment): boolean {
  const made = new Set(graph.nodes.flatMap(({ outputs }) => outputs));
  return graph.nodes.every((node) => {
    const layer = layers.get(node);
    if (layer && !made.has(node.inputs[layer.activation]!)) return true;
    const rule = ruleOf(node);
    if (wayOf(node) === "pass") return keepsZeros(node) && rule?.kind !== "deconvolution";
    return rule === undefined || inputRules.test(rule.kind);
  });
}

/** What a node's way back says, or that all is absorbed where nothing goes on: an integer has no relevance to hand on. */
const takenBy = ({ taken, shares }: Found, step: Step): Account["taken"] =>
  taken && shares.some((share) => share)
    ? taken
    : shares.some((share) => share)
      ? () => ({})
      : () => ({ absorbed: arrivedAt(step) });

/** The pass for one graph: `active` are the values that depend on what is explained by. */
export function relevanceWalk(
  graph: Graph,
  active: ReadonlySet<string>,
  assignment: Assignment,
): RelevanceWalk {
  const accounts: Account[] = [];
  const layers = relevanceLayers(graph, (name) => active.has(name));
  const layerBefore = new Map(
    [...layers.values()].flatMap((l) => (l.added ? [[l.added.node, l] as const] : [])),
  );
  const addedBehind = new Map<Node, Added>();
  const gateness = gates(graph, (name) => active.has(name));
  const isNonnegative = nonnegative(graph);
  const [isRelu, sparse] = [rectified(graph), isSparse(graph, layers, assignment)];
  const { ruleOf, product } = assignment;

  const ways: Readonly<Record<Way, (step: Step, attributes: Attributes) => Found>> = {
    layer: (step, attributes) => {
      const layer = layers.get(step.node);
      if (!layer) return throughBilinear(step, attributes, product, gateness);
      const last = layer.added?.node ?? step.node;
      const knowledge = {
        isPositive: isNonnegative(step.node.inputs[layer.activation]!),
        isRectified: sparse && isRelu(last.outputs[0]!),
      };
      const rule = ruleOf(step.node) ?? usual.layer;
      return throughLayer(rule, layer, step, attributes, knowledge, addedBehind.get(step.node));
    },
    sum: (step, attributes) =>
      step.node.op === "Einsum" && step.node.inputs.filter(step.wants).length > 1
        ? throughBilinear(step, attributes, product, gateness)
        : throughSum(ruleOf(step.node) ?? usual.sum, step, attributes),
    route,
    pass: (step) => throughActivation(ruleOf(step.node) ?? usual.pass, step),
    product: (step) => throughProduct(step, product, gateness),
    first: throughFirst,
    stop,
  };

  const rule: AnyRule = (step, attributes) => {
    const { node, g } = step;
    const layer = layerBefore.get(node);
    if (layer) {
      const bias = node.inputs.indexOf(layer.added!.bias);
      addedBehind.set(layer.node, { bias: step.x[bias]!, output: step.y[0] });
      return node.inputs.map((_, k) => (k === bias ? undefined : () => g));
    }
    const way = wayOf(node)!;
    const stated = ruleOf(node);
    const isGradient = stated?.kind === "gradient";
    if (stated && !isGradient && !rulesOfWay[way].has(stated.kind))
      return step.fail(`"${ruleText(stated)}" is no rule that it has`);
    const found = isGradient ? byGradient(step, attributes) : ways[way](step, attributes);
    const account: Account = {
      node,
      rule: found.rule,
      arrived: arrivedAt(step),
      handed: [],
      taken: takenBy(found, step),
    };
    accounts.push(account);
    return found.shares.map(
      (share) =>
        share &&
        (() => {
          const value = share();
          account.handed.push(sumOf(value));
          return value;
        }),
    );
  };
  const pass = backwardPass(
    "relevance",
    Object.fromEntries(operatorsWithWay.map((op) => [op, rule])) as BackwardRules,
    {
      gather: (shares) => shares.reduce((sum, share) => sum.add(share)),
      nothing: (output) => zerosLike(output),
    },
  );
  return { pass, accounts };
}
