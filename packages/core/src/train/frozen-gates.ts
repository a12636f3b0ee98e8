// A network whose gates are frozen: which ReLUs are open, and what max pooling chooses, is decided by a copy whose
// weights stay as they are. What is left to train is linear in the weights of each layer.
import { GraphError } from "../graph/error.ts";
import type { Graph, Node, TensorType } from "../graph/graph.ts";
import { inferTypes } from "../graph/infer.ts";
import { prune } from "../graph/prune.ts";
import { renameNode } from "../graph/rename.ts";
import { type NumericType, tensor } from "../graph/tensor.ts";
import { canonical } from "../graph/upgrade.ts";

/** What the names of the copy begin with. */
const prefix = "gates.";

/**
 * The network with the gates of another one of the same architecture (default: a copy of itself). Weights keep their
 * names; those of the copy are called `gates.<name>`. Activations without gates stay as they are.
 * @example frozenGates(initialNetwork("2-8-relu-1")).initializers.has("gates.layer1.weight") // true
 */
export function frozenGates(original: Graph, { gates = original }: { readonly gates?: Graph } = {}): Graph {
  const [graph, other] = [canonical(original), canonical(gates)];
  requireAlike(graph, other);
  const renames = new Map(
    [...graph.nodes.flatMap((n) => n.outputs.filter(Boolean)), ...graph.initializers.keys()].map(
      (name) => [name, `${prefix}${name}`] as const,
    ),
  );
  const copied = other.nodes.map((node, k) => {
    const named = renameNode({ ...node, ...namesOf(graph.nodes[k]!) }, renames, `${prefix}${node.name}`);
    return node.op === "MaxPool" ? { ...named, outputs: [named.outputs[0]!, choiceOf(named)] } : named;
  });
  const zeros = new Map<string, NumericType>();
  const types = inferTypes(graph);
  const gated = graph.nodes.flatMap((node, k) => {
    if (node.op === "MaxPool") return chosen(node, choiceOf(copied[k]!));
    if (node.op !== "Relu") return [node];
    const { type } = types.get(node.inputs[0]!) as TensorType;
    const zero = `${prefix}zero.${type}`;
    zeros.set(zero, type as NumericType);
    return opened(node, copied[k]!.inputs[0]!, zero);
  });
  return prune({
    ...graph,
    nodes: [...copied, ...gated],
    initializers: new Map([
      ...graph.initializers,
      ...[...graph.initializers.keys()].map(
        (name, k) => [`${prefix}${name}`, [...other.initializers.values()][k]!] as const,
      ),
      ...[...zeros].map(([name, type]) => [name, tensor(0, { type })] as const),
      [`${prefix}all`, tensor([-1], { type: "int64" })],
    ]),
    valueTypes: new Map(),
  });
}

const namesOf = ({ inputs, outputs }: Node): Pick<Node, "inputs" | "outputs"> => ({ inputs, outputs });
const choiceOf = ({ outputs }: Node): string => `${outputs[0]}.choice`;

const node = (op: string, inputs: readonly string[], output: string): Node => ({
  ...{ op, domain: "", name: output, inputs, outputs: [output] },
  attributes: new Map(),
});

/** Where(the copy's input is above 0, this input, 0). */
function opened({ inputs, outputs }: Node, gate: string, zero: string): readonly Node[] {
  const isOpen = `${prefix}${outputs[0]}.open`;
  return [node("Greater", [gate, zero], isOpen), node("Where", [isOpen, inputs[0]!, zero], outputs[0]!)];
}

/** The elements that the copy chose: its indices count through the whole tensor. */
function chosen({ inputs, outputs }: Node, choice: string): readonly Node[] {
  const flat = `${prefix}${outputs[0]}.flat`;
  return [node("Reshape", [inputs[0]!, `${prefix}all`], flat), node("Gather", [flat, choice], outputs[0]!)];
}

function requireAlike(graph: Graph, gates: Graph): void {
  if ([...graph.initializers.keys()].some((name) => name.startsWith(prefix)))
    throw new GraphError(`graph "${graph.name}" has frozen gates already`);
  const dims = ({ initializers }: Graph): string =>
    [...initializers.values()].map((w) => w.dims.join("x")).join();
  const operators = ({ nodes }: Graph): string => nodes.map((n) => n.op).join();
  if (operators(graph) !== operators(gates) || dims(graph) !== dims(gates))
    throw new GraphError(
      `graphs "${graph.name}" and "${gates.name}" are no two sets of weights of one network`,
    );
  if (!graph.nodes.some((n) => n.op === "Relu" || n.op === "MaxPool"))
    throw new GraphError(`graph "${graph.name}" has no gates: no Relu and no MaxPool`);
}
