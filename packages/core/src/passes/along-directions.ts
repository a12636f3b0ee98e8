// A gradient graph, and the sum of its gradients' products with directions: what is differentiated once more.
import { Builder } from "../graph/builder.ts";
import { GraphError } from "../graph/error.ts";
import { finish } from "../graph/finish.ts";
import { type Graph, isTensorType, type TensorType } from "../graph/graph.ts";
import type { Values } from "../graph/value.ts";
import { type Derivatives, untaken } from "./gradient.ts";

export interface Slope {
  readonly graph: Graph;
  /** What is differentiated by, and the output that is the slope. */
  readonly names: readonly string[];
  readonly output: string;
  /** The inputs that the directions are. */
  readonly directions: ReadonlyMap<string, string>;
}

/** slope = sum over names of <grad_name, PREFIX_name>; the outputs of the gradient graph stay. */
export function alongDirections({ graph: first, names }: Derivatives, prefix: string): Slope {
  const builder = new Builder();
  const typeOf = (output: string): TensorType => {
    const found = first.outputs.find((o) => o.name === output)!.type;
    if (!isTensorType(found)) throw new GraphError(`"${output}" is not a tensor`);
    return found;
  };
  const keys = [...names.keys()];
  const taken = [...first.inputs, ...first.outputs].map(({ name }) => name);
  const vectors = untaken(prefix, keys, [...taken, ...first.initializers.keys()]);
  const output = untaken("", ["slope"], [...taken, ...first.initializers.keys(), ...vectors.values()]).get(
    "slope",
  )!;
  const inputs = {
    ...Object.fromEntries(first.inputs.map((i) => [i.name, i.type as TensorType])),
    ...Object.fromEntries(keys.map((name) => [vectors.get(name)!, typeOf(names.get(name)!)])),
  };
  const body = (given: Values): Values => {
    const found = builder.inline(first, given);
    const parts = keys.map((name) =>
      found[names.get(name)!]!.mul(given[vectors.get(name)!]!).op("ReduceSum", [], { keepdims: 0 }),
    );
    return { ...found, [output]: parts.reduce((sum, part) => sum.add(part)) };
  };
  const result = finish(builder, inputs, body, { name: first.name, nested: false });
  return {
    graph: { ...result, opsets: first.opsets, functions: first.functions },
    names: keys,
    output,
    directions: vectors,
  };
}
