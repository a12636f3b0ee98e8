// Puts definitions in place of nodes; everything that the graph shows to the outside keeps its name.
import { Builder } from "../builder.ts";
import { GraphError } from "../error.ts";
import { type Attribute, describe, type Graph, type Node, outerReferences, subgraphs } from "../graph.ts";
import { inferNode, inferOutputs, inferScope, newWalk } from "../infer-scope.ts";
import { type AttributesOf, type OperatorName, operatorSpec } from "../operators/index.ts";
import { type Inferred, readAttributes } from "../operators/spec.ts";
import { renameNode } from "../rename.ts";
import { allNames } from "../upgrade/names.ts";
import { canonical } from "../upgrade.ts";
import { type Operand, Value } from "../value.ts";
import type { AnyDefinition } from "./definition.ts";

type Known = readonly (Inferred | undefined)[];
/** The definition that a node shall be replaced by, if any; given what is known of the node's inputs. */
export type Choose = (node: Node, inputTypes: Known) => AnyDefinition | undefined;
type LookUp = (name: string) => Inferred | undefined;

/** Writes definitions; nodes that a definition writes are themselves looked at. */
class Rewriter extends Builder {
  readonly #choose: Choose;
  /** The operators whose definitions are being written: none is defined by itself over and over. */
  readonly #open = new Set<string>();
  #stem = "";

  constructor(choose: Choose, outer?: Builder) {
    super(outer);
    this.#choose = choose;
  }

  override fresh(stem: string): string {
    return super.fresh(this.#stem ? `${this.#stem}/${stem}` : stem);
  }

  override apply<K extends OperatorName>(
    op: K,
    inputs: readonly (Operand | undefined)[],
    attributes: Partial<AttributesOf<K>> = {},
    outputCount = 1,
  ): Value[] {
    const type = inputs.find((i): i is Value => i instanceof Value)?.type.type ?? "float64";
    const values = inputs.map((i) => (i === undefined ? undefined : this.lift(i, type)));
    const outputs = super.apply(op, values, attributes, outputCount);
    const definition = this.chosen(
      this.nodes.at(-1)!,
      values.map((v) => v?.type),
    );
    if (!definition) return outputs;
    const results = this.#expand(definition, this.nodes.pop()!, values);
    return outputs.map((output, k) => results[k] ?? output);
  }

  chosen(node: Node, types: Known): AnyDefinition | undefined {
    return this.#open.has(node.op) ? undefined : this.#choose(node, types);
  }

  #expand(definition: AnyDefinition, node: Node, inputs: readonly (Value | undefined)[]) {
    this.#open.add(node.op);
    const attributes = readAttributes(node, operatorSpec(node.op, node.domain)?.attributes ?? {});
    const results = definition(inputs, attributes as never, node, this);
    this.#open.delete(node.op);
    return results instanceof Value ? [results] : results;
  }

  /** Writes a definition in place of a node; its results take the names of the node's outputs. */
  replace(definition: AnyDefinition, node: Node, types: Known): void {
    const start = this.nodes.length;
    this.#stem = node.name || node.outputs[0] || node.op;
    const inputs = node.inputs.map((name, k) =>
      name ? new Value(this, name, types[k] ?? { type: "undefined" }) : undefined,
    );
    const results = this.#expand(definition, node, inputs);
    this.#stem = "";
    const written = this.nodes.splice(start);
    this.nodes.push(...named(written, node, results));
  }
}

/** The written nodes, with the results under the node's own output names; what no node made is copied. */
function named(
  written: readonly Node[],
  node: Node,
  results: readonly (Value | undefined)[],
): readonly Node[] {
  const made = new Set(written.flatMap(({ outputs }) => outputs));
  const names = new Map<string, string>();
  const copied: [string, string][] = [];
  node.outputs.forEach((output, k) => {
    if (!output) return;
    const result = results[k]?.name;
    if (result === undefined) throw new GraphError(`${describe(node)}: its definition lacks output ${k}`);
    if (made.has(result) && !names.has(result)) names.set(result, output);
    else copied.push([result, output]);
  });
  const copies = copied.map(
    ([from, to]): Node => ({
      op: "Identity",
      domain: "",
      name: to,
      inputs: [names.get(from) ?? from],
      outputs: [to],
      attributes: new Map(),
    }),
  );
  return [...written.map((n) => renameNode(n, names, n.name)), ...copies];
}

