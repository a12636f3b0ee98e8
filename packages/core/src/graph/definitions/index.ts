// Operators defined by simpler ones, for engines and passes that know only the simpler ones.
import type { Node } from "../graph.ts";
import { type OperatorName, operatorSpec } from "../operators/index.ts";
import { activation } from "./activation.ts";
import { arrangement } from "./arrangement.ts";
import { attention, limitedRootMeanSquare } from "./attention.ts";
import { convolution } from "./convolution.ts";
import type { AnyDefinition, Definitions } from "./definition.ts";
import { erf } from "./erf.ts";
import { exponential } from "./exponential.ts";
import { learning, limitedNormalizer } from "./learning.ts";
import { linear } from "./linear.ts";
import { limitedLayerNormalization, normalization } from "./normalization.ts";
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

/** The same functions, with limits that they keep by themselves said: bounds are then no looser than these. */
const limited: Partial<Record<OperatorName, (node: Node) => AnyDefinition>> = {
  LayerNormalization: () => limitedLayerNormalization as AnyDefinition,
  RMSNormalization: () => limitedRootMeanSquare as AnyDefinition,
  Normalizer: () => limitedNormalizer as AnyDefinition,
};

/**
 * The definition that is best for bounds.
 * @example boundedDefinitionOf(graph({ x: float64(2) }, ({ x }) => ({ y: x.relu() })).nodes[0]) // undefined
 */
export const boundedDefinitionOf = (node: Node): AnyDefinition | undefined =>
  definitionOf(node) && (limited[node.op as OperatorName]?.(node) ?? definitionOf(node));
