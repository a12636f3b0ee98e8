// The network of a circuit: exact where the inputs are bits, a hidden layer for each level of gates, and one unit a layer
// for each value that is carried past it.
import type { Graph } from "../../graph/graph.ts";
import type { Layer } from "../../networks/layers/layered.ts";
import { network, sparseLayer } from "../../networks/layers/layers.ts";
import { DiscreteError } from "../error.ts";
import { type Circuit, isNegated, nodeOf } from "./circuit.ts";
import { type NodeForm, type Plan, planned } from "./plan.ts";
import type { UnitKind } from "./units.ts";

export interface CircuitNetwork {
  readonly graph: Graph;
  readonly plan: Plan;
}

export interface CircuitNetworkOptions {
  /** ReLUs, or steps that are 1 from 0 on. */
  readonly kind?: UnitKind;
  readonly name?: string;
}

type Form = Omit<NodeForm, "node">;

/**
 * The network from bits x [N, inputs] to bits y [N, outputs].
 * @example circuitNetwork(readFormulas("a ^ b")).plan.layers.length // 1
 */
export function circuitNetwork(
  circuit: Circuit,
  { kind = "relu", name = "circuit" }: CircuitNetworkOptions = {},
): CircuitNetwork {
  if (circuit.inputs.length === 0) throw new DiscreteError("a circuit without inputs is no network");
  const plan = planned(circuit, kind);
  const layers: Layer[] = [];
  let forms = inputForms(circuit);
  let width = circuit.inputs.length;
  const constant: Form = { constant: 0, terms: [] };
  const row = (of: (node: number) => Form, reads: readonly (readonly [number, number])[], bias: number) => {
    let total = bias;
    const entries = new Map<number, number>();
    for (const [node, coefficient] of reads) {
      const form = of(node);
      total += coefficient * form.constant;
      for (const [column, weight] of form.terms)
        entries.set(column, (entries.get(column) ?? 0) + coefficient * weight);
    }
    return { total, entries };
  };
  const layerOf = (rows: readonly ReturnType<typeof row>[]): Layer =>
    sparseLayer(
      rows.length,
      width,
      rows.flatMap(({ entries }, r) => [...entries].map(([c, w]) => [r, c, w] as const)),
      rows.map(({ total }) => total),
    );
  for (const { units, forms: next } of plan.layers) {
    const before = forms;
    layers.push(layerOf(units.map(({ reads, bias }) => row((node) => before.get(node)!, reads, bias))));
    forms = new Map(next.map((form) => [form.node, form]));
    width = units.length;
  }
  const ends = circuit.outputs.map(({ literal }) =>
    row(
      (node) => forms.get(node) ?? constant,
      [[nodeOf(literal), isNegated(literal) ? -1 : 1]],
      isNegated(literal) ? 1 : 0,
    ),
  );
  return { graph: network([...layers, layerOf(ends)], { name, activation: kind }), plan };
}

/** Input k is column k of x. */
const inputForms = ({ inputs }: Circuit): ReadonlyMap<number, Form> =>
  new Map(inputs.map((_, k) => [k + 1, { constant: 0, terms: [[k, 1]] }]));
