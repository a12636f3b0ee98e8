// What the ways back have in common: a step of the walk with its attributes, and what a way gives.
import type { AttributesOf, OperatorName } from "../../graph/operators/index.ts";
import { isFloat } from "../../graph/tensor.ts";
import type { Value } from "../../graph/value.ts";
import type { BackwardRule, Operands, Shares, Step } from "../backward.ts";
import { rules as gradientRules } from "../gradient/rules.ts";
import { zerosLike } from "../gradient/shapes.ts";
import type { Account } from "./ledger.ts";

export type AnyRule = BackwardRule<OperatorName>;
export type Attributes = AttributesOf<OperatorName>;

/** What a node hands on, by which rule, and who took the rest. */
export interface Found {
  readonly rule: string;
  readonly shares: Shares;
  readonly account?: Account["taken"];
}

/** What the gradient's rule of a node sends back to input k, at its own values or at others. */
export function pullback(
  step: Step,
  attributes: Attributes,
  k: number,
  g: Value,
  x: Operands = step.x,
): Value {
  const rule = gradientRules[step.node.op as OperatorName] as AnyRule | undefined;
  const share = rule?.({ ...step, g, back: [g], x, given: (i) => x[i] }, attributes)[k];
  return share ? share() : zerosLike(x[k]!);
}

/** A share for each input that leads to what is explained. */
export const sharesFor = ({ node, wants, x }: Step, share: (k: number) => () => Value): Shares =>
  node.inputs.map((name, k) =>
    name && wants(name) && isFloat(x[k]!.type.type as "float32") ? share(k) : undefined,
  );
