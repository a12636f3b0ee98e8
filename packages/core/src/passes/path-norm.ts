// Norms over all paths of a network in one forward pass: the vector of the products of weights along paths is never
// written down. They are unchanged when a unit is scaled by c and its successors' weights by 1/c.
import { run } from "../engine/run.ts";
import { Builder } from "../graph/builder.ts";
import { GraphError } from "../graph/error.ts";
import { finish } from "../graph/finish.ts";
import { type Graph, isSparse, isTensorType, requiredInputs, type TensorType } from "../graph/graph.ts";
import { prune } from "../graph/prune.ts";
import { densify, elementCount, numbers, tensor } from "../graph/tensor.ts";
import { canonical } from "../graph/upgrade.ts";
import { applyRule } from "./pass.ts";
import { type PathOptions, type PathValue, pathRules } from "./paths/rules.ts";

/** Norms of the vector that has, for each path from an input (or a bias) to this output, the product of its weights. */
export interface PathNorms {
  /** sum |w|, for each element of the output. */
  readonly norm1: Float64Array;
  /** sqrt of the sum of w^2. */
  readonly norm2: Float64Array;
  /** Paths without a weight 0; inexact from 2^53 on. */
  readonly count: Float64Array;
}

/**
 * A graph in f64 without gates whose outputs, for inputs that are all 1, are sums of |product of weights|^p over paths.
 * Maxima (pooling) become sums: each of their inputs has its own paths.
 * @example pathGraph(square(2), { p: 1, biases: false }).nodes.some((n) => n.op === "Relu") // false
 */
export function pathGraph(original: Graph, options: PathOptions): Graph {
  const graph = canonical(original);
  const rules = pathRules(options);
  const types = Object.fromEntries(
    requiredInputs(graph).map(({ name, type }) => {
      if (!isTensorType(type)) throw new GraphError(`input "${name}" is no tensor`);
      return [name, { type: "float64", shape: type.shape?.map((d) => (typeof d === "number" ? d : 1)) }];
    }),
  ) as Record<string, TensorType>;
  const written = finish(
    new Builder(),
    types,
    (inputs) => {
      const values = new Map<string, PathValue>();
      const builder = Object.values(inputs)[0]!.builder;
      for (const [name, weight] of graph.initializers) {
        const dense = isSparse(weight) ? densify(weight) : weight;
        values.set(name, { value: builder.weight(dense, name), isWeight: true });
      }
      for (const [name, value] of Object.entries(inputs)) values.set(name, { value, isWeight: false });
      for (const node of graph.nodes) {
        const results = applyRule(
          "path",
          rules,
          node,
          node.inputs.map((name) => (name ? values.get(name) : undefined)),
        );
        node.outputs.forEach((name, k) => {
          if (name && results[k]) values.set(name, results[k]);
        });
      }
      return Object.fromEntries(
        graph.outputs.map(({ name }) => {
          const { value, isWeight } = values.get(name)!;
          if (isWeight)
            throw new GraphError(`output "${name}" does not depend on the input: it has no paths`);
          return [`paths_${name}`, value.type.shape ? value : value.reshape([-1])];
        }),
      );
    },
    { name: `${graph.name}_paths`, nested: false },
  );
  return prune(written);
}

/** With so few weights, waiting for other threads costs more than the sums. */
const isSmall = ({ initializers }: Graph): boolean =>
  [...initializers.values()].reduce((n, w) => n + elementCount(w.dims), 0) < 50_000;

/**
 * Path norms for each element of the first output. Weights that are shared (convolutions) count once for each path.
 * @example (await pathNorms(net)).norm1 // [57] for weights [[1, 2], [3, 4]] and [[5, 6]]
 */
export async function pathNorms(
  graph: Graph,
  { biases = true }: { readonly biases?: boolean } = {},
): Promise<PathNorms> {
  const sums = async (p: 0 | 1 | 2): Promise<Float64Array> => {
    const paths = pathGraph(graph, { p, biases });
    const ones = Object.fromEntries(
      paths.inputs.map(({ name, type }) => {
        const dims = (type as TensorType).shape as readonly number[];
        return [name, tensor(new Float64Array(elementCount(dims)).fill(1), { dims })];
      }),
    );
    const results = await run(paths, ones, isSmall(paths) ? { threads: 1 } : {});
    return Float64Array.from(numbers(results[paths.outputs[0]!.name]!));
  };
  return { norm1: await sums(1), norm2: (await sums(2)).map(Math.sqrt), count: await sums(0) };
}
