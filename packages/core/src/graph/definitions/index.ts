// Operators defined by simpler ones, for engines and passes that know only the simpler ones.
import type { Node } from "../graph.ts";
import { type OperatorName, operatorSpec } from "../operators/index.ts";
import { activation } from "./activation.ts";
import { convolution } from "./convolution.ts";
import type { AnyDefinition, Definitions } from "./definition.ts";
import { erf } from "./erf.ts";
import { exponential } from "./exponential.ts";
import { pooling } from "./pooling.ts";
import { trigonometric } from "./trigonometric.ts";

export type { AnyDefinition, Definition, Definitions } from "./definition.ts";
export { type Choose, rewrite } from "./rewrite.ts";

export const definitions: Definitions = {
  ...exponential,
  ...trigonometric,
  ...erf,
  ...activation,
  ...convolution,
  ...pooling,
};

/**
 * The definition of a node's operator, if there is one.
 * @example definitionOf(net.nodes[0]) // undefined: a Gemm is simple enough
 */
export function definitionOf(node: Node): AnyDefinition | undefined {
  return operatorSpec(node.op, node.domain) && definitions[node.op as OperatorName];
}
