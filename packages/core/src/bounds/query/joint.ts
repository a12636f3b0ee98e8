// Several networks on shared inputs as one graph.
import { DataError } from "../../data/error.ts";
import { graph as build } from "../../graph/builder.ts";
import { type Graph, requiredInputs, type ValueInfo } from "../../graph/graph.ts";
import { inferTypes } from "../../graph/infer.ts";
import { printableLine } from "../../graph/printable.ts";
import { elementCount } from "../../graph/tensor.ts";
import { canonical } from "../../graph/upgrade.ts";
import type { Value } from "../../graph/value.ts";
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

/** The model with inputs and outputs in the query's order where it names them, and what it names inside as outputs too. */
function asDeclared(graph: Graph, { name, inputNames, outputNames, hidden }: DeclaredNetwork): Graph {
  const picked = (values: readonly ValueInfo[], names: readonly string[] | undefined, what: string) =>
    names?.map((wanted) => {
      const found = values.find((value) => value.name === wanted);
      if (found) return found;
      const known = values.map((value) => `"${printableLine(value.name)}"`).join(", ");
      throw new DataError(
        `the model of ${called(name)} has no ${what} "${printableLine(wanted)}"; it has ${known}`,
      );
    }) ?? values;
  const inputs = picked(requiredInputs(graph), inputNames, "input");
  if (inputNames && inputs.length < requiredInputs(graph).length)
    throw new DataError(`the query names only some inputs of the model of ${called(name)}`);
  const outputs = picked(graph.outputs, outputNames, "output");
  if (!hidden && !inputNames && !outputNames) return graph;
  const types = inferTypes(graph, {});
  const inside = (hidden ?? []).map((wanted): ValueInfo => {
    const type = types.get(wanted);
    if (!type || type.type === "undefined" || !graph.nodes.some((node) => node.outputs.includes(wanted)))
      throw new DataError(`the model of ${called(name)} computes no value "${printableLine(wanted)}"`);
    return { name: wanted, type: { type: type.type, ...(type.shape && { shape: type.shape }) } } as ValueInfo;
  });
  return { ...graph, inputs, outputs: [...outputs, ...inside] };
}

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
    const meant = asDeclared(graph, network);
    const [inputs, outputs] = [inputCount(meant), outputCount(meant)];
    if (inputs !== network.inputs || outputs !== network.outputs)
      throw new DataError(
        `the query declares ${network.inputs} inputs and ${network.outputs} outputs of ${called(network.name)}; ` +
          `the model has ${inputs} and ${outputs}`,
      );
    return { declared: network, graph: meant };
  });
}

/**
 * One input x of shared numbers; `positions[n]` says which of them network n reads. Outputs follow one another, then
 * products of numbers, told by their places among inputs and then outputs.
 */
export function jointGraph(
  networks: readonly Given[],
  positions: readonly (readonly number[])[],
  count: number,
  products: readonly (readonly number[])[] = [],
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
    const flat = outputs.map((y) => y.reshape([1, -1]));
    const results = Object.fromEntries(flat.map((y, k) => [`y${k}`, y]));
    const [first, ...others] = productsOf(x.concat(flat, 1), products);
    return first ? { ...results, products: others.length > 0 ? first.concat(others, 1) : first } : results;
  });
}

/** Products of entries of a row; powers of one entry as powers, whose bounds are tighter. */
function productsOf(row: Value, products: readonly (readonly number[])[]): readonly Value[] {
  const entries = new Map<number, Value>();
  const entry = (at: number): Value => {
    const known = entries.get(at) ?? row.slice(1, at, at + 1);
    entries.set(at, known);
    return known;
  };
  return products.map((factors) => {
    const powers = new Map<number, number>();
    for (const at of factors) powers.set(at, (powers.get(at) ?? 0) + 1);
    return [...powers]
      .map(([at, n]) => (n === 1 ? entry(at) : n === 2 ? entry(at).mul(entry(at)) : entry(at).pow(n)))
      .reduce((product, factor) => product.mul(factor));
  });
}
