// The operator table: every operator that Lemmata reads, as of ONNX opset 20 and those that came since (older forms: see
// upgrade.ts).
import { activation } from "./activation.ts";
import { attention } from "./attention.ts";
import { comparison } from "./comparison.ts";
import { control } from "./control.ts";
import { convolution } from "./convolution.ts";
import { elementwise } from "./elementwise.ts";
import { generation } from "./generation.ts";
import { indexing } from "./indexing.ts";
import { learning } from "./learning.ts";
import { linear } from "./linear.ts";
import { normalization } from "./normalization.ts";
import { padding } from "./padding.ts";
import { pooling } from "./pooling.ts";
import { quantization } from "./quantization.ts";
import { recurrent } from "./recurrent.ts";
import { reduction } from "./reduction.ts";
import { reshaping } from "./reshaping.ts";
import type { AttributeSpec, AttributeSpecs, AttributeValues, OperatorSpec } from "./spec.ts";

/** The operators by family; a family is one file and one group in docs/operators.md. */
export const families = {
  elementwise,
  activation,
  comparison,
  linear,
  convolution,
  pooling,
  normalization,
  reduction,
  reshaping,
  indexing,
  padding,
  generation,
  recurrent,
  control,
  attention,
  quantization,
  learning,
} as const;

export const operators = {
  ...elementwise,
  ...activation,
  ...comparison,
  ...linear,
  ...convolution,
  ...pooling,
  ...normalization,
  ...reduction,
  ...reshaping,
  ...indexing,
  ...padding,
  ...generation,
  ...recurrent,
  ...control,
  ...attention,
  ...quantization,
  ...learning,
};

export type OperatorName = keyof typeof operators;
export type AttributesOf<K extends OperatorName> = (typeof operators)[K] extends {
  attributes: infer A extends AttributeSpecs;
}
  ? AttributeValues<A>
  : never;

/** The table's entry for a node's operator, or undefined when the table has none. */
export function operatorSpec(op: string, domain = ""): Omit<OperatorSpec, "family"> | undefined {
  if (!Object.hasOwn(operators, op)) return undefined;
  const spec = operators[op as OperatorName] as unknown as OperatorSpec;
  return (spec.domain ?? "") === (domain === "ai.onnx" ? "" : domain) ? spec : undefined;
}
/** The domain of an operator of the table: "" for ONNX's own. */
export const operatorDomain = (op: OperatorName): string =>
  (operators[op] as { domain?: string }).domain ?? "";
export type { AttributeSpec };
