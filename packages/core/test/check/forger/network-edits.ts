// Changes of a network: weights, wires and operators.

import type { Graph, Node } from "../../../src/graph/graph.ts";
import { isFloat, numbers, type Tensor } from "../../../src/graph/tensor.ts";
import type { Random } from "../../../src/numbers/random.ts";
import type { Forgery } from "./apprentice.ts";

/** Makes another forgery of one; the same one where there is nothing to change. */
export type Edit = (forgery: Forgery, random: Random) => Forgery;

export const chosen = <T>(items: readonly T[], random: Random): T =>
  items[random.integer(0, items.length - 1)]!;
/** A number that is small as often as it is large, of either sign. */
export const anySize = (random: Random): number =>
  (random.uniform() < 0.5 ? -1 : 1) * 10 ** (-6 * random.uniform());

const withNodes = ({ graph, certificate }: Forgery, nodes: readonly Node[]): Forgery => ({
  certificate,
  graph: { ...graph, nodes },
});
const weightsOf = ({ initializers }: Graph): [string, Tensor][] =>
  [...initializers].filter((entry): entry is [string, Tensor] => isFloat((entry[1] as Tensor).type));

function withWeights({ graph, certificate }: Forgery, name: string, data: Float64Array): Forgery {
  const weight = graph.initializers.get(name) as Tensor;
  const changed = { ...weight, data: weight.type === "float32" ? Float32Array.from(data) : data };
  return {
    certificate,
    graph: { ...graph, initializers: new Map([...graph.initializers, [name, changed]]) },
  };
}

/** One weight: scaled, shifted, turned round, set to 0. */
const weight: Edit = (forgery, random) => {
  const [name, tensor] = chosen(weightsOf(forgery.graph), random);
  const data = Float64Array.from(numbers(tensor));
  if (data.length === 0) return forgery;
  const k = random.integer(0, data.length - 1);
  const w = data[k]!;
  data[k] = chosen(
    [w * (1 + anySize(random)), w + anySize(random), -w, 0, w * 2, w / 2, w + 1, w * (1 + 2 ** -40)],
    random,
  );
  return withWeights(forgery, name, data);
};

/** Two weights of one tensor change places. */
const swappedWeights: Edit = (forgery, random) => {
  const several = weightsOf(forgery.graph).filter(([, { data }]) => data.length > 1);
  if (several.length === 0) return forgery;
  const [name, tensor] = chosen(several, random);
  const data = Float64Array.from(numbers(tensor));
  const [j, k] = [random.integer(0, data.length - 1), random.integer(0, data.length - 1)];
  [data[j], data[k]] = [data[k]!, data[j]!];
  return withWeights(forgery, name, data);
};

/** An operator reads another value or weight. */
const rewired: Edit = (forgery, random) => {
  const { nodes, initializers } = forgery.graph;
  const at = random.uniform() < 0.1 ? nodes.length - 1 : random.integer(0, nodes.length - 1);
  const node = nodes[at]!;
  const slot = random.integer(0, node.inputs.length - 1);
  const isWeight = initializers.has(node.inputs[slot]!);
  const others = isWeight ? [...initializers.keys()] : ["x", ...nodes.slice(0, at).flatMap((n) => n.outputs)];
  const inputs = node.inputs.with(slot, chosen(others, random));
  return withNodes(forgery, nodes.with(at, { ...node, inputs }));
};

/** A few operators in a row read another value in the place of one. */
const redirected: Edit = (forgery, random) => {
  const { nodes, initializers } = forgery.graph;
  const at = random.integer(0, nodes.length - 1);
  const from = nodes[at]!.inputs.find((name) => !initializers.has(name))!;
  const to = chosen(["x", ...nodes.slice(0, at).flatMap((n) => n.outputs)], random);
  const moved = nodes.map((node, k) =>
    k < at || k > at + 3 ? node : { ...node, inputs: node.inputs.map((name) => (name === from ? to : name)) },
  );
  return withNodes(forgery, moved);
};

/** A ReLU less, a ReLU more, a difference for a sum, a factor for a summand. */
const otherOperator: Edit = (forgery, random) => {
  const { nodes } = forgery.graph;
  const others: Readonly<Record<string, readonly string[]>> = {
    Relu: ["Identity"],
    Identity: ["Relu"],
    Add: ["Sub", "Mul"],
    Sub: ["Add"],
    Mul: ["Add"],
  };
  const places = nodes.flatMap(({ op }, k) => (others[op] ? [k] : []));
  const at = chosen(places, random);
  const node = nodes[at]!;
  return withNodes(forgery, nodes.with(at, { ...node, op: chosen(others[node.op]!, random) }));
};

/** Behind an operator stands another: everybody reads what comes out there. */
const inserted: Edit = (forgery, random) => {
  const { nodes } = forgery.graph;
  const at = random.integer(0, nodes.length - 2);
  const name = nodes[at]!.outputs[0]!;
  const moved = `${name}_before`;
  if (nodes.some((node) => node.outputs[0] === moved)) return forgery;
  const extra: Node = {
    ...{ name: "", op: chosen(["Relu", "Identity"], random), domain: "", attributes: new Map() },
    ...{ inputs: [moved], outputs: [name] },
  };
  return withNodes(forgery, [
    ...nodes.slice(0, at),
    { ...nodes[at]!, outputs: [moved] },
    extra,
    ...nodes.slice(at + 1),
  ]);
};

/** A value gets another name, everywhere or in the network alone. */
const renamed: Edit = (forgery, random) => {
  const { nodes } = forgery.graph;
  const from = chosen(nodes.slice(0, -1), random).outputs[0]!;
  const to = `${from}_too`;
  if (nodes.some((node) => node.outputs.includes(to))) return forgery;
  const rename = (names: readonly string[]): string[] => names.map((name) => (name === from ? to : name));
  const moved = nodes.map((node) => ({
    ...node,
    inputs: rename(node.inputs),
    outputs: rename(node.outputs),
  }));
  const text = JSON.stringify(forgery.certificate);
  const certificate =
    random.uniform() < 0.8 ? JSON.parse(text.replaceAll(`"${from}"`, `"${to}"`)) : forgery.certificate;
  return { ...withNodes(forgery, moved), certificate };
};

/** A copy of an operator under another name, for a certificate to point at. */
const doubled: Edit = (forgery, random) => {
  const { nodes } = forgery.graph;
  const at = random.integer(0, nodes.length - 2);
  const name = `${nodes[at]!.outputs[0]}_copy`;
  if (nodes.some((node) => node.outputs[0] === name)) return forgery;
  return withNodes(forgery, [
    ...nodes.slice(0, at + 1),
    { ...nodes[at]!, outputs: [name] },
    ...nodes.slice(at + 1),
  ]);
};

export const networkEdits: Readonly<Record<string, Edit>> = {
  weight,
  swappedWeights,
  rewired,
  redirected,
  otherOperator,
  inserted,
  renamed,
  doubled,
};
