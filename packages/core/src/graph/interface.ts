// What a caller may settle of a model before it is read: the sizes of its inputs, and which of its outputs are meant.
import { GraphError } from "./error.ts";
import { type Dim, type Graph, isTensorType, requiredInputs, type Shape, type ValueInfo } from "./graph.ts";
import { inferTypes } from "./infer.ts";
import { formatShape } from "./operators/dims.ts";
import { printableLine } from "./printable.ts";
import { prune } from "./prune.ts";

const listed = (values: readonly ValueInfo[]): string =>
  values.map(({ name }) => `"${printableLine(name)}"`).join(", ") || "none";

/**
 * The graph for inputs of these shapes; the name of a dimension that gets a number has it everywhere.
 * @example withShapes(net, new Map([["x", [1, 1]]])).inputs[0].type.shape // [1, 1]
 */
export function withShapes(graph: Graph, shapes: ReadonlyMap<string, readonly number[]>): Graph {
  if (shapes.size === 0) return graph;
  const sizes = new Map<string, number>();
  for (const [name, dims] of shapes) {
    const input = requiredInputs(graph).find((i) => i.name === name);
    if (!input)
      throw new GraphError(
        `the model has no input "${name}"; its inputs are ${listed(requiredInputs(graph))}`,
      );
    if (!isTensorType(input.type)) throw new GraphError(`input "${name}" is a ${input.type.description}`);
    const declared = input.type.shape;
    const isFit =
      !declared ||
      (declared.length === dims.length && declared.every((d, k) => typeof d !== "number" || d === dims[k]));
    if (!isFit)
      throw new GraphError(
        `input "${name}" is declared as ${formatShape(declared)}, not ${formatShape(dims)}`,
      );
    declared?.forEach((d, k) => {
      if (typeof d !== "string") return;
      const before = sizes.get(d);
      if (before !== undefined && before !== dims[k])
        throw new GraphError(
          `the dimension "${printableLine(d)}" of input "${name}" is ${before} and ${dims[k]} at once`,
        );
      sizes.set(d, dims[k]!);
    });
  }
  const bound = (shape: Shape): Shape =>
    shape.map((d): Dim => (typeof d === "string" ? (sizes.get(d) ?? d) : d));
  const settled = (value: ValueInfo): ValueInfo => {
    const { name, type } = value;
    if (!isTensorType(type)) return value;
    const shape = shapes.get(name) ?? (type.shape && bound(type.shape));
    return { name, type: { type: type.type, ...(shape && { shape }) } };
  };
  const result: Graph = {
    ...graph,
    inputs: graph.inputs.map(settled),
    outputs: graph.outputs.map((value) => ({ ...settled(value), name: value.name })),
    // What the file states of values inside may have been for other sizes.
    valueTypes: new Map(),
  };
  const types = inferTypes(result);
  const outputs = result.outputs.map((value): ValueInfo => {
    const { name, type } = value;
    const known = types.get(name)?.shape;
    return isTensorType(type) && known ? { name, type: { type: type.type, shape: known } } : value;
  });
  return { ...result, outputs };
}

/**
 * The graph with some of its outputs, in the order asked for, and what they need.
 * @example withOutputs(net, ["y"]).outputs.length // 1
 */
export function withOutputs(graph: Graph, names: readonly string[]): Graph {
  if (names.length === 0) return graph;
  const outputs = names.map((name) => {
    const output = graph.outputs.find((o) => o.name === name);
    if (!output)
      throw new GraphError(`the model has no output "${name}"; its outputs are ${listed(graph.outputs)}`);
    return output;
  });
  return prune({ ...graph, outputs });
}
