// The operator table: every operator that Lemmata reads, as of ONNX opset 20 (older forms: see upgrade.ts).
import { elementwise } from "./elementwise.ts";
import type { AttributeSpec, AttributeSpecs, AttributeValues, OperatorSpec } from "./spec.ts";

/** The operators by family; a family is one file and one group in docs/operators.md. */
export const families = { elementwise } as const;

export const operators = { ...elementwise };

export type OperatorName = keyof typeof operators;
export type AttributesOf<K extends OperatorName> = (typeof operators)[K] extends {
  attributes: infer A extends AttributeSpecs;
}
  ? AttributeValues<A>
  : never;

/** The table's entry for a node's operator, or undefined when the table has none. */
export function operatorSpec(op: string, domain = ""): Omit<OperatorSpec, "family"> | undefined {
  if (domain !== "" && domain !== "ai.onnx") return undefined;
  return Object.hasOwn(operators, op)
    ? (operators[op as OperatorName] as unknown as OperatorSpec)
    : undefined;
}
export type { AttributeSpec };
