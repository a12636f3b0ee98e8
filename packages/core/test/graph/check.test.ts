// What is refused and what is not, in agreement with ONNX Runtime where it has an opinion.
import { InferenceSession } from "onnxruntime-node";
import { describe, expect, it } from "vitest";
import { checkGraph } from "../../src/graph/check.ts";
import { GraphError } from "../../src/graph/error.ts";
import type { Attribute, Graph, Node } from "../../src/graph/graph.ts";
import { readModel, writeModel } from "../../src/graph/onnx/index.ts";
import type { SparseTensor, Tensor } from "../../src/graph/tensor.ts";
import { emptyGraph, floatsOf, graphOf, nodeOf, value } from "./onnx-graphs.ts";

const x = [value("x")];
const y = [value("y")];
const inner = (graph: Graph): Attribute => ({ type: "graph", value: graph });
const weights = (...names: string[]) =>
  new Map<string, Tensor | SparseTensor>(names.map((n) => [n, floatsOf([5, 6])]));
const truth: Tensor = { type: "bool", dims: [], data: new Uint8Array([1]) };
const two: Tensor = { type: "int64", dims: [], data: new BigInt64Array([2n]) };

/** a = Relu(x); y = If(c) { then } { -x } */
const withBranch = (then: Partial<Graph>, more: readonly Node[] = []): Graph =>
  graphOf({
    inputs: x,
    outputs: y,
    initializers: new Map([...weights("w"), ["c", truth]]),
    nodes: [
      nodeOf("Relu", ["x"], ["a"]),
      nodeOf("If", ["c"], ["y"], {
        then_branch: inner(graphOf(then)),
        else_branch: inner(graphOf({ nodes: [nodeOf("Neg", ["x"], ["e"])], outputs: [value("e")] })),
      }),
      ...more,
    ],
  });

/** a = Relu(x); y = Loop(2) { state -> -state }, its inputs named `names`. */
const withLoop = (...names: [string, string, string]): Graph =>
  graphOf({
    inputs: x,
    outputs: y,
    initializers: new Map<string, Tensor>([
      ["c", truth],
      ["n", two],
    ]),
    nodes: [
      nodeOf("Relu", ["x"], ["a"]),
      nodeOf("Loop", ["n", "c", "x"], ["y"], {
        body: inner(
          graphOf({
            inputs: [value(names[0], [], "int64"), value(names[1], [], "bool"), value(names[2])],
            nodes: [nodeOf("Identity", [names[1]], ["go"]), nodeOf("Neg", [names[2]], ["next"])],
            outputs: [value("go", [], "bool"), value("next")],
          }),
        ),
      }),
    ],
  });

const makes = (input: string, output: string): Partial<Graph> => ({
  nodes: [nodeOf("Neg", [input], [output])],
  outputs: [value(output)],
});

const accepted: Record<string, Graph> = {
  "a branch that reads from around it": withBranch(makes("a", "t")),
  "the same inner name in both branches": withBranch(makes("x", "e")),
  "an inner name that is the node's own output": withBranch(makes("a", "y")),
  "an inner initializer that hides an outer value": withBranch({
    initializers: weights("a"),
    ...makes("a", "t"),
  }),
  "an inner initializer that hides another": withBranch({ initializers: weights("w"), ...makes("w", "t") }),
  "an inner output that is an inner initializer": withBranch({
    initializers: weights("v"),
    outputs: [value("v")],
  }),
  "a branch that reads what a later node makes": withBranch(makes("z", "t"), [nodeOf("Relu", ["x"], ["z"])]),
  "inner inputs that hide an outer value": withLoop("i", "go on", "a"),
  "inner inputs that hide the graph's input": withLoop("i", "go on", "x"),
  "inner inputs that hide initializers": withLoop("n", "c", "state"),
  "an output that is an input": graphOf({ inputs: x, outputs: x }),
  "an output that is an initializer": graphOf({
    inputs: x,
    initializers: weights("w"),
    outputs: [value("w")],
  }),
  "an output twice": graphOf({
    inputs: x,
    outputs: [...y, ...y],
    ...{ nodes: [nodeOf("Neg", ["x"], ["y"])] },
  }),
  "nodes out of order": graphOf({
    inputs: x,
    outputs: y,
    nodes: [nodeOf("Neg", ["a"], ["y"]), nodeOf("Relu", ["x"], ["a"])],
  }),
  "an initializer that is an input too": graphOf({
    inputs: [...x, value("w")],
    outputs: y,
    initializers: weights("w"),
    nodes: [nodeOf("Add", ["x", "w"], ["y"])],
  }),
};

