// What must hold for a list of nodes to be a graph: every name made once, before it is read.
import { GraphError } from "./error.ts";
import { describe, type Graph, type Node, subgraphs, topologicalOrder } from "./graph.ts";

/** The oldest operator set that upgrade.ts can rewrite. */
const oldestOpset = 7;
/** Levels of subgraphs; a walk that calls itself on each must not run out of stack. */
const maxNesting = 100;

/** The names that can be read at some point: those of this graph, then those around it. */
interface Scope {
  readonly names: Set<string>;
  readonly outer?: Scope;
}

/**
 * Throws a GraphError that says what is wrong and where, if the graph is not one that can be run.
 * @example checkGraph(net) // returns, or: Relu node "y" reads "x", which nothing makes
 */
export function checkGraph(graph: Graph): void {
  checkScope(graph, undefined, "", 0);
  checkOpset(graph);
}

function checkOpset(graph: Graph): void {
  const user = firstStandardNode(graph);
  if (!user) return; // a model of trees (ai.onnx.ml) may state none, or opset 1
  const opset = graph.opsets.get("") ?? graph.opsets.get("ai.onnx");
  if (opset === undefined) {
    throw new GraphError(`the model does not say which opset its ${describe(user)} is of`);
  }
  if (opset < oldestOpset) {
    throw new GraphError(`opset ${opset} is older than ${oldestOpset}, the oldest that is read`);
  }
}

function firstStandardNode(graph: Graph): Node | undefined {
  for (const node of graph.nodes) {
    if (node.domain === "" || node.domain === "ai.onnx") return node;
    for (const inner of subgraphs(node)) {
      const found = firstStandardNode(inner);
      if (found) return found;
    }
  }
  return undefined;
}

function checkScope(graph: Graph, outer: Scope | undefined, where: string, depth: number): void {
  if (depth > maxNesting) throw new GraphError(`subgraphs nest over ${maxNesting} levels deep`);
  const scope: Scope = { names: new Set(), outer };
  declareInputs(graph, scope, where);
  graph.nodes.forEach((node, k) => {
    if (!node.op) {
      throw new GraphError(
        `node ${k} (${JSON.stringify(node.name || node.outputs[0] || "")}) has no operator${where}`,
      );
    }
    checkReads(node, graph, scope, where);
    for (const [key, attribute] of node.attributes) {
      if (attribute.type !== "graph" && attribute.type !== "graphs") continue;
      const inners = attribute.type === "graph" ? [attribute.value] : attribute.value;
      for (const inner of inners) checkScope(inner, scope, ` in the ${key} of ${describe(node)}`, depth + 1);
    }
    for (const name of node.outputs) if (name) declareOutput(node, name, scope, where);
  });
  graph.outputs.forEach(({ name }, k) => {
    if (!name) throw new GraphError(`output ${k} has no name${where}`);
    if (scope.names.has(name)) return;
    const problem = isKnown(name, scope)
      ? "comes from the graph around it: an Identity node must stand between"
      : "is made by nothing";
    throw new GraphError(`the output ${JSON.stringify(name)}${where} ${problem}`);
  });
}

/** Like ONNX Runtime, lets the inputs and initializers of a subgraph, not its nodes, hide names around it. */
function declareInputs({ inputs, initializers }: Graph, { names }: Scope, where: string): void {
  inputs.forEach(({ name }, k) => {
    if (!name) throw new GraphError(`input ${k} has no name${where}`);
    if (names.has(name)) throw new GraphError(`two inputs are named ${JSON.stringify(name)}${where}`);
    names.add(name);
  });
  for (const name of initializers.keys()) names.add(name);
}

function declareOutput(node: Node, name: string, scope: Scope, where: string): void {
  if (isKnown(name, scope)) {
    throw new GraphError(`${describe(node)} makes ${JSON.stringify(name)}, a name already taken${where}`);
  }
  scope.names.add(name);
}

const isKnown = (name: string, scope: Scope | undefined): boolean =>
  scope !== undefined && (scope.names.has(name) || isKnown(name, scope.outer));

function checkReads(node: Node, graph: Graph, scope: Scope, where: string): void {
  for (const name of node.inputs) {
    if (!name || isKnown(name, scope)) continue;
    const maker = graph.nodes.find(({ outputs }) => outputs.includes(name));
    const problem = `${describe(node)} reads ${JSON.stringify(name)}`;
    if (!maker) throw new GraphError(`${problem}, which nothing makes${where}`);
    topologicalOrder(graph.nodes); // throws if the reason is a cycle
    throw new GraphError(`${problem} before ${describe(maker)} makes it${where}`);
  }
}

/** What passes give goes by the names of outputs: a GraphError where two have the same. */
export function checkOutputNames({ outputs }: Graph): void {
  const names = outputs.map(({ name }) => name);
  const twice = names.find((name, k) => names.indexOf(name) < k);
  if (twice !== undefined)
    throw new GraphError(`two outputs are named ${JSON.stringify(twice)}: results cannot be told apart`);
}

/**
 * A weight of a body with a name of the graph around it: which one a node of the body reads depends, in ONNX Runtime, on
 * who else reads the outer one. A GraphError says so; passes ask before they read a graph.
 */
export function checkHidden(graph: Graph, outer: ReadonlySet<string> = new Set()): void {
  const hidden = [...graph.initializers.keys()].find((name) => outer.has(name));
  if (hidden !== undefined)
    throw new GraphError(
      `the graph ${JSON.stringify(graph.name)} has a weight ${JSON.stringify(hidden)}, a name of the graph around it: which one is read is not defined`,
    );
  if (!graph.nodes.some((node) => subgraphs(node).length > 0)) return;
  const names = new Set([...outer, ...graph.inputs.map((i) => i.name), ...graph.initializers.keys()]);
  for (const node of graph.nodes) for (const name of node.outputs) if (name) names.add(name);
  for (const node of graph.nodes) for (const inner of subgraphs(node)) checkHidden(inner, names);
}