/** One graph or subgraph; `given` is what is known of its inputs. */
function rewriteScope(
  graph: Graph,
  given: ReadonlyMap<string, Inferred>,
  builder: Rewriter,
  inner: (outer: Rewriter) => Rewriter,
  outer: LookUp = () => undefined,
): Graph {
  const values = inferScope(graph, given, newWalk(), outer);
  const lookUp: LookUp = (name) => (name ? (values.get(name) ?? outer(name)) : undefined);
  const read = namesRead(graph);
  for (const node of graph.nodes) {
    const types = node.inputs.map(lookUp);
    const definition = builder.chosen(node, types);
    if (definition) builder.replace(definition, withoutUnread(node, read), types);
    else builder.nodes.push(withBodies(node, types, builder, inner, lookUp));
  }
  return {
    ...graph,
    nodes: builder.nodes,
    initializers: new Map([...graph.initializers, ...builder.initializers]),
  };
}

/** What any node of a graph, or of one inside of it, reads, and its outputs. */
const namesRead = (graph: Graph): ReadonlySet<string> =>
  new Set([
    ...graph.outputs.map(({ name }) => name),
    ...graph.nodes.flatMap((node) => [
      ...node.inputs,
      ...subgraphs(node).flatMap((inner) => [...outerReferences(inner)]),
    ]),
  ]);

/** Of several outputs, those that nobody reads need no definition. */
const withoutUnread = (node: Node, read: ReadonlySet<string>): Node =>
  node.outputs.length > 1 && node.outputs.some((name) => name && read.has(name))
    ? { ...node, outputs: node.outputs.map((name) => (read.has(name) ? name : "")) }
    : node;

/** A node that stays, with its branches and bodies rewritten. */
function withBodies(
  node: Node,
  types: Known,
  builder: Rewriter,
  inner: (outer: Rewriter) => Rewriter,
  lookUp: LookUp,
): Node {
  if (subgraphs(node).length === 0) return node;
  // The last thing that inference assumes of a body's inputs is what holds in every turn.
  const assumed = new Map<Graph, Known>();
  inferNode(node, types, (body, inputs) => {
    assumed.set(body, inputs);
    return inferOutputs(body, inputs, newWalk(), lookUp);
  });
  const change = (body: Graph): Graph => {
    const known = assumed.get(body) ?? [];
    const given = new Map(
      body.inputs.flatMap(({ name }, k) => (known[k] ? [[name, known[k]] as const] : [])),
    );
    return rewriteScope(body, given, inner(builder), inner, lookUp);
  };
  const attributes = [...node.attributes].map(([key, a]): [string, Attribute] => {
    if (a.type === "graph") return [key, { type: "graph", value: change(a.value) }];
    return [key, a.type === "graphs" ? { type: "graphs", value: a.value.map(change) } : a];
  });
  return { ...node, attributes: new Map(attributes) };
}

/**
 * The canonical graph with the chosen nodes replaced by their definitions, in subgraphs too.
 * Inputs, outputs, weights and the values of other nodes keep their names.
 * @example rewrite(net, definitionOf).outputs[0].name // "y"
 */
export function rewrite(original: Graph, choose: Choose): Graph {
  const graph = canonical(original);
  const builder = new Rewriter(choose);
  for (const name of allNames(graph).used) builder.input(name, { type: "undefined" });
  return rewriteScope(graph, new Map(), builder, (outer) => new Rewriter(choose, outer));
}
