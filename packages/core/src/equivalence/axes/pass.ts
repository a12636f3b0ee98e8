// The symmetry pass: which axes of which values are the same units, and what they may be multiplied by.
import { GraphError } from "../../graph/error.ts";
import {
  type Graph,
  isSparse,
  type Node,
  outerReferences,
  type Shape,
  subgraphs,
} from "../../graph/graph.ts";
import { inferTypes } from "../../graph/infer.ts";
import { type OperatorName, operatorSpec } from "../../graph/operators/index.ts";
import { readAttributes } from "../../graph/operators/spec.ts";
import { type DataType, isFloat } from "../../graph/tensor.ts";
import { canonical } from "../../graph/upgrade.ts";
import { isComplementing } from "../rules/elementwise.ts";
import { axisRules } from "../rules/index.ts";
import { type Axes, type AxisRule, fromFront, pinnedAxes } from "../rules/rule.ts";
import { type Absorber, absorberOf, usesOf } from "./absorber.ts";
import { freshAxis, pin, restrict } from "./axis-class.ts";

export interface AxisReading {
  /** In canonical form: the weights that axes speak of are its initializers. */
  readonly graph: Graph;
  /** The axes of every value, weights included; undefined where the rank is not known. */
  readonly values: ReadonlyMap<string, Axes | undefined>;
  /** Biases that take the 1 of f(-z) = 1 - f(z). */
  readonly absorbers: readonly Absorber[];
  /** Operators at which symmetry ends, because no rule reads them. */
  readonly unread: readonly Node[];
}

const isReal = (type: DataType): boolean => isFloat(type) || type === "bfloat16";

/** Reads the axes of all values of a graph. Shapes that contradict each other are a GraphError. */
export function readAxes(source: Graph): AxisReading {
  const graph = canonical(source);
  const types = inferTypes(graph);
  const values = new Map<string, Axes | undefined>();
  for (const { name, type } of graph.inputs)
    values.set(name, pinnedAxes("shape" in type ? type.shape : undefined));
  for (const [name, weight] of graph.initializers) {
    const isWeight = !isSparse(weight) && isReal(weight.type);
    values.set(name, isWeight ? weight.dims.map(freshAxis) : pinnedAxes(weight.dims));
  }
  const uses = usesOf(graph);
  const complemented = new Set<string>();
  const absorbers: Absorber[] = [];
  const unread: Node[] = [];
  const pinValue = (name: string): void => {
    for (const axis of values.get(name) ?? []) pin(axis);
  };
  for (const node of graph.nodes) {
    for (const inner of subgraphs(node)) for (const name of outerReferences(inner)) pinValue(name);
    for (const name of node.inputs) {
      if (!complemented.has(name)) continue;
      const axes = values.get(name);
      if (!axes) continue; // of a rank that is not known: there are no units to speak of
      const absorber = absorberOf(graph, node, name, uses);
      if (absorber) absorbers.push(absorber);
      restrict(
        absorber ? axes.filter((_, k) => k !== fromFront(absorber.inputAxis, axes.length)) : axes,
        "unit",
      );
    }
    const shapes = node.outputs.map((name) => types.get(name)?.shape);
    const results = applyAxisRule(node, values, types, shapes);
    if (!results) {
      if (node.inputs.some((name) => isReal(types.get(name)?.type ?? "undefined"))) unread.push(node);
      for (const name of node.inputs) pinValue(name);
    }
    node.outputs.forEach((name, k) => {
      if (!name) return;
      const axes = results?.[k];
      const fits = axes && (!shapes[k] || shapes[k].length === axes.length);
      if (axes && !fits) throw new GraphError(`the symmetry pass reads ${node.op} with a wrong rank`);
      values.set(name, axes ?? pinnedAxes(shapes[k]));
      if (isComplementing(node.op)) complemented.add(name);
    });
  }
  for (const { name } of graph.outputs) pinValue(name);
  return { graph, values, absorbers, unread };
}

type Types = ReturnType<typeof inferTypes>;

function applyAxisRule(
  node: Node,
  values: ReadonlyMap<string, Axes | undefined>,
  types: Types,
  y: readonly (Shape | undefined)[],
): readonly Axes[] | undefined {
  const spec = operatorSpec(node.op, node.domain);
  const rule = spec && (axisRules[node.op as OperatorName] as AxisRule | undefined);
  if (!rule || subgraphs(node).length > 0) return undefined;
  return rule({
    x: node.inputs.map((name) => (name ? values.get(name) : undefined)),
    types: node.inputs.map((name) => (name ? types.get(name) : undefined)),
    y,
    attributes: readAttributes(node, spec.attributes),
    node,
  });
}
