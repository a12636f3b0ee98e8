// A generated model: a graph, and inputs at which it is run.
import type { Graph, Node, ValueInfo } from "../../src/graph/graph.ts";
import { type OperatorName, operatorDomain } from "../../src/graph/operators/index.ts";
import type { Tensor } from "../../src/graph/tensor.ts";
import { graphWith } from "../graph/operators-runtime.ts";
import type { Usage } from "./mutate.ts";

export interface Model {
  readonly graph: Graph;
  readonly feeds: ReadonlyMap<string, Tensor>;
}

export const nodeOf = (
  { op, attributes, outputs }: Usage,
  inputs: readonly string[],
  prefix: string,
): Node => ({
  op,
  domain: operatorDomain(op as OperatorName),
  name: `the ${op} ${prefix}`,
  inputs,
  outputs: Array.from({ length: outputs }, (_, k) => `${prefix}${k}`),
  attributes,
});

/** A model of one node. */
export function modelOf(usage: Usage, opset: number): Model {
  const feeds = new Map<string, Tensor>();
  const initializers = new Map<string, Tensor>();
  const names = usage.inputs.map((t, k) => {
    if (t === "") return "";
    (usage.weights.has(k) ? initializers : feeds).set(`x${k}`, t);
    return `x${k}`;
  });
  while (names.at(-1) === "") names.pop();
  const node = nodeOf(usage, names, "y");
  return { feeds, graph: graphOf(feeds, initializers, [node], node.outputs, opset) };
}

export const graphOf = (
  feeds: ReadonlyMap<string, Tensor>,
  initializers: ReadonlyMap<string, Tensor>,
  nodes: readonly Node[],
  outputs: readonly string[],
  opset: number,
): Graph =>
  graphWith({
    inputs: [...feeds].map(([name, t]): ValueInfo => ({ name, type: { type: t.type, shape: t.dims } })),
    outputs: outputs.map((name) => ({ name, type: { type: "undefined" } })),
    nodes,
    initializers,
    opsets: new Map([
      ["", opset],
      ["ai.onnx.ml", 3],
    ]),
    irVersion: opset < 21 ? 9 : opset < 23 ? 10 : 11,
  });

const short = (t: Tensor): string => {
  const values = [...(t.data as Iterable<unknown>)].slice(0, 6).map(String).join(" ");
  return `${t.type}[${t.dims}]{${values}${t.data.length > 6 ? " ..." : ""}}`;
};
const shortAttribute = (value: unknown): string =>
  typeof value === "object" && value !== null && "nodes" in value
    ? `{${(value as Graph).nodes.map((n) => `${n.op}(${n.inputs})`).join(" ")}}`
    : typeof value === "object" && value !== null && "dims" in value
      ? short(value as Tensor)
      : `${value}`;

/** The model in one line: opset, nodes with attributes, weights and inputs. */
export function describeModel({ graph, feeds }: Model): string {
  const nodes = graph.nodes.map(({ op, inputs, outputs, attributes }) => {
    const list = [...attributes].map(([name, a]) => `${name}=${shortAttribute(a.value)}`).join(" ");
    return `${outputs} = ${op}(${inputs})${list && ` ${list}`}`;
  });
  const tensors = [...graph.initializers, ...feeds].map(
    ([name, t]) => `${graph.initializers.has(name) ? "weight" : "input"} ${name} ${short(t as Tensor)}`,
  );
  return `opset ${graph.opsets.get("")}: ${nodes.join("; ")} | ${tensors.join(", ")}`;
}
