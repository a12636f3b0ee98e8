// Operators defined by simpler ones, for engines and passes that know only the simpler ones.
import type { Node } from "../graph.ts";
import { type OperatorName, operatorSpec } from "../operators/index.ts";
import { activation } from "./activation.ts";
import { arrangement } from "./arrangement.ts";
import { attention } from "./attention.ts";
import { convolution } from "./convolution.ts";
import type { AnyDefinition, Definitions } from "./definition.ts";
import { erf } from "./erf.ts";
import { exponential } from "./exponential.ts";
import { learning } from "./learning.ts";
import { linear } from "./linear.ts";
import { normalization } from "./normalization.ts";
import { pooling } from "./pooling.ts";
import { quantization } from "./quantization.ts";
import { recurrent } from "./recurrent.ts";
import { reduction } from "./reduction.ts";
import { resize } from "./resize.ts";
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
  ...normalization,
  ...reduction,
  ...linear,
  ...arrangement,
  ...resize,
  ...recurrent,
  ...attention,
  ...quantization,
  ...learning,
};

/**
 * The definition of a node's operator, if there is one.
 * @example definitionOf(graph({ x: float64(2) }, ({ x }) => ({ y: x.relu() })).nodes[0]) // undefined
 */
export function definitionOf(node: Node): AnyDefinition | undefined {
  return operatorSpec(node.op, node.domain) && definitions[node.op as OperatorName];
}
