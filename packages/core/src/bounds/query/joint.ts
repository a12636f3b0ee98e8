// Several networks on shared inputs as one graph.
import { DataError } from "../../data/error.ts";
import { graph as build } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { inferTypes } from "../../graph/infer.ts";
import { elementCount } from "../../graph/tensor.ts";
import { canonical } from "../../graph/upgrade.ts";
import { inputShapes } from "../../passes/affine/compile.ts";
import type { DeclaredNetwork, Query } from "./query.ts";

/** A declared network and the graph that is given for it. */
export interface Given {
  readonly declared: DeclaredNetwork;
  readonly graph: Graph;
}

const inputCount = (graph: Graph): number =>
  inputShapes(graph).reduce((n, { dims }) => n + elementCount(dims), 0);

const outputCount = (graph: Graph): number => {
  const inputs = new Map(
    inputShapes(graph).map(({ name, type, dims }) => [name, { type: type.type, shape: dims }]),
  );
  const types = inferTypes(graph, { inputs });
  return graph.outputs.reduce(
    (n, { name }) => n + elementCount((types.get(name)?.shape ?? []).map(Number)),
    0,
  );
};

const called = (name: string): string => (name ? `network ${name}` : "the network");

/** The graph of each declared network; says which is missing, unknown or of the wrong size. */
export function givenNetworks(query: Query, graphs: ReadonlyMap<string, Graph>): readonly Given[] {
  const declared = query.networks.map(({ name }) => name);
  const unknown = [...graphs.keys()].find(
    (name) => name !== "" && !declared.includes(name) && declared[0] !== "",
  );
  if (unknown !== undefined)
    throw new DataError(`the query declares no network ${unknown}; it declares ${declared.join(", ")}`);
  return query.networks.map((network) => {
    const only = query.networks.length === 1 && graphs.size === 1 ? [...graphs.values()][0] : undefined;
    const graph = graphs.get(network.name) ?? graphs.get(network.equalTo ?? network.name) ?? only;
    if (!graph) throw new DataError(`no model is given for ${called(network.name)} of the query`);
    const [inputs, outputs] = [inputCount(graph), outputCount(graph)];
    if (inputs !== network.inputs || outputs !== network.outputs)
      throw new DataError(
        `the query declares ${network.inputs} inputs and ${network.outputs} outputs of ${called(network.name)}; ` +
          `the model has ${inputs} and ${outputs}`,
      );
    return { declared: network, graph };
  });
}

/** One input x of shared numbers; `positions[n]` says which of them network n reads. Outputs follow one another. */
export function jointGraph(
  networks: readonly Given[],
  positions: readonly (readonly number[])[],
  count: number,
): Graph {
  const types = networks.map(({ graph }) => inputShapes(graph)[0]!.type.type);
  if (types.some((type) => type !== types[0]))
    throw new DataError("networks of different element types cannot be compared");
  return build({ x: { type: types[0]!, shape: [1, count] } }, ({ x }) => {
    const outputs = networks.flatMap(({ graph }, n) => {
      let first = 0;
      const inputs = inputShapes(graph).map(({ name, dims }) => {
        const size = elementCount(dims);
        const picked = positions[n]!.slice(first, first + size);
        first += size;
        return [name, x.gather(picked, 1).reshape(dims)] as const;
      });
      return Object.values(x.builder.inline(canonical(graph), Object.fromEntries(inputs)));
    });
    return Object.fromEntries(outputs.map((y, k) => [`y${k}`, y.reshape([1, -1])]));
  });
}
