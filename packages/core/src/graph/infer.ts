// Types and shapes of every value of a graph, before it runs.
import { GraphError } from "./error.ts";
import { type Dim, type Graph, isTensorType, type Shape, type TensorType } from "./graph.ts";
import { bind, inferScope, newWalk } from "./infer-scope.ts";
import { differ, formatShape } from "./operators/dims.ts";
import type { Inferred } from "./operators/spec.ts";
import { canonical } from "./upgrade.ts";

export type { InferSubgraph } from "./infer-node.ts";
export { inferNode } from "./infer-scope.ts";

export interface InferOptions {
  /** Types of inputs, in place of what the graph declares: `{ x: [8, 3] }` for a declared [N, 3] makes N 8 everywhere. */
  readonly inputs?: ReadonlyMap<string, TensorType>;
}

const cache = new WeakMap<Graph, ReadonlyMap<string, Inferred>>();

/**
 * What is known of each value of a graph, by name; a value of which nothing is known is absent.
 * Works on the canonical form, whose values include those of the graph as it was written.
 * @example inferTypes(net).get("y")?.shape // ["N", 1]
 */
export function inferTypes(graph: Graph, { inputs }: InferOptions = {}): ReadonlyMap<string, Inferred> {
  if (inputs && inputs.size > 0) return inferWith(canonical(graph), inputs);
  const known = cache.get(graph) ?? inferScope(canonical(graph), new Map(), newWalk());
  cache.set(graph, known);
  return known;
}

function inferWith(graph: Graph, inputs: ReadonlyMap<string, TensorType>): ReadonlyMap<string, Inferred> {
  const bindings = new Map<string, Dim>();
  const given = new Map<string, Inferred>();
  let asDeclared = true;
  for (const [name, type] of inputs) {
    const declared = declaredType(graph, name);
    const shape = combine(name, type.shape, declared?.shape);
    given.set(name, { type: type.type, shape });
    if (declared && declared.type !== type.type) asDeclared = false;
    declared?.shape?.forEach((dim, k) => {
      const size = shape?.[k];
      if (differ(dim, size)) asDeclared = false;
      if (typeof dim !== "string" || (size === dim && !bindings.has(dim))) return;
      // A name that two inputs give two sizes was not meant as one size.
      const clash = bindings.has(dim) && bindings.get(dim) !== size;
      bindings.set(dim, clash ? undefined : size);
    });
  }
  const walk = newWalk(bindings, asDeclared);
  return inferScope(graph, new Map([...given].map(([name, type]) => [name, bind(type, walk)])), walk);
}

function declaredType(graph: Graph, name: string): TensorType | undefined {
  const input = graph.inputs.find((i) => i.name === name);
  if (!input) {
    const names = graph.inputs.map((i) => `"${i.name}"`).join(", ");
    throw new GraphError(`the graph has no input "${name}"; its inputs are ${names || "none"}`);
  }
  return isTensorType(input.type) ? input.type : undefined;
}

function combine(name: string, shape: Shape | undefined, declared: Shape | undefined): Shape | undefined {
  if (!shape || !declared) return shape ?? declared;
  if (shape.length !== declared.length)
    throw new GraphError(
      `input "${name}" is declared as ${formatShape(declared)}, not ${formatShape(shape)}`,
    );
  return shape.map((d, k): Dim => d ?? declared[k]);
}
