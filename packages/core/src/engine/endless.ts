// Loops and convolutions that cannot come to an end in any reasonable time, or on which the runtime crashes, told before it starts.
import { describe, type Graph, isSparse, isTensorType, type Node, subgraphs } from "../graph/graph.ts";
import { numbers, type Tensor } from "../graph/tensor.ts";
import { EngineError } from "./error.ts";

/** A turn takes half a microsecond at the least: this many take days. */
const mostTurns = 2 ** 40;

type Constants = (name: string | undefined) => Tensor | undefined;

/**
 * Refuses a graph with a Loop whose condition never changes and whose turns are without limit, or beyond counting, or a
 * convolution over no channels.
 * @example checkEndless(net) // returns, or: Loop node "l" has no limit of turns, and its condition never changes
 */
export function checkEndless(graph: Graph, outer: Constants = () => undefined): void {
  const constants = constantsOf(graph, outer);
  for (const node of graph.nodes) {
    if (node.op === "Loop" && node.domain === "") checkLoop(node, constants);
    if (/^Conv(Transpose)?$/.test(node.op) && isEmpty(graph, node.inputs[1], constants))
      throw new EngineError(
        `${describe(node)} has a kernel without numbers, on which the runtime never ends`,
      );
    for (const inner of subgraphs(node)) checkEndless(inner, constants);
  }
}

/** Whether a constant has no numbers, or an input is declared to have none. */
function isEmpty(graph: Graph, name: string | undefined, constants: Constants): boolean {
  const declared = graph.inputs.find((input) => input.name === name)?.type;
  const shape = declared && isTensorType(declared) ? declared.shape : undefined;
  return shape?.includes(0) || constants(name)?.data.length === 0;
}

function checkLoop(node: Node, constants: Constants): void {
  const [limit, start] = node.inputs;
  // The runtime reads the first number of these, even where there is none.
  for (const name of [limit, start])
    if (constants(name)?.data.length === 0)
      throw new EngineError(`${describe(node)} reads "${name}", which is empty`);
  const body = node.attributes.get("body");
  if (body?.type !== "graph" || (start && scalarOf(constants(start)) !== 1)) return;
  if (!staysTrue(body.value, constants)) return;
  const turns = limit ? scalarOf(constants(limit)) : Number.POSITIVE_INFINITY;
  if (turns === undefined || turns <= mostTurns) return;
  const problem = limit ? `would take ${turns} turns` : "has no limit of turns";
  throw new EngineError(`${describe(node)} ${problem}, and its condition never changes`);
}

/** Whether a body hands on the condition that it got, or a constant true. */
function staysTrue(body: Graph, outer: Constants): boolean {
  const condition = original(body, body.outputs[0]?.name);
  return condition === body.inputs[1]?.name || scalarOf(constantsOf(body, outer)(condition)) === 1;
}

/** The value that a chain of Identity nodes copies. */
function original({ nodes }: Graph, copy: string | undefined): string | undefined {
  let name = copy;
  for (;;) {
    const maker = nodes.find((node) => node.op === "Identity" && node.outputs[0] === name);
    if (!maker || !name) return name;
    name = maker.inputs[0];
  }
}

function constantsOf(graph: Graph, outer: Constants): Constants {
  return (name) => {
    const known = original(graph, name);
    if (!known || graph.inputs.some((input) => input.name === known)) return undefined;
    const weight = graph.initializers.get(known);
    if (weight) return isSparse(weight) ? undefined : weight;
    const maker = graph.nodes.find((node) => node.outputs.includes(known));
    if (!maker) return outer(known);
    const value = maker.op === "Constant" ? maker.attributes.get("value") : undefined;
    return value?.type === "tensor" ? value.value : undefined;
  };
}

const scalarOf = (t: Tensor | undefined): number | undefined =>
  t && t.data.length === 1 && /^(u?int(8|16|32|64)|bool)$/.test(t.type) ? numbers(t)[0] : undefined;
