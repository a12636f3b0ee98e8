// Forward-mode derivatives as a graph: how the outputs move when inputs or weights do. No table of its own: the gradient
// J^T s is linear in s, and its derivative by s is J (the transpose of a transpose).
import { Builder } from "../graph/builder.ts";
import { finish } from "../graph/finish.ts";
import type { Graph, TensorType } from "../graph/graph.ts";
import { prune } from "../graph/prune.ts";
import { canonical } from "../graph/upgrade.ts";
import type { Values } from "../graph/value.ts";
import { alongDirections } from "./along-directions.ts";
import { reshapeLike, zerosLike } from "./gradient/shapes.ts";
import { derivatives, type GradientOptions, untaken } from "./gradient.ts";

/**
 * Jacobian-vector products: for each name asked for an input `tangent_<name>` of its shape, and for each output an output
 * `tangent_<output>`, the derivative along all directions at once.
 * @example jacobianVectorProduct(net).outputs.map((o) => o.name) // ["y", "tangent_y"]
 */
export function jacobianVectorProduct(
  original: Graph,
  options: Pick<GradientOptions, "wrt" | "of"> = {},
): Graph {
  const graph = canonical(original);
  const first = derivatives(graph, options);
  const known = graph.outputs.map((o) => o.name);
  const slope = alongDirections(first, "tangent_");
  const second = derivatives(slope.graph, {
    wrt: [...first.seeds.values()],
    of: [slope.output],
    unitSeeds: true,
  });
  const seeds = new Set(first.seeds.values());
  const inputs = Object.fromEntries(
    slope.graph.inputs.filter((i) => !seeds.has(i.name)).map((i) => [i.name, i.type as TensorType]),
  );
  const results = untaken("tangent_", [...first.seeds.keys()], [...known, ...Object.keys(inputs)]);
  const builder = new Builder();
  const body = (given: Values): Values => {
    const plain = builder.inline(graph, given);
    const zeros = [...first.seeds].map(([output, seed]) => [seed, zerosLike(plain[output]!)] as const);
    const all = builder.inline(second.graph, { ...given, ...Object.fromEntries(zeros) });
    const moved = [...first.seeds].map(([output, seed]) => {
      const found = all[second.names.get(seed)!];
      const y = plain[output]!;
      return [results.get(output)!, found ? reshapeLike(found, y) : zerosLike(y)] as const;
    });
    return Object.fromEntries([...known.map((name) => [name, plain[name]!] as const), ...moved]);
  };
  const result = finish(builder, inputs, body, { name: `${graph.name}_tangent`, nested: false });
  return prune({ ...result, opsets: second.graph.opsets, functions: second.graph.functions });
}
