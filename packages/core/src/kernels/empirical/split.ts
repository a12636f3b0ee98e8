// A graph in two: what can be known before some of its inputs are, and the rest, which reads what the first part kept.
import type { Graph, TensorType } from "../../graph/graph.ts";
import { inferTypes } from "../../graph/infer.ts";
import { prune } from "../../graph/prune.ts";
import { reads } from "../../passes/backward.ts";

export interface SplitGraph {
  /** From the other inputs to the outputs that are known early, and to what the late part reads. */
  readonly early: Graph;
  /** From the late input and what `kept` names to the other outputs. */
  readonly late: Graph;
  /** What the late part reads besides the late input: outputs of the early one, or inputs of the whole. */
  readonly kept: readonly string[];
  /** Whether all of that has the examples along its first axis, so that an example may be there several times. */
  readonly isByExample: boolean;
}

/** Splits a graph by what depends on one of its inputs. What depends on weights alone is written into both parts. */
export function splitGraph(graph: Graph, lateInput: string): SplitGraph {
  const types = inferTypes(graph);
  const inputs = graph.inputs.map(({ name }) => name).filter((name) => name !== lateInput);
  const [late, early] = [reached(graph, [lateInput]), reached(graph, inputs)];
  const typeOf = (name: string): TensorType | undefined => {
    const found = types.get(name);
    return found && found.type !== "undefined" ? { type: found.type, shape: found.shape } : undefined;
  };
  const producers = new Map(graph.nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)));
  const [kept, own] = [new Map<string, TensorType>(), new Set<string>()];
  const need = (name: string): void => {
    const type = typeOf(name);
    const producer = producers.get(name);
    if (own.has(name) || kept.has(name)) return;
    if (type && early.has(name) && !late.has(name)) kept.set(name, type);
    else if (producer) {
      for (const output of producer.outputs) own.add(output);
      reads(producer).forEach(need);
    }
  };
  const [after, before] = [
    graph.outputs.filter(({ name }) => late.has(name)),
    graph.outputs.filter(({ name }) => !late.has(name)),
  ];
  for (const { name } of after) need(name);
  const batch = typeOf(lateInput)?.shape?.[0];
  const isNamed = ({ shape }: TensorType): boolean =>
    typeof shape?.[0] === "string" && shape.slice(1).every((d) => typeof d === "number");
  const isGiven = (name: string): boolean => inputs.includes(name);
  const added = [...kept].filter(([name]) => !isGiven(name) && before.every((o) => o.name !== name));
  return {
    early: prune({
      ...graph,
      inputs: graph.inputs.filter(({ name }) => isGiven(name)),
      outputs: [...before, ...added.map(([name, type]) => ({ name, type }))],
      nodes: graph.nodes.filter(({ outputs }) => !outputs.some((name) => late.has(name))),
    }),
    late: prune({
      ...graph,
      inputs: [
        ...graph.inputs.filter(({ name }) => name === lateInput),
        ...[...kept].map(([name, type]) => ({ name, type })),
      ],
      outputs: after,
      nodes: graph.nodes.filter(({ outputs }) => outputs.some((name) => own.has(name))),
    }),
    kept: [...kept.keys()],
    isByExample: [...kept.values()].every((type) => isNamed(type) && type.shape?.[0] === batch),
  };
}

/** The values that cannot be known without these. */
function reached(graph: Graph, roots: readonly string[]): ReadonlySet<string> {
  const found = new Set(roots);
  for (const node of graph.nodes)
    if (reads(node).some((name) => found.has(name)))
      for (const name of node.outputs) if (name) found.add(name);
  return found;
}
