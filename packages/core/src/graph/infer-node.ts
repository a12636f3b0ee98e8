// What one node makes of what is known of its inputs.
import { GraphError } from "./error.ts";
import { type Dim, describe, type Graph, type Node } from "./graph.ts";
import { operatorSpec } from "./operators/index.ts";
import { type Inferred, type OperatorSpec, readAttributes, type ShapeContext } from "./operators/spec.ts";

export type Known = readonly (Inferred | undefined)[];
/** Infers the outputs of a branch or body of a node, given what is known of its inputs. */
export type InferSubgraph = (graph: Graph, inputs: Known) => Known;

/** Gathering by itself doubles a tensor's axes: beyond this many, a shape counts as unknown. */
const rankLimit = 256;

/**
 * The types of a node's outputs; unknown for an operator that the table lacks.
 * A sure contradiction, or too few or too many inputs, is a GraphError that names the node.
 */
export function inferNodeWith(node: Node, inputs: Known, inferSubgraph: InferSubgraph): Known {
  const spec = operatorSpec(node.op, node.domain);
  if (!spec) return node.outputs.map(() => undefined);
  checkArity(node, spec);
  const context: ShapeContext = {
    node,
    fail: (reason) => {
      throw new GraphError(`${describe(node)}: ${reason}`);
    },
    inferSubgraph,
  };
  const result = spec.shape(inputs, readAttributes(node, spec.attributes), context);
  const outputs: Known = Array.isArray(result) ? result : [result as Inferred | undefined];
  return node.outputs.map((_, k) => presentable(outputs[k]));
}

/** Nothing at all is known of a value without type and shape. */
function presentable(x: Inferred | undefined): Inferred | undefined {
  if (!x || (x.type === "undefined" && !x.shape)) return undefined;
  if (!x.shape) return x;
  if (x.shape.length > rankLimit) return { type: x.type };
  // A size that no tensor can have is not known better than any other.
  const isSize = (d: Dim): boolean => typeof d !== "number" || Number.isSafeInteger(d);
  return x.shape.every(isSize) ? x : { type: x.type, shape: x.shape.map((d) => (isSize(d) ? d : undefined)) };
}

/** Refuses a node that has too few or too many inputs or outputs. */
export function checkArity(node: Node, { inputs, outputs }: Pick<OperatorSpec, "inputs" | "outputs">): void {
  const least = node.inputs.slice(0, inputs[0]).filter((name) => name).length;
  // The two inputs of Loop may be left out by an empty name.
  const enough = node.op === "Loop" ? node.inputs.length >= inputs[0] : least >= inputs[0];
  if (!enough || node.inputs.length > inputs[1]) {
    const given = node.inputs.filter((name) => name).length;
    throw new GraphError(`${describe(node)} takes ${countOf(inputs, "input")}, not ${given}`);
  }
  if (node.outputs.length < outputs[0] || node.outputs.length > outputs[1])
    throw new GraphError(`${describe(node)} has ${countOf(outputs, "output")}, not ${node.outputs.length}`);
}

function countOf([least, greatest]: readonly [number, number], what: string): string {
  const plural = (n: number) => `${n} ${what}${n === 1 ? "" : "s"}`;
  if (least === greatest) return plural(least);
  return greatest === Number.POSITIVE_INFINITY
    ? `at least ${plural(least)}`
    : `${least} to ${plural(greatest)}`;
}
