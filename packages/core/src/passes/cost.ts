// How much a network computes: floating-point operations, node by node, from shapes alone.
import { GraphError } from "../graph/error.ts";
import { describe, type Graph, isTensorType, type Node, type TensorType } from "../graph/graph.ts";
import { inferTypes } from "../graph/infer.ts";
import { families, type OperatorName, operatorSpec } from "../graph/operators/index.ts";
import { readAttributes } from "../graph/operators/spec.ts";
import { elementCount, isFloat } from "../graph/tensor.ts";
import { canonical } from "../graph/upgrade.ts";
import { countRules, type Shapes } from "./cost/rules.ts";

export interface CostOptions {
  /** The dimensions of inputs that the graph leaves open: `{ x: [128, 784] }`. */
  readonly dims?: Readonly<Record<string, readonly number[]>>;
}

export interface Cost {
  readonly flops: number;
  /** The same, operator by operator; those that compute nothing are left out. */
  readonly byOperator: Readonly<Record<string, number>>;
}

/** Families whose operators only move numbers, make them, or ask for their shape. */
const movers = new Set<OperatorName>(
  [families.reshaping, families.indexing, families.padding, families.generation].flatMap(
    (family) => Object.keys(family) as OperatorName[],
  ),
);

/**
 * The floating-point operations of a graph: an addition, a product, a comparison and a function like exp are one each,
 * a multiplication with an addition two; moving numbers, and arithmetic on integers, is free.
 * @example cost(net, { dims: { x: [8, 1] } }).flops // of 8 examples at once
 */
export function cost(graph: Graph, { dims = {} }: CostOptions = {}): Cost {
  const { nodes } = canonical(graph);
  const types = inferTypes(graph, { inputs: givenTypes(graph, dims) });
  const byOperator: Record<string, number> = {};
  for (const node of nodes) {
    const flops = flopsOf(node, (name) => types.get(name));
    if (flops > 0) byOperator[node.op] = (byOperator[node.op] ?? 0) + flops;
  }
  return { flops: Object.values(byOperator).reduce((a, b) => a + b, 0), byOperator };
}

function givenTypes(
  graph: Graph,
  dims: Readonly<Record<string, readonly number[]>>,
): ReadonlyMap<string, TensorType> {
  const declared = (name: string) => graph.inputs.find((i) => i.name === name)?.type;
  return new Map(
    Object.entries(dims).map(([name, shape]) => {
      const type = declared(name);
      return [name, { type: type && isTensorType(type) ? type.type : "undefined", shape }];
    }),
  );
}

function flopsOf(node: Node, typeOf: (name: string) => TensorType | undefined): number {
  const op = node.op as OperatorName;
  const spec = operatorSpec(node.op, node.domain);
  const rule = spec && countRules[op];
  const ofFloats = [...node.inputs, ...node.outputs].some((name) =>
    isFloat(typeOf(name)?.type ?? "undefined"),
  );
  if (spec && (!ofFloats || (!rule && movers.has(op)))) return 0;
  if (!rule) throw new GraphError(`the operations of ${describe(node)} cannot be counted`);
  const dimsOf = (name: string | undefined): readonly number[] => {
    const shape = name ? typeOf(name)?.shape : [];
    if (shape?.every((d) => typeof d === "number")) return shape as readonly number[];
    throw new GraphError(
      `${describe(node)}: the shape of "${name}" is not known; give the dims of the inputs`,
    );
  };
  const shapes: Shapes = {
    x: (k) => dimsOf(node.inputs[k]),
    y: (k) => dimsOf(node.outputs[k]),
    inputs: node.inputs.length,
    given: (k) => Boolean(node.inputs[k]),
    in: (k = 0) => elementCount(dimsOf(node.inputs[k])),
    out: (k = 0) => elementCount(dimsOf(node.outputs[k])),
  };
  return (rule as (s: Shapes, a: unknown) => number)(shapes, readAttributes(node, spec.attributes));
}