const refused: Record<string, [Graph, string]> = {
  "an inner output that is an outer value": [
    withBranch({ outputs: [value("a")] }),
    'the output "a" in the then_branch of If node "y" comes from the graph around it: an Identity node must stand between',
  ],
  "an inner node that hides an outer value": [
    withBranch(makes("x", "a")),
    'Neg node "a" makes "a", a name already taken in the then_branch of If node "y"',
  ],
  "an inner node that hides the graph's input": [
    withBranch(makes("a", "x")),
    'Neg node "x" makes "x", a name already taken in the then_branch of If node "y"',
  ],
  "an inner node that hides an initializer": [
    withBranch(makes("a", "w")),
    'Neg node "w" makes "w", a name already taken in the then_branch of If node "y"',
  ],
  "two inputs of one name": [
    graphOf({ inputs: [...x, ...x], outputs: y, nodes: [nodeOf("Neg", ["x"], ["y"])] }),
    'two inputs are named "x"',
  ],
  "a node that makes an input": [
    graphOf({ inputs: x, outputs: x, nodes: [nodeOf("Neg", ["x"], ["x"])] }),
    'Neg node "x" makes "x", a name already taken',
  ],
  "a node that makes an initializer": [
    graphOf({ inputs: x, outputs: x, initializers: weights("w"), nodes: [nodeOf("Neg", ["x"], ["w"])] }),
    'Neg node "w" makes "w", a name already taken',
  ],
  "two nodes that make the same": [
    graphOf({ inputs: x, outputs: y, nodes: [nodeOf("Neg", ["x"], ["y"]), nodeOf("Relu", ["x"], ["y"])] }),
    'Relu node "y" makes "y", a name already taken',
  ],
  "a read of what nothing makes": [
    graphOf({ inputs: x, outputs: y, nodes: [nodeOf("Add", ["x", "q"], ["y"])] }),
    'Add node "y" reads "q", which nothing makes',
  ],
  "an inner read of what nothing makes": [
    withBranch(makes("q", "t")),
    'Neg node "t" reads "q", which nothing makes in the then_branch of If node "y"',
  ],
  "an output that nothing makes": [graphOf({ inputs: x, outputs: y }), 'the output "y" is made by nothing'],
  "a cycle": [
    graphOf({
      inputs: x,
      outputs: y,
      nodes: [nodeOf("Add", ["x", "b"], ["y"]), nodeOf("Neg", ["y"], ["b"])],
    }),
    'the graph has a cycle through Add node "y"',
  ],
  "a node without an operator": [
    graphOf({ inputs: x, outputs: y, nodes: [nodeOf("", ["x"], ["y"])] }),
    'node 0 ("y") has no operator',
  ],
  "no opset": [
    graphOf({ inputs: x, outputs: y, opsets: new Map(), nodes: [nodeOf("Neg", ["x"], ["y"])] }),
    'the model does not say which opset its Neg node "y" is of',
  ],
};

const runtimeAccepts = (bytes: Uint8Array): Promise<boolean> =>
  InferenceSession.create(bytes, { logSeverityLevel: 4 }).then(
    (session) => session.release().then(() => true),
    () => false,
  );

describe("checkGraph", () => {
  it.each(Object.entries(accepted))("lets pass, as ONNX Runtime does, %s", async (_, graph) => {
    const bytes = writeModel(graph);
    expect(readModel(bytes).nodes).toHaveLength(graph.nodes.length);
    expect(await runtimeAccepts(bytes)).toBe(true);
  });

  it.each(Object.entries(refused))("refuses, as ONNX Runtime does, %s", async (_, [graph, message]) => {
    const bytes = writeModel(graph);
    expect(() => readModel(bytes)).toThrow(new GraphError(message));
    expect(await runtimeAccepts(bytes)).toBe(false);
  });

  it("refuses an opset below 7, and needs none where no operator of ONNX itself is used", () => {
    const nodes = [nodeOf("Constant", [], ["y"])];
    const old = new Map([["", 6]]);
    expect(() => checkGraph(graphOf({ opsets: old, nodes }))).toThrow(
      "opset 6 is older than 7, the oldest that is read",
    );
    const trees = { ...nodeOf("TreeEnsembleRegressor", [], ["y"]), domain: "ai.onnx.ml" };
    for (const opsets of [new Map([["ai.onnx.ml", 3]]), new Map([["", 1]])]) {
      expect(() => checkGraph(graphOf({ opsets, nodes: [trees] }))).not.toThrow();
    }
  });

  it("says which node comes too early in a graph that was built out of order", () => {
    const nodes = [nodeOf("Neg", ["a"], ["y"]), nodeOf("Relu", ["x"], ["a"])];
    expect(() => checkGraph(graphOf({ inputs: x, nodes }))).toThrow(
      'Neg node "y" reads "a" before Relu node "a" makes it',
    );
  });

  it("stops at a hundred levels of subgraphs", () => {
    let graph = emptyGraph;
    for (let level = 0; level <= 100; level++) {
      graph = graphOf({ nodes: [nodeOf("If", [], [`v${level}`], { g: inner(graph) })] });
    }
    expect(() => checkGraph(graph)).toThrow("subgraphs nest over 100 levels deep");
  });
});
