// Layer-wise relevance propagation, graph to graph: the score of a class is handed back, node by node, to the inputs. The
// result is a graph that any ONNX runtime runs.
import { Builder } from "../graph/builder.ts";
import { definitionOf, rewrite } from "../graph/definitions/index.ts";
import { GraphError } from "../graph/error.ts";
import { finish } from "../graph/finish.ts";
import { freeName } from "../graph/free-name.ts";
import { type Graph, isTensorType, type Node, requiredInputs, type TensorType } from "../graph/graph.ts";
import { inferTypes } from "../graph/infer.ts";
import { prune } from "../graph/prune.ts";
import { isFloat } from "../graph/tensor.ts";
import { canonical } from "../graph/upgrade.ts";
import type { Value, Values } from "../graph/value.ts";
import { dependents, reads, unreadable } from "./backward.ts";
import { zerosLike } from "./gradient/shapes.ts";
import { ledgerMatrix } from "./relevance/ledger.ts";
import { wayOf } from "./relevance/operators.ts";
import { type Start, seedOf, type Target } from "./relevance/target.ts";
import { type Assignment, relevanceWalk } from "./relevance/walk.ts";

export { ledgerColumns, shownName } from "./relevance/ledger.ts";
export { type Bounds, parseRule, type Rule, type RuleKind, ruleText, zBox } from "./relevance/rule.ts";
export type { Target } from "./relevance/target.ts";
export { type Assignment, type ProductRule, usualLayerRule } from "./relevance/walk.ts";

export interface RelevanceOptions {
  /** The rules, for the graph in which all operators that have no way back are written out. */
  readonly assign: (graph: Graph, wrt: ReadonlySet<string>) => Assignment;
  /** What is explained; default: the class that the network predicts. */
  readonly target?: Target;
  /** Default: the score. */
  readonly start?: Start;
  /** The value whose entries are the scores; default: the first floating-point output. */
  readonly of?: string;
  /** By which values: inputs, or what is inside; default: the floating-point inputs. */
  readonly wrt?: readonly string[];
  /** Whether the graph has an output with the books. */
  readonly ledger?: boolean;
}

export interface Relevance {
  /** Outputs: `score`, `relevance_<name>` for each value asked for, and `ledger` if it was. */
  readonly graph: Graph;
  /** Where an input has such a name, that of the output ends in an underscore. */
  readonly names: ReadonlyMap<string, string>;
  readonly score: string;
  readonly ledger: string;
  /** The rows of the ledger: which rule met which node, from the output down. */
  readonly rows: readonly { readonly node: Node; readonly rule: string }[];
}

const expandable = (node: Node): boolean => wayOf(node) === undefined && definitionOf(node) !== undefined;

/** Operators without a way back of their own, where they lie between `wrt` and `of`, written out by others. */
export function expandForRelevance(graph: Graph, wrt: ReadonlySet<string>): Graph {
  let current = graph;
  // What a definition writes may have to be written out again.
  for (let round = 0; round < 4; round++) {
    const active = dependents(current, wrt);
    const lacking = new Set(
      current.nodes.filter((node) => expandable(node) && reads(node).some((name) => active.has(name))),
    );
    if (lacking.size === 0) break;
    current = rewrite(current, (node) => (lacking.has(node) ? definitionOf(node) : undefined));
  }
  return current;
}

/**
 * The relevance of inputs for a score.
 * @example relevance(net, { assign: () => ({ ruleOf: () => undefined, product: "all" }) }).graph.outputs.map((o) => o.name) // ["score", "relevance_x"]
 */
export function relevance(original: Graph, options: RelevanceOptions): Relevance {
  const plain = canonical(original);
  const wrt = options.wrt ?? floatInputs(plain);
  if (wrt.length === 0)
    throw new GraphError("no input holds floating-point numbers: there is nothing to hand relevance back to");
  const asked = new Set(wrt);
  const graph = expandForRelevance(plain, asked);
  const of = options.of ?? firstFloatOutput(graph);
  const inputs = Object.fromEntries(requiredInputs(graph).map((i) => [i.name, tensorType(i.name, i.type)]));
  const seedInput: Record<string, TensorType> =
    options.target?.kind === "given" ? { target: inferTypes(graph).get(of)! } : {};
  const names = new Map(wrt.map((name) => [name, freeName(graph, `relevance_${name}`)]));
  const [scoreName, ledgerName] = [freeName(graph, "score"), freeName(graph, "ledger")];
  const builder = new Builder();
  const rows: Relevance["rows"][number][] = [];
  const body = (given: Values): Values => {
    const values = builder.trace(graph, given);
    const score = values.get(of);
    if (!score) throw new GraphError(`no value "${of}" to explain`);
    if (!score.type.shape) throw unreadable("relevance", graph, values, of);
    const seed = seedOf(
      options.target ?? { kind: "predicted" },
      score,
      given["target"],
      options.start ?? "score",
    );
    const walk = relevanceWalk(graph, dependents(graph, asked), options.assign(graph, asked));
    const found = walk.pass(upTo(graph, of), values, new Map([[of, seed]]), asked);
    rows.push(...walk.accounts.map(({ node, rule }) => ({ node, rule })));
    const outputs = wrt.map((name): [string, Value] => [
      names.get(name)!,
      found.get(name) ?? zerosLike(values.get(name)!),
    ]);
    const isBooked = options.ledger && walk.accounts.length > 0;
    return {
      [scoreName]: score.op("Identity"),
      ...Object.fromEntries(outputs),
      ...(isBooked && { [ledgerName]: ledgerMatrix(walk.accounts, score) }),
    };
  };
  const result = finish(builder, { ...inputs, ...seedInput }, body, {
    name: `${graph.name}_relevance`,
    nested: false,
  });
  const written = prune({ ...result, opsets: graph.opsets, functions: graph.functions });
  return { graph: written, names, score: scoreName, ledger: ledgerName, rows };
}

/** The nodes that a value depends on, in their order. */
function upTo(graph: Graph, of: string): Graph {
  const needed = new Set([of]);
  const nodes = graph.nodes.toReversed().filter(({ outputs, inputs }) => {
    if (!outputs.some((name) => needed.has(name))) return false;
    for (const name of inputs) needed.add(name);
    return true;
  });
  return { ...graph, nodes: nodes.reverse() };
}

const floatInputs = (graph: Graph): readonly string[] =>
  requiredInputs(graph)
    .filter(({ type }) => isFloat(type.type as "float32"))
    .map(({ name }) => name);

function firstFloatOutput(graph: Graph): string {
  const types = inferTypes(graph);
  const found = graph.outputs.find(({ name }) => isFloat(types.get(name)?.type ?? "undefined"));
  if (!found) throw new GraphError("the graph has no floating-point output to explain");
  return found.name;
}

function tensorType(name: string, type: Graph["inputs"][number]["type"]): TensorType {
  if (!isTensorType(type)) throw new GraphError(`input "${name}" is a ${type.description}, not a tensor`);
  return type;
}
